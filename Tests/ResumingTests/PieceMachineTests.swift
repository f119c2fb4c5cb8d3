import Foundation
import JSONText
import MultipartForm
import Testing

@testable import UploadModel

@Suite("What a server is asked next that takes files in pieces")
struct PieceMachineTests {
  private typealias Slot = Template.Placeholder

  static func template(_ text: String, url: Bool = false) -> Template {
    let scope = Slot.ofUpload + Slot.ofPiece + [.begun, .pieceValue, .pieces, .ticket]
    let lookup = Template.Lookup(environment: { _ in nil })
    return (try? Template(text, scope: scope, escaping: url ? .url : .none, lookup: lookup))
      ?? Template(literal: "a mistake in the test")
  }

  private static func value(_ name: String, header: String) -> Call.Value {
    Call.Value(name: name, place: ReplyValue(.header(header)))
  }

  private static func call(
    _ method: String, _ suffix: String = "", _ change: (inout Call) -> Void = { _ in }
  ) -> Call {
    var call = Call(method: method)
    call.address = .base(template(suffix, url: true))
    change(&call)
    return call
  }

  /// Pieces of 4 bytes, one after the other: begin gives an identifier, each piece an ETag, and finish names them all.
  static func rules(_ change: (inout PieceRules) -> Void = { _ in }) -> ResumeRules {
    var pieces = PieceRules()
    (pieces.size, pieces.parallel) = (4, 1)
    pieces.begin = call("POST") { $0.values = [value("id", header: "x-id")] }
    pieces.piece = call("PUT", "/{begin.id}/{piece.number|03}") {
      $0.values = [value("etag", header: "etag")]
    }
    pieces.each = PieceRules.Each(template("<{piece.number} {piece.etag}>"), separator: "")
    pieces.finish = call("POST", "/{begin.id}") { $0.text = template("{pieces}") }
    pieces.abort = call("DELETE", "/{begin.id}")
    change(&pieces)
    var rules = ResumeRules()
    rules.pieces = pieces
    return rules
  }

  /// A server that says how much it has, without a request that finishes.
  private static func reporting(_ change: (inout PieceRules) -> Void = { _ in }) -> ResumeRules {
    var offset = Call.Offset(.header("range"))
    offset.pattern = try? Pattern("-([0-9]+)$")
    (offset.plus, offset.missing) = (1, .nothing)
    return rules {
      ($0.each, $0.finish) = (nil, nil)
      $0.begin?.values = [value("place", header: "location")]
      $0.piece = Call(method: "PUT")
      $0.piece.address = .reply(template("{begin.place}"))
      ($0.piece.rules.ok, $0.piece.offset) = ([308...308], offset)
      $0.status = Call(method: "PUT")
      $0.status?.address = .reply(template("{begin.place}"))
      $0.status?.rules.ok = [308...308]
      $0.status?.offset = offset
      $0.abort = nil
      change(&$0)
    }
  }

  /// A server that must not get a piece twice, and knows at the end whether it has them all.
  private static func counting(
    _ change: (inout PieceRules) -> Void = { _ in }
  ) -> ResumeRules {
    rules {
      $0.each = nil
      $0.finish = call("POST", "/{begin.id}")
      ($0.piece.values, $0.unanswered) = ([], .taken)
      change(&$0)
    }
  }

  static func kept(
    _ rules: ResumeRules, at offset: Int64, _ change: (inout PieceProgress) -> Void = { _ in }
  ) -> ResumePoint {
    var progress = PieceProgress(id: "old", size: 4, seal: rules.pieces?.seal([:]) ?? "")
    progress.begun = ["id": "7", "place": "https://a.example/s/1"]
    progress.kept = (0..<Int(offset / 4)).map { ["e\($0 + 1)"] }
    progress.hasTaken = offset > 0
    change(&progress)
    return ResumePoint(
      url: Conversation.url("https://a.example/upload"), target: "t",
      identity: Conversation.identity, offset: offset, pieces: progress)
  }

  static func etag(_ number: Int) -> ServerReply { .status(200, ["etag": "e\(number)"]) }
  static let begun = ServerReply.status(200, ["x-id": "7"])
  private static let placed = ServerReply.status(200, ["location": "https://a.example/s/1"])
  private static func taken(_ last: Int) -> ServerReply {
    .status(308, ["range": "bytes=0-\(last)"])
  }

