import Digests
import Foundation
import JSONText
import MultipartForm
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

@Suite("A server is asked whether it has a file already", .timeLimit(.minutes(5)))
struct ExistenceTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// What the server answers to the question, what becomes of the file, and whether it was sent.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    var body = ""
    var hasSigns = false
    /// Whether `/action` says so if it is not "accept".
    var isNegated = false
    /// Whether it is there if there is no `/action`.
    var isMissing = false
    /// What a text says.
    var pattern: String?
    let code: String
    var isSent = false
    var wasThere = false
  }

  static let rows: [Row] = [
    Row(testDescription: "there by its status", status: 200, code: "done 200", wasThere: true),
    Row(testDescription: "not there", status: 404, code: "done 201", isSent: true),
    Row(testDescription: "gone", status: 410, code: "done 201", isSent: true),
    Row(
      testDescription: "there by its reply", status: 200, body: #"{"action":"reject"}"#,
      hasSigns: true, code: "done 200", wasThere: true),
    Row(
      testDescription: "not there by its reply", status: 200, body: #"{"action":"accept"}"#,
      hasSigns: true, code: "done 201", isSent: true),
    Row(
      testDescription: "a page instead of a reply", status: 200, body: "<html>Log in</html>",
      hasSigns: true, code: "unusable-answer"),
    Row(
      testDescription: "a text that says so", status: 200, body: "we have it", pattern: "have it",
      code: "done 200", wasThere: true),
    Row(
      testDescription: "a text that says nothing of it", status: 200, body: "<p>no</p>",
      pattern: "have it", code: "done 201", isSent: true),
    Row(
      testDescription: "a reply without what must be different", status: 200, body: "{}",
      hasSigns: true, isNegated: true, code: "done 201", isSent: true),
    Row(
      testDescription: "a reply without what would be missing", status: 200, body: "{}",
      hasSigns: true, isMissing: true, code: "done 200", wasThere: true),
    Row(
      testDescription: "a reply with null for it", status: 200, body: #"{"action":null}"#,
      hasSigns: true, isMissing: true, code: "done 200", wasThere: true),
    Row(
      testDescription: "a reply with what would be missing", status: 200,
      body: #"{"action":{}}"#, hasSigns: true, isMissing: true, code: "done 201", isSent: true),
    Row(
      testDescription: "a page in which everything is missing", status: 200, body: "<p>",
      hasSigns: true, isMissing: true, code: "unusable-answer"),
    Row(
      testDescription: "a reply that cannot tell", status: 200, body: "busy", hasSigns: true,
      code: "unusable-answer"),
    Row(testDescription: "no answer that counts", status: 500, code: "http-500"),
  ]

  private func target(_ server: HostileServer, _ row: Row) throws -> Target {
    var target = Target.once(server.url("/up"))
    let url = try Template(
      server.url("/has/").absoluteString + "{file.sha1}", escaping: .url,
      lookup: Template.Lookup(environment: { _ in nil }))
    var check = ExistenceCheck(call: Call(url: url))
    if row.hasSigns {
      check.signs = [
        FailureRule(
          .pointer(try JSONPointer("/action")),
          test: row.isMissing
            ? .missing(true)
            : row.isNegated ? .differs(.string("accept")) : .equals(.string("reject")))
      ]
    }
    if let pattern = row.pattern {
      check.signs = [FailureRule(.pattern(try Pattern(pattern)), test: .equals(.bool(true)))]
    }
    target.exists = check
    return target
  }

  @Test(arguments: rows)
  func answers(_ row: Row) async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let (status, body) = request.line.hasPrefix("GET ") ? (row.status, row.body) : (201, "")
        connection.send(
          "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
    }
    defer { server.stop() }
    let file = try folder.write("a", Array("abc".utf8))
    let harness = EngineHarness()
    let end = try #require(await harness.upload([file], to: try target(server, row)).first)
    #expect(end.code == row.code, "\(end)")
    let requests = server.requests.map { String($0.line.prefix(14)) }
    #expect(requests == ["GET /has/a9993", "POST /up HTTP/"].dropLast(row.isSent ? 0 : 1))
    if case .done(let receipt) = end { #expect(receipt.wasThere == row.wasThere) }
    if let failure = end.failure { #expect(failure.step == .existence) }
  }

  /// S3 forbids the question about a file that it does not have, if the keys may not list the bucket.
  @Test func aForbiddenQuestionIsNoStatementAboutTheCredentials() async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let status = request.line.hasPrefix("GET ") ? "403 Forbidden" : "201 Created"
        connection.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let row = Row(testDescription: "", status: 403, code: "http-403")
    var target = try target(server, row)
    let runs = folder.path("runs")
    target.tokenCommand = TokenCommand(["sh", "-c", "echo >> \(runs); echo t"])
    target.retry.attempts = 3
    let files = try (1...5).map { try folder.write("f\($0)", Array("\($0)".utf8)) }
    let harness = EngineHarness(lanes: 1)
    let ends = await harness.upload(files, to: target)
    #expect(ends.map(\.code) == Array(repeating: "http-403", count: 5), "\(ends)")
    #expect(server.requests.count == 5 && harness.refusals.isEmpty, "\(harness.refusals)")
    #expect(try String(contentsOfFile: runs, encoding: .utf8).count == 1)
    let explanation = try #require(ends.first?.failure?.explanation)
    #expect(explanation.contains("whether the server has the file already (exists): 403 Forbidden"))
    #expect(!explanation.contains("uploads"), "\(explanation)")
  }

  /// A sign and an answer by which the file is there, and whether they prove it well enough to delete the file.
  struct Proof: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var sign: (place: String, test: FailureRule.Test)?
    var body: String
    var isRedirected = false
    var isProof = false
    var code = "done 200"
  }

  static let proofs = [
    Proof(testDescription: "a status", body: "", isProof: true),
    Proof(
      testDescription: "a status from elsewhere", body: "<p>Log in", isRedirected: true,
      code: "unusable-answer"),
    Proof(
      testDescription: "a value", sign: ("/action", .equals(.string("reject"))),
      body: #"{"action":"reject"}"#, isProof: true),
    Proof(
      testDescription: "a value from elsewhere", sign: ("/action", .equals(.string("reject"))),
      body: #"{"action":"reject"}"#, isRedirected: true),
    Proof(
      testDescription: "a value of the same kind", sign: ("/action", .differs(.string("accept"))),
      body: #"{"action":"reject"}"#, isProof: true),
    Proof(
      testDescription: "a missing member of any object", sign: ("/action", .missing(true)),
      body: #"{"error":"log in"}"#),
    Proof(
      testDescription: "a missing member of a named object",
      sign: ("/file/action", .missing(true)), body: #"{"file":{}}"#, isProof: true),
    Proof(
      testDescription: "a value that is there", sign: ("/id", .missing(false)),
      body: #"{"id":1}"#, isProof: true),
    Proof(
      testDescription: "a match", sign: ("known", .equals(.bool(true))), body: "known",
      isProof: true),
    Proof(testDescription: "no match", sign: ("unknown", .differs(.bool(true))), body: "<p>Log in"),
    Proof(
      testDescription: "no match, put otherwise", sign: ("unknown", .equals(.bool(false))),
      body: "x"),
    Proof(testDescription: "no header field", sign: ("X-Action:", .missing(true)), body: ""),
  ]

  @Test("what proves that a file may be deleted", arguments: proofs)
  func proof(_ row: Proof) async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let status = row.isRedirected && request.line.contains("/has/") ? 307 : 200
        connection.send(
          "HTTP/1.1 \(status) X\r\nLocation: /login\r\nContent-Length: \(row.body.utf8.count)\r\n\r\n\(row.body)"
        )
      }
    }
    defer { server.stop() }
    var target = try target(server, Self.rows[0])
    target.after.way = .delete
    if let (place, test) = row.sign {
      let found: ReplyPlace =
        if place.hasPrefix("/") {
          .pointer(try JSONPointer(place))
        } else if place.hasSuffix(":") {
          .header(place.dropLast().lowercased())
        } else {
          .pattern(try Pattern(place))
        }
      target.exists?.signs = [FailureRule(found, test: test)]
    }
    let file = try folder.write("a", Array("abc".utf8))
    let end = try #require(await EngineHarness().upload([file], to: target).first)
    #expect(end.code == row.code, "\(end)")
    #expect((end.receipt?.disposal != nil) == row.isProof, "\(end)")
    #expect((end.receipt?.disposal?.moment != nil) == row.isProof, "\(end)")
  }

  @Test("in a request of several files, only those go that are not there")
  func batch() async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let isThere = request.line.contains("/has/86f7e")
        let status = request.line.hasPrefix("GET ") ? (isThere ? 200 : 404) : 201
        connection.send("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let files = try ["a", "b", "c"].map { try folder.write($0, Array($0.utf8)) }
    var target = try target(server, Self.rows[0])
    target.batch = BatchRule(maxFiles: 10)
    let ends = await EngineHarness().upload(files, to: target)
    #expect(ends.map(\.code) == ["done 200", "done 201", "done 201"], "\(ends)")
    let sent = server.requests.filter { $0.line.hasPrefix("POST ") }
    #expect(sent.count == 1)
    #expect(!String(decoding: sent[0].body, as: UTF8.self).contains("filename=\"a\""))
  }

  @Test("after a reply that was lost, the next attempt finds the file there")
  func lostReply() async throws {
    let isStored = Mutex(false)
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        guard request.line.hasPrefix("GET ") else {
          isStored.withLock { $0 = true }
          return connection.reset()
        }
        let status = isStored.withLock { $0 } ? 200 : 404
        // What breaks on a kept connection would be sent again at once.
        connection.send("HTTP/1.1 \(status) X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let file = try folder.write("a", count: 3)
    var target = try target(server, Self.rows[0])
    target.retry = RetryPolicy(attempts: 2, base: 0, isIdempotent: true)
    let end = try #require(await EngineHarness().upload([file], to: target).first)
    guard case .done(let receipt) = end else {
      Issue.record("\(end)")
      return
    }
    #expect(receipt.wasThere && receipt.attempts == 2)
    #expect(server.requests.count { $0.line.hasPrefix("POST ") } == 1)
  }

  @Test("a token that the question was refused with is renewed")
  func token() async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let isKnown = request.headers["authorization"] == "Bearer t2"
        let status = !isKnown ? 401 : request.line.hasPrefix("GET ") ? 404 : 201
        connection.send(
          "HTTP/1.1 \(status) X\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let file = try folder.write("a", count: 3)
    var target = try target(server, Self.rows[0])
    target.tokenCommand = TokenCommand([
      "sh", "-c", "echo >> \(folder.path)/runs; echo \"t$(wc -l < \(folder.path)/runs)\"",
    ])
    let ends = await EngineHarness().upload([file], to: target)
    #expect(ends.map(\.code) == ["done 201"], "\(ends)")
    #expect(server.requests.count == 3)
  }

  /// A target that is asked about several files at once, by a list of `/checks` that each name what `/results/*/known`
  /// says of them.
  private func target(askedAbout most: Int, _ server: HostileServer) throws -> Target {
    let lookup = Template.Lookup(environment: { _ in nil })
    var target = Target.once(server.url("/up"))
    target.concurrency = 1
    var check = ExistenceCheck(
      call: Call(
        url: Template(literal: server.url("/has").absoluteString), method: "POST",
        json: try Template(
          #"{{"checks":"#, scope: [.files], lookup: lookup)
          + Template("{files}", scope: [.files], escaping: .json, lookup: lookup)
          + Template(literal: "}")))
    check.each = try Template(
      #"{{"n":{index},"sum":"{file.sha1}"}}"#, lookup: lookup)
    check.maxFiles = most
    check.signs = [
      FailureRule(.pointer(try JSONPointer("/results/*/known")), test: .equals(.bool(true)))
    ]
    check.call.rules.url = ReplyValue(.pointer(try JSONPointer("/results/*/url")))
    target.exists = check
    return target
  }

  /// The numbers and sums of a question.
  private static func checks(in body: [UInt8]) -> [JSONValue] {
    guard case .object(let root)? = JSONValue(text: String(decoding: body, as: UTF8.self)),
      case .array(let checks)? = root["checks"]
    else { return [] }
    return checks
  }

  /// A server that answers questions about several files. Files of one letter up to "m" are there.
  private func bulkServer(
    _ answer: @escaping @Sendable ([JSONValue]) -> (status: Int, body: String)
  ) throws -> HostileServer {
    try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let (status, body) =
          request.line.hasPrefix("POST /has") ? answer(Self.checks(in: request.body)) : (201, "")
        connection.send(
          "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
    }
  }

  private static func sum(of check: JSONValue) -> String {
    if case .object(let check) = check, case .string(let sum)? = check["sum"] { sum } else { "" }
  }

  private static let letters = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { [$0] }
  private static let sums = letters.map { SHA1.hash($0).hexadecimal }
  private static let known = Set(sums.prefix(13))

  private static func results(for checks: [JSONValue]) -> String {
    let results = checks.map(sum).map { sum in
      #"{"known":\#(known.contains(sum)),"url":"/at/\#(sum)"}"#
    }
    return #"{"results":[\#(results.joined(separator: ","))]}"#
  }

  private func alphabet() throws -> [String] {
    try Self.letters.map { try folder.write(String(decoding: $0, as: UTF8.self), $0) }
  }

  @Test("one question is about many files, and those that are not there are sent without another")
  func bulk() async throws {
    let server = try bulkServer { (200, Self.results(for: $0)) }
    defer { server.stop() }
    let ends = await EngineHarness().upload(
      try alphabet(), to: try target(askedAbout: 10, server))
    #expect(ends.prefix(13).allSatisfy { $0.code == "done 200" }, "\(ends)")
    #expect(ends.dropFirst(13).allSatisfy { $0.code == "done 201" }, "\(ends)")
    for (index, end) in ends.prefix(13).enumerated() {
      guard case .done(let receipt) = end else { continue }
      #expect(receipt.wasThere)
      #expect(receipt.url == server.url("/at/\(Self.sums[index])").absoluteString)
    }
    let asked = server.requests.filter { $0.line.hasPrefix("POST /has") }.map {
      Self.checks(in: $0.body)
    }
    #expect(asked.flatMap { $0 }.map(Self.sum).sorted() == Self.sums.sorted())
    #expect(asked.allSatisfy { $0.count <= 10 } && asked.count <= 5, "\(asked.map(\.count))")
    #expect(server.requests.count { $0.line.hasPrefix("POST /up") } == 13)
  }

  @Test("in batches, those that are not there share a request")
  func bulkThenBatch() async throws {
    let server = try bulkServer { (200, Self.results(for: $0)) }
    defer { server.stop() }
    var target = try target(askedAbout: 26, server)
    target.batch = BatchRule(maxFiles: 13)
    let ends = await EngineHarness().upload(try alphabet(), to: target)
    #expect(
      ends.count { $0.code == "done 200" } == 13 && ends.count { $0.code == "done 201" } == 13)
    #expect(server.requests.count { $0.line.hasPrefix("POST /has") } <= 2)
    #expect(server.requests.count { $0.line.hasPrefix("POST /up") } <= 2)
  }

  @Test("a question that is refused because of one file is asked about fewer")
  func poisoned() async throws {
    let bad = Self.sums[3]
    let server = try bulkServer { checks in
      checks.map(Self.sum).contains(bad) ? (400, "what?") : (200, Self.results(for: checks))
    }
    defer { server.stop() }
    let ends = await EngineHarness().upload(
      try alphabet(), to: try target(askedAbout: 26, server))
    #expect(ends[3].code == "http-400" && ends[3].failure?.step == .existence)
    #expect(
      ends.count { $0.code == "done 200" } == 12 && ends.count { $0.code == "done 201" } == 13)
  }

  @Test("a list of another length says nothing of any file")
  func shortList() async throws {
    let server = try bulkServer { checks in
      (200, Self.results(for: checks.filter { Self.known.contains(Self.sum(of: $0)) }))
    }
    defer { server.stop() }
    let ends = await EngineHarness().upload(
      try alphabet(), to: try target(askedAbout: 26, server))
    // Those that are there make lists of the right length once they are asked about without the others.
    #expect(ends.prefix(13).allSatisfy { $0.code == "done 200" }, "\(ends)")
    #expect(ends.dropFirst(13).allSatisfy { $0.code == "unusable-answer" }, "\(ends)")
    #expect(!server.requests.contains { $0.line.hasPrefix("POST /up") })
  }

  @Test(
    "a server that cannot be asked is not asked about each file", arguments: [403, 503, 521, 524])
  func unavailable(_ status: Int) async throws {
    let server = try bulkServer { _ in (status, "") }
    defer { server.stop() }
    let ends = await EngineHarness().upload(
      try alphabet(), to: try target(askedAbout: 26, server))
    #expect(ends.allSatisfy { $0.failure != nil }, "\(ends)")
    #expect(server.requests.count <= 3)
  }

  /// Digests by what they were remembered for.
  private final class Notes: DigestMemory {
    let digests = Mutex<[FileStamp: ContentDigests]>([:])
    func digests(of stamp: FileStamp) -> ContentDigests? { digests.withLock { $0[stamp] } }
    func remember(_ new: ContentDigests, of stamp: FileStamp) {
      digests.withLock { $0[stamp] = new }
    }
  }

  @Test("a file that has not changed since its digest was computed is not read again")
  func remembered() async throws {
    let server = try HostileServer { connection, _ in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 X\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    let path = try folder.write("a", Array("abc".utf8))
    // On file systems that do not show all writes, nothing is remembered.
    let location = FileLocation(path)
    guard try HeldFile(location).showsWrites else { return }
    try await wait(for: "times that show the next change") {
      try HeldFile(location).stamp == nil ? nil : true
    }
    let (notes, target) = (Notes(), try target(server, Self.rows[0]))
    func asked() async throws -> String {
      _ = await EngineHarness(digests: notes).upload([path], to: target)
      return try #require(server.requests.last?.line)
    }
    #expect(try await asked() == "GET /has/a9993e364706816aba3e25717850c26c9cd0d89d HTTP/1.1")
    // Only one who does not read it can be told this.
    let other = String(repeating: "0", count: 40)
    notes.digests.withLock { $0 = $0.mapValues { _ in ContentDigests([.sha1: other]) } }
    #expect(try await asked() == "GET /has/\(other) HTTP/1.1")
    // Not after a change, even if its size and its modification time are as before.
    let before = try FileIdentity(of: location)
    try folder.write("a", Array("abd".utf8))
    let time = timespec(
      tv_sec: Int(before.modified / 1_000_000_000), tv_nsec: Int(before.modified % 1_000_000_000))
    #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
    #expect(try FileIdentity(of: location) == before)
    #expect(try await asked() == "GET /has/cb4cc28df0fdbe0ecf9d9662e294b118092a5735 HTTP/1.1")
  }
}
