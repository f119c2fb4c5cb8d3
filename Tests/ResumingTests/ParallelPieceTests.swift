import Foundation
import Testing

@testable import Resuming
@testable import UploadModel

/// Several pieces at once: which reply comes when, and what is asked and done meanwhile.
struct ParallelPieces: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var parallel: Int? = 3
  var change: @Sendable (inout PieceRules) -> Void = { _ in }
  var size: Int64 = 10
  var point: (@Sendable (ResumeRules) -> ResumePoint)?
  /// What is found out about the file at the end.
  var trouble: Failure.Cause?
  /// Replies, and the index of the piece that each is for; 0 for any other request.
  let replies: [(to: Int, ServerReply)]
  let expected: [String]

  func check() throws {
    let rules = PieceMachineTests.rules {
      $0.parallel = parallel
      change(&$0)
    }
    let target = Conversation.target(rules)
    var identity = Conversation.identity
    identity.size = size
    var machine = try PieceMachine(ResumeStart(target, identity, point: point?(rules)))
    var trace: [String] = []
    var requests: [Int: ResumeRequest] = [:]
    var pending = machine.start(without: nil)
    func go() {
      repeat {
        while !pending.isEmpty {
          let action = pending.removeFirst()
          trace.append(Conversation.words(action, target))
          switch action {
          case .send(let request): requests[request.number] = request
          case .digest(_, _, let number):
            pending += machine.handle(ContentDigests([.sha1: "s\(number)"]), number: number)
          case .verify: pending += machine.handle(verified: trouble)
          case .keep(let point):
            // As the queue keeps it.
            #expect(
              (try? JSONDecoder().decode(ResumePoint.self, from: JSONEncoder().encode(point)))
                == point)
          default: break
          }
        }
        if machine.wantsMore { pending = machine.sendMore() }
      } while !pending.isEmpty
    }
    go()
    for (number, reply) in replies {
      let request = try #require(requests[number], "\(number) of \(trace)")
      requests[number] = nil
      var end = TransferEnd(
        url: request.url, status: reply.status, headers: reply.headers,
        reply: Reply(text: reply.text), trouble: reply.trouble, sentAll: reply.sentAll)
      end.number = number
      pending = machine.handle(end, now: Conversation.now)
      go()
    }
    #expect(trace == expected)
    #expect(requests.isEmpty)
  }
}

extension PieceMachineTests {
  private static let three = [
    "POST /upload", "keep /upload at 0", "read anew", "PUT /upload/7/001 0..<4",
    "PUT /upload/7/002 4..<8", "PUT /upload/7/003 8..<10",
  ]
  private static let holes: @Sendable (ResumeRules) -> ResumePoint = { rules in
    kept(rules, at: 6) {
      var done = PieceSet(first: 1)
      done.insert(2)
      ($0.done, $0.kept) = (done, [["e1"], [], ["e3"]])
    }
  }