  private static func row(
    _ description: String, by rules: ResumeRules = rules(), size: Int64 = 10,
    from point: ResumePoint? = nil, because loss: ResumePoint.Loss? = nil,
    _ replies: [ServerReply], _ expected: [String]
  ) -> Conversation {
    Conversation(
      testDescription: description, rules: rules, size: size, point: point, loss: loss,
      replies: replies, expected: expected)
  }

  /// A good reply to finish has `</Result>`.
  private static let proving = rules {
    $0.finish?.rules.failures = ["<Error>.*", "</Result>"].compactMap { source in
      (try? Pattern(source)).map {
        FailureRule(.pattern($0), test: .equals(.bool(source.hasSuffix("*"))))
      }
    }
    $0.finish?.rules.unreadable = .unknown
  }

  static let finish = "POST /upload/7 <1 e1><2 e2><3 e3>"

  static let all: [Conversation] = [
    row(
      "a whole upload", [begun, etag(1), etag(2), etag(3), .status(201)],
      [
        "POST /upload", "keep /upload at 0", "PUT /upload/7/001 0..<4", "keep /upload at 4",
        "PUT /upload/7/002 4..<8", "keep /upload at 8", "PUT /upload/7/003 8..<10",
        "keep /upload at 10", "keep /upload at 10 finishing", finish, "done 201 10",
      ]),
    row(
      "an empty file is one empty piece", size: 0, [begun, etag(1), .status(201)],
      [
        "POST /upload", "keep /upload at 0", "PUT /upload/7/001 0..<0", "keep /upload at 0",
        "keep /upload at 0 finishing", "POST /upload/7 <1 e1>", "done 201 0",
      ]),
    row(
      "it goes on after the pieces that are there", from: kept(rules(), at: 8),
      [etag(3), .status(201)],
      [
        "keep /upload at 8 from 8", "PUT /upload/7/003 8..<10", "keep /upload at 10 from 8",
        "keep /upload at 10 from 8 finishing", finish, "done 201 2",
      ]),
    row(
      "a piece is lost: the attempt ends, and has advanced", [begun, etag(1), .lost()],
      [
        "POST /upload", "keep /upload at 0", "PUT /upload/7/001 0..<4", "keep /upload at 4",
        "PUT /upload/7/002 4..<8", "connection-lost advanced",
      ]),
    row(
      "begin is refused", [.status(403)], ["POST /upload", "http-403"]),
    row(
      "begin does not say what is asked of it", [.status(200)], ["POST /upload", "unusable-answer"]),
    row(
      "a piece has no ETag", [begun, .status(200)],
      ["POST /upload", "keep /upload at 0", "PUT /upload/7/001 0..<4", "unusable-answer advanced"]),
    row(
      "the server has forgotten the upload: it starts over once", from: kept(rules(), at: 8),
      [.status(404), begun, .status(404)],
      [
        "keep /upload at 8 from 8", "PUT /upload/7/003 8..<10", "POST /upload",
        "keep /upload at 0 forgotten",
        "PUT /upload/7/001 0..<4", "forget", "http-404",
      ]),
    row(
      "so says a reply in its own words",
      by: rules {
        $0.forgotten = [
          FailureRule(.header("x-error"), test: .equalsText(Template(literal: "gone")))
        ]
      },
      from: kept(
        rules {
          $0.forgotten = [
            FailureRule(.header("x-error"), test: .equalsText(Template(literal: "gone")))
          ]
        }, at: 8), [.status(400, ["x-error": "gone"]), .status(400)],
      ["keep /upload at 8 from 8", "PUT /upload/7/003 8..<10", "POST /upload", "http-400"]),
    row(
      "the reply to finish was lost, and then the upload is gone: nobody can tell",
      from: kept(rules(), at: 10) {
        $0.kept.append(["e3"])
        $0.isFinishing = true
      }, [.status(404)],
      ["keep /upload at 10 from 10 finishing", finish, "forget", "outcome-unknown, may be whole"]),
    row(
      "the reply to finish was lost, and it is finished again",
      from: kept(rules(), at: 10) {
        $0.kept.append(["e3"])
        $0.isFinishing = true
      }, [.status(200)], ["keep /upload at 10 from 10 finishing", finish, "done 200 0"]),
    row(
      "the reply to finish is lost",
      from: kept(rules(), at: 10) { $0.kept.append(["e3"]) }, [.lost()],
      [
        "keep /upload at 10 from 10", "keep /upload at 10 from 10 finishing", finish,
        "connection-lost, may be whole",
      ]),
    row(
      "the reply to finish says neither yes nor no",
      by: proving, from: kept(proving, at: 10) { $0.kept.append(["e3"]) },
      [ServerReply(status: 200, text: "<html>Welcome</html>")],
      [
        "keep /upload at 10 from 10", "keep /upload at 10 from 10 finishing", finish,
        "unusable-answer, may be whole",
      ]),
    row(
      "the reply to finish says no: the server is done with the upload",
      by: proving, from: kept(proving, at: 10) { $0.kept.append(["e3"]) },
      [ServerReply(status: 200, text: "<Error>EntityTooSmall</Error>")],
      [
        "keep /upload at 10 from 10", "keep /upload at 10 from 10 finishing", finish, "forget",
        "rejected",
      ]),
    row(
      "the reply to finish breaks off",
      by: proving, from: kept(proving, at: 10) { $0.kept.append(["e3"]) },
      [ServerReply(status: 200, trouble: .connectionLost("reset"), text: "<Res")],
      [
        "keep /upload at 10 from 10", "keep /upload at 10 from 10 finishing", finish,
        "connection-lost, may be whole",
      ]),
    row(
      "a gateway answers finish in the server's place",
      from: kept(rules(), at: 10) { $0.kept.append(["e3"]) }, [.status(524)],
      [
        "keep /upload at 10 from 10", "keep /upload at 10 from 10 finishing", finish,
        "http-524, may be whole",
      ]),
    row(
      "finish does not leave",
      from: kept(rules(), at: 10) { $0.kept.append(["e3"]) },
      [ServerReply(trouble: .connectionRefused("no"), sentAll: false)],
      [
        "keep /upload at 10 from 10", "keep /upload at 10 from 10 finishing", finish,
        "keep /upload at 10 from 10", "connection-refused",
      ]),
    row(
      "finish is refused after its reply was lost",
      from: kept(rules(), at: 10) {
        $0.kept.append(["e3"])
        $0.isFinishing = true
      }, [.status(409)],
      ["keep /upload at 10 from 10 finishing", finish, "http-409, may be whole"]),
    row(
      "values that another program wrote are too few", from: kept(rules(), at: 8) { $0.kept = [] },
      [.status(204), .status(503)], ["forget", "DELETE /upload/7", "POST /upload", "http-503"]),
    row(
      "finish is refused: the pieces stay", from: kept(rules(), at: 10) { $0.kept.append(["e3"]) },
      [.status(500)],
      [
        "keep /upload at 10 from 10", "keep /upload at 10 from 10 finishing", finish,
        "http-500, may be whole",
      ]),
    row(
      "the file has changed: the server forgets the upload, and another begins",
      from: kept(rules(), at: 8), because: .fileChanged, [.status(204), .status(503)],
      ["forget", "DELETE /upload/7", "POST /upload", "http-503"]),
    row(
      "the file may have changed, and finish may have been reached: nobody can tell",
      from: kept(rules(), at: 10) { $0.isFinishing = true }, because: .fileUncertain, [],
      ["forget", "outcome-unknown"]),
    row(
      "the last piece must not arrive twice, and may have finished the upload: nobody can tell",
      by: rules {
        $0.unanswered = .restart
        ($0.each, $0.finish) = (nil, nil)
      },
      from: kept(
        rules {
          $0.unanswered = .restart
          ($0.each, $0.finish) = (nil, nil)
        }, at: 8
      ) { ($0.isUnderWay, $0.isFinishing) = (true, true) }, [],
      ["forget", "outcome-unknown"]),
    row(
      "the requests are described otherwise now",
      from: kept(rules { $0.begin?.method = "PUT" }, at: 8), [.status(404), .status(503)],
      ["forget", "DELETE /upload/7", "POST /upload", "http-503"]),
    row(
      "a piece that may have arrived must not arrive twice",
      by: rules { $0.unanswered = .restart },
      from: kept(rules { $0.unanswered = .restart }, at: 4) { $0.isUnderWay = true },
      [.status(204), .status(503)],
      ["forget", "DELETE /upload/7", "POST /upload", "http-503"]),
    row(
      "a piece that may have arrived counts as taken, if the server tells at the end",
      by: counting(), from: kept(counting(), at: 4) { $0.isUnderWay = true },
      [.status(200), .status(400)],
      [
        "keep /upload at 8 from 8", "PUT /upload/7/003 8..<10", "keep /upload at 8 from 8",
        "keep /upload at 10 from 8", "keep /upload at 10 from 8 finishing", "POST /upload/7",
        "http-400 advanced",
      ]),
    row(
      "but not the first, whose reply gives what the others need",
      by: counting { $0.beginning = [value("id", header: "x-id")] },
      from: kept(counting { $0.beginning = [value("id", header: "x-id")] }, at: 0) {
        $0.isUnderWay = true
      },
      [.status(204), .status(503)],
      ["forget", "DELETE /upload/7", "POST /upload", "http-503"]),
    row(
      "a piece that was refused has not arrived",
      by: counting(), from: kept(counting(), at: 4), [.status(429)],
      [
        "keep /upload at 4 from 4", "PUT /upload/7/002 4..<8", "keep /upload at 4 from 4",
        "keep /upload at 4 from 4", "http-429",
      ]),
    row(
      "what another program wrote is no place to go on from", from: kept(rules(), at: 11),
      [.status(204), .status(503)],
      ["forget", "DELETE /upload/7", "POST /upload", "http-503"]),
    row(
      "a status that neither means success here nor for the whole", [begun, .status(302)],
      ["POST /upload", "keep /upload at 0", "PUT /upload/7/001 0..<4", "redirected"]),
    row(
      "a status that means success for the whole only",
      by: rules { $0.piece.rules.ok = [202...202] }, [begun, etag(1)],
      ["POST /upload", "keep /upload at 0", "PUT /upload/7/001 0..<4", "unusable-answer"]),
    row(
      "a redirect is followed", [begun, .status(307, ["location": "/other"]), .lost()],
      [
        "POST /upload", "keep /upload at 0", "PUT /upload/7/001 0..<4", "PUT /other 0..<4",
        "connection-lost",
      ]),
    // A server that says how much it has.
    row(
      "it may take less than was sent", by: reporting(),
      [placed, taken(2), taken(6), .status(200)],
      [
        "POST /upload", "keep /upload at 0", "PUT /s/1 0..<4", "keep /upload at 3",
        "PUT /s/1 3..<7", "keep /upload at 7", "PUT /s/1 7..<10", "keep /upload at 7 finishing",
        "done 200 10",
      ]),
    row(
      "also of the last piece", by: reporting(),
      [placed, taken(3), taken(7), taken(8), .status(201)],
      [
        "POST /upload", "keep /upload at 0", "PUT /s/1 0..<4", "keep /upload at 4",
        "PUT /s/1 4..<8", "keep /upload at 8", "PUT /s/1 8..<10", "keep /upload at 8 finishing",
        "keep /upload at 9 finishing", "PUT /s/1 9..<10", "keep /upload at 9 finishing",
        "done 201 10",
      ]),
    row(
      "it is asked before the upload goes on", by: reporting(), from: kept(reporting(), at: 4),
      [taken(6), .status(200)],
      [
        "PUT /s/1", "keep /upload at 7 from 7", "PUT /s/1 7..<10",
        "keep /upload at 7 from 7 finishing", "done 200 3",
      ]),
    row(
      "it says that the upload was finished", by: reporting(), from: kept(reporting(), at: 4),
      [.status(201)], ["PUT /s/1", "done 201 10"]),
    row(
      "it has lost what it had", by: reporting(), from: kept(reporting(), at: 4), [.status(308)],
      ["PUT /s/1", "forget", "resume-offset-went-back"]),
    row(
      "it takes nothing, again and again", by: reporting(),
      [placed, .status(308), .status(308), .status(308)],
      [
        "POST /upload", "keep /upload at 0", "PUT /s/1 0..<4", "PUT /s/1 0..<4", "PUT /s/1 0..<4",
        "resume-offset-stuck",
      ]),
    row(
      "an address without TLS is no place for what was asked for with it", by: reporting(),
      [.status(200, ["location": "http://b.example/s"])],
      ["POST /upload", "keep /upload at 0", "unencrypted"]),
    row(
      "another server named the address at home: no credentials go there",
      by: reporting {
        $0.begin?.address = .own(template("https://b.example/begin", url: true))
      }, [placed, .lost()],
      [
        "POST /begin", "keep /upload at 0", "PUT /s/1 0..<4 without credentials",
        "connection-lost",
      ]),
    row(
      "an identifier comes with the reply to the first piece",
      by: rules {
        $0.begin = nil
        $0.beginning = [value("id", header: "x-id")]
      }, size: 8, [.status(200, ["x-id": "7", "etag": "e1"]), etag(2), .status(200)],
      [
        "keep /upload at 0", "PUT /upload//001 0..<4", "keep /upload at 4",
        "PUT /upload/7/002 4..<8", "keep /upload at 8", "keep /upload at 8 finishing",
        "POST /upload/7 <1 e1><2 e2>", "done 200 8",
      ]),
    row(
      "digests of pieces are kept for the list",
      by: rules { $0.each = PieceRules.Each(template("\"{piece.sha1}\"")) }, size: 5,
      [begun, etag(1), etag(2), .status(200)],
      [
        "POST /upload", "keep /upload at 0", "digest 0..<4", "PUT /upload/7/001 0..<4",
        "keep /upload at 4", "digest 4..<5", "PUT /upload/7/002 4..<5", "keep /upload at 5",
        "keep /upload at 5 finishing", "POST /upload/7 [\"da39\",\"da39\"]", "done 200 5",
      ]),
  ]

