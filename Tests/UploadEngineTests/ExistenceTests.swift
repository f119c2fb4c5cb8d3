import Foundation
import JSONText
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
    var check = ExistenceCheck(call: ServerCall(url: url))
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
    #expect(
      server.requests.map { $0.line.prefix(14) }
        == ["GET /has/a9993"] + (row.isSent ? ["POST /up HTTP/"] : []))
    if case .done(let receipt) = end { #expect(receipt.wasThere == row.wasThere) }
    if let failure = end.failure { #expect(failure.step == .existence) }
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
}