  static let parallel: [ParallelPieces] = [
    ParallelPieces(
      testDescription: "three at once, answered in another order",
      replies: [(0, begun), (2, etag(3)), (0, etag(1)), (1, etag(2)), (0, .status(201))],
      expected: three + [
        "keep /upload at 2", "keep /upload at 6", "keep /upload at 10", "verify",
        "keep /upload at 10 finishing", finish, "done 201 10",
      ]),
    ParallelPieces(
      testDescription: "as each is answered, the next goes", parallel: 2,
      replies: [(0, begun), (1, etag(2)), (2, etag(3)), (0, etag(1)), (0, .status(201))],
      expected: three.dropLast() + [
        "keep /upload at 4", three[5], "keep /upload at 6", "keep /upload at 10", "verify",
        "keep /upload at 10 finishing", finish, "done 201 10",
      ]),
    ParallelPieces(
      testDescription: "a server that is told all pieces takes them at once, unasked",
      parallel: nil,
      replies: [(0, begun), (2, etag(3)), (0, etag(1)), (1, etag(2)), (0, .status(201))],
      expected: three + [
        "keep /upload at 2", "keep /upload at 6", "keep /upload at 10", "verify",
        "keep /upload at 10 finishing", finish, "done 201 10",
      ]),
    ParallelPieces(
      testDescription: "a server that is not told may append them: one after the other",
      parallel: nil,
      change: { $0.finish?.text = nil },
      replies: [(0, begun), (0, etag(1)), (1, etag(2)), (2, etag(3)), (0, .status(201))],
      expected: [
        "POST /upload", "keep /upload at 0", three[3], "keep /upload at 4", three[4],
        "keep /upload at 8", three[5], "keep /upload at 10", "keep /upload at 10 finishing",
        "POST /upload/7", "done 201 10",
      ]),
    ParallelPieces(
      testDescription: "one is lost: the others are waited for, and count",
      replies: [(0, begun), (1, .lost()), (0, etag(1)), (2, etag(3))],
      expected: three + ["keep /upload at 4", "keep /upload at 6", "connection-lost advanced"]),
    ParallelPieces(
      testDescription: "after that none begins", parallel: 2,
      replies: [(0, begun), (0, .status(503)), (1, etag(2))],
      expected: three.dropLast() + ["keep /upload at 4", "http-503 advanced"]),
    ParallelPieces(
      testDescription: "of several failures, the first counts",
      replies: [(0, begun), (1, .status(503)), (0, .lost()), (2, .status(500))],
      expected: three + ["http-503"]),
    ParallelPieces(
      testDescription: "a redirect is followed beside the others",
      replies: [
        (0, begun), (1, .status(307, ["location": "/other"])), (0, etag(1)), (2, etag(3)),
        (1, .lost()),
      ],
      expected: three + [
        "PUT /other 4..<8", "keep /upload at 4", "keep /upload at 6", "connection-lost advanced",
      ]),
    ParallelPieces(
      testDescription: "the upload is forgotten: another begins once all have ended",
      replies: [(0, begun), (0, .status(404)), (2, etag(3)), (1, .status(404)), (0, .status(503))],
      expected: three + [
        "keep /upload at 2", "POST /upload", "http-503 advanced",
      ]),
    ParallelPieces(
      testDescription: "each has its own ticket and digests", parallel: 2,
      change: {
        $0.ticket = Call(method: "GET")
        $0.ticket?.address = .base(template("/t{piece.number}", url: true))
        $0.piece.address = .base(template("/{ticket:/a|url}/{piece.sha1}", url: true))
      }, size: 8,
      replies: [
        (0, begun), (1, ticket("y")), (0, ticket("x")), (0, etag(1)), (1, etag(2)),
        (0, .status(201)),
      ],
      expected: [
        "POST /upload", "keep /upload at 0", "read anew", "digest 0..<4", "GET /upload/t1",
        "digest 4..<8", "GET /upload/t2", "PUT /upload/y/s1 4..<8", "PUT /upload/x/s0 0..<4",
        "keep /upload at 4", "keep /upload at 8", "verify", "keep /upload at 8 finishing",
        "POST /upload/7 <1 e1><2 e2>", "done 201 8",
      ]),
    ParallelPieces(
      testDescription: "no piece follows a ticket after a failure", parallel: 2,
      change: {
        $0.ticket = Call(method: "GET")
        $0.piece.address = .base(template("/{ticket:/a|url}", url: true))
      },
      replies: [(0, begun), (1, .status(503)), (0, ticket("x"))],
      expected: [
        "POST /upload", "keep /upload at 0", "read anew", "GET /upload", "GET /upload", "http-503",
      ]),
    ParallelPieces(
      testDescription: "it goes on in a hole", point: holes,
      replies: [(1, etag(2)), (0, .status(201))],
      expected: [
        "keep /upload at 6 from 6", "PUT /upload/7/002 4..<8", "keep /upload at 10 from 6",
        "verify",
        "keep /upload at 10 from 6 finishing", finish, "done 201 4",
      ]),
    ParallelPieces(
      testDescription: "one at a time also goes on in a hole", parallel: 1, point: holes,
      replies: [(1, etag(2)), (0, .status(201))],
      expected: [
        "keep /upload at 6 from 6", "PUT /upload/7/002 4..<8", "keep /upload at 10 from 6",
        "verify",
        "keep /upload at 10 from 6 finishing", finish, "done 201 4",
      ]),
    ParallelPieces(
      testDescription: "it goes on after pieces that went one at a time",
      point: { kept($0, at: 4) }, replies: [(2, etag(3)), (1, etag(2)), (0, .status(201))],
      expected: [
        "keep /upload at 4 from 4", "PUT /upload/7/002 4..<8", "PUT /upload/7/003 8..<10",
        "keep /upload at 6 from 4",
        "keep /upload at 10 from 4", "verify", "keep /upload at 10 from 4 finishing", finish,
        "done 201 6",
      ]),
    ParallelPieces(
      testDescription: "pieces that do not add up are no place to go on from",
      point: { rules in
        kept(rules, at: 8) { $0.done = PieceSet(first: 1) }
      }, replies: [(0, .status(204)), (0, .status(503))],
      expected: ["forget", "DELETE /upload/7", "POST /upload", "http-503"]),
    ParallelPieces(
      testDescription: "the file has changed meanwhile: nothing is finished",
      trouble: .changed(.modified),
      replies: [(0, begun), (2, etag(3)), (0, etag(1)), (1, etag(2)), (0, .status(204))],
      expected: three + [
        "keep /upload at 2", "keep /upload at 6", "keep /upload at 10", "verify", "forget",
        "DELETE /upload/7", "changed advanced",
      ]),
    ParallelPieces(
      testDescription: "the file cannot be read at the end: the pieces stay",
      trouble: .unreadable("no"),
      replies: [(0, begun), (2, etag(3)), (0, etag(1)), (1, etag(2))],
      expected: three + [
        "keep /upload at 2", "keep /upload at 6", "keep /upload at 10", "verify",
        "unreadable advanced",
      ]),
    ParallelPieces(
      testDescription: "an empty file is one empty piece", size: 0,
      replies: [(0, begun), (0, etag(1)), (0, .status(201))],
      expected: [
        "POST /upload", "keep /upload at 0", "read anew", "PUT /upload/7/001 0..<0",
        "keep /upload at 0", "verify", "keep /upload at 0 finishing", "POST /upload/7 <1 e1>",
        "done 201 0",
      ]),
  ]