  @Test(arguments: all)
  func conversation(_ conversation: Conversation) throws { try conversation.check() }

  /// The target's rules do not speak of the reply that says how much the server has.
  @Test("What would have been read in the lost reply to the last piece is unknown")
  func lost() throws {
    let rules = Self.reporting()
    var row = Self.row(
      "all of it is there, and its reply is lost", by: rules, from: Self.kept(rules, at: 4),
      [Self.taken(9)], ["PUT /s/1", "keep /upload at 10 from 10", "outcome-unknown"])
    row.failures = [try FailureSign.valueIs.rule()]
    try row.check()
  }

  @Test(
    "the size of pieces obeys all bounds",
    arguments: [
      // File, wanted, min, max, round, most and fewest pieces, and the size that comes of it.
      (10, 4, 1, nil, 1, 10, 1, 4), (100, 4, 1, nil, 1, 10, 1, 10), (101, 4, 1, nil, 1, 10, 1, 11),
      (100, 4, 1, nil, 8, 10, 1, 16), (100, 4, 20, nil, 1, 10, 1, 20),
      (100, 40, 1, 30, 1, 10, 1, 30), (100, 40, 1, 30, 8, 10, 1, 24),
      (100, 90, 1, nil, 1, 10, 4, 25),
      (0, 4, 1, nil, 1, 10, 2, 1), (100, 4, 1, 9, 1, 10, 1, nil),
    ] as [(Int64, Int64, Int64, Int64?, Int64, Int, Int, Int64?)])
  func sizes(
    _ row: (Int64, Int64, Int64, Int64?, Int64, Int, Int, Int64?)
  ) throws {
    var rules = PieceRules()
    (rules.size, rules.min, rules.max, rules.round) = (row.1, row.2, row.3, row.4)
    (rules.maxPieces, rules.minPieces) = (row.5, row.6)
    guard let expected = row.7 else {
      #expect(throws: Failure.Cause.self) { try rules.size(for: row.0) }
      return
    }
    let size = try rules.size(for: row.0)
    #expect(size == expected)
    #expect(PieceRules.count(of: size, for: row.0) <= row.5)
  }
}