  private static func ticket(_ text: String) -> ServerReply {
    ServerReply(status: 200, text: "{\"a\": \"\(text)\"}")
  }

  @Test(arguments: parallel)
  func several(_ pieces: ParallelPieces) throws { try pieces.check() }

  @Test("a set of pieces has few runs, and is read as it was written")
  func sets() throws {
    var set = PieceSet()
    for index in [3, 1, 0, 5, 4, 1, 9] { set.insert(index) }
    #expect(set.ranges == [0..<2, 3..<6, 9..<10])
    #expect(set.firstMissing(before: 10, without: []) == 2)
    #expect(set.firstMissing(before: 10, without: [2, 6]) == 7)
    #expect(set.firstMissing(before: 2, without: []) == nil)
    #expect(set.ranges(of: 4, in: 38) == [0..<8, 12..<24, 36..<38])
    let text = try JSONEncoder().encode(set)
    #expect(String(decoding: text, as: UTF8.self) == "[0,2,3,6,9,10]")
    #expect(try JSONDecoder().decode(PieceSet.self, from: text) == set)
    for bad in ["[1]", "[2,1]", "[0,2,2,3]", "[-1,2]"] {
      #expect(try JSONDecoder().decode(PieceSet.self, from: Data(bad.utf8)).isEmpty)
    }
  }
}
