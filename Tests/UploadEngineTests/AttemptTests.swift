import Foundation
import HTTPTransport
import Synchronization
import TestSupport
import Testing
import UploadModel

@testable import UploadEngine

/// Whatever a server does to a form, as many bodies reach it as attempts are told, and nothing that it may have stored
/// is sent again unasked.
@Suite(.timeLimit(.minutes(5)))
struct AttemptTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// What the server does to the first request. All others are taken.
  struct Row: Sendable, CustomTestStringConvertible {
    enum Deed: Sendable {
      /// It reads everything, and replies.
      case reply(String)
      /// It replies before it reads the body, and reads it once its reply has been judged.
      case earlyReply(String)
      /// It reads everything, and ends the connection.
      case end(byReset: Bool)
      /// It reads a part, and ends the connection, at once or by ending its own direction first.
      case cut(after: Int, halfFirst: Bool = false)
      /// It reads a part, and then nothing more.
      case stand(after: Int)
    }

    let testDescription: String
    let deed: Deed
    let code: String
    let bodies: Int
    let bytes: Int

    init(_ deed: Deed, _ code: String, bodies: Int = 1, bytes: Int = 400_000) {
      (self.deed, self.code, self.bodies, self.bytes) = (deed, code, bodies, bytes)
      testDescription = "\(deed): \(code)"
    }

    init(_ reply: String, _ code: String, bodies: Int = 1) {
      self.init(.reply(reply), code, bodies: bodies)
    }
  }

  private static let again = "done 201"

  static let rows: [Row] = [
    Row("200 OK", "done 200"), Row("201 Created", "done 201"), Row("202 Accepted", "done 202"),
    Row("204 No Content", "done 204"),
    Row("303 See Other\r\nLocation: /done", "done 303"), Row("303 See Other", "outcome-unknown"),
    Row("302 Found\r\nLocation: /done", "outcome-unknown"),
    Row("301 Moved\r\nLocation: /other", "redirected"),
    Row("307 Away\r\nLocation: http://elsewhere.example/", "redirected"),
    Row("400 Bad", "http-400"), Row("401 Who", "http-401"), Row("403 No", "http-403"),
    Row("404 Not Found", "http-404"), Row("409 Conflict", "http-409"),
    Row("413 Too Large", "http-413"), Row("422 No", "http-422"),
    Row("408 Late", again, bodies: 2), Row("425 Early", again, bodies: 2),
    Row("429 Slow", again, bodies: 2), Row("429 Slow\r\nRetry-After: 0", again, bodies: 2),
    Row("403 Slow\r\nRetry-After: 0", again, bodies: 2),
    Row("413 Later\r\nRetry-After: 0", again, bodies: 2),
    Row("500 Oops", "http-500"), Row("501 What", "http-501"), Row("502 Bad", "outcome-unknown"),
    Row("503 Busy", again, bodies: 2), Row("504 Late", "outcome-unknown"),
    Row("507 Full", "http-507"), Row("520 Odd", "outcome-unknown"),
    Row("521 Down", again, bodies: 2), Row("555 New", "http-555"),
    // What the server says before it has everything cannot be about everything.
    Row(.earlyReply("500 Oops"), again, bodies: 2), Row(.earlyReply("502 Bad"), again, bodies: 2),
    Row(.earlyReply("302 Found\r\nLocation: /login"), "redirected"),
    Row(.earlyReply("413 Too Large"), "http-413"),
    // It may have stored what it has read.
    Row(.end(byReset: true), "outcome-unknown"), Row(.end(byReset: false), "outcome-unknown"),
    // It cannot have stored what its kernel never got.
    Row(.cut(after: 0), again, bodies: 2), Row(.cut(after: 50_000), again, bodies: 2),
    Row(.cut(after: 50_000, halfFirst: true), again, bodies: 2),
    Row(.cut(after: 300_000), again, bodies: 2),
    Row(.cut(after: 50_000), again, bodies: 2, bytes: 100_000),
    Row(.stand(after: 50_000), again, bodies: 2, bytes: 100_000),
  ]

  @Test(arguments: rows)
  func asManyAsAreTold(_ row: Row) async throws {
    let begun = Mutex(0)
    let judged = Gate()
    let server = try HostileServer(receiveBuffer: 4096) { connection, _ in
      while let head = connection.readHead() {
        let number = begun.withLock {
          $0 += 1
          return $0
        }
        let length = Int(head.headers["content-length"] ?? "") ?? 0
        guard
          Self.goesOn(
            connection, length, judged, after: number == 1 ? row.deed : .reply(Self.taken))
        else { return }
      }
    }
    defer { server.stop() }
    var target = Target(name: "t", url: server.url())
    target.retry = RetryPolicy(attempts: 3, base: 0.01, cap: 1)
    if case .stand = row.deed { target.stallTimeout = 2 }
    let path = try folder.write("1", count: row.bytes, seed: 1)
    let harness = EngineHarness(lanes: 1, session: UploadSession())
    let watch = Task {
      await harness.wait { states in
        states[ItemID(1)]?.contains {
          if case .retrying = $0 { true } else { $0.isFinished }
        } == true
      }
      judged.open()
    }
    let ends = await harness.upload([path], to: target)
    await watch.value
    #expect(ends.map(\.code) == [row.code], "\(ends)")
    let told = harness.states(of: ItemID(1)).count {
      if case .preparing = $0 { true } else { false }
    }
    #expect(begun.withLock { $0 } == row.bodies && told == row.bodies, "told \(told)")
  }

  /// The same over TLS, whose records the kernel counts as well.
  @Test(.needs("openssl", "peers"), arguments: ["reset", "half"], [100_000, 400_000])
  func aCutOverTLS(_ how: String, _ bytes: Int) async throws {
    let authority = try CertificateAuthority()
    let certificate = try authority.issue("localhost")
    let server = try Program(
      "\(Repository.root)/.build/peers/bin/python3",
      ["\(Repository.root)/Tests/Peers/cut.py", certificate.file, certificate.key, how],
      environment: ProcessInfo.processInfo.environment, directory: "/")
    let port = try await wait(for: "the server's port", otherwise: { server.errors }) {
      server.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first
    }
    var target = Target(
      name: "t", url: try #require(URL(string: "https://localhost:\(port)/upload")))
    target.tls.caFile = authority.root.file
    target.retry = RetryPolicy(attempts: 3, base: 0.01, cap: 1)
    let path = try folder.write("1", count: bytes, seed: 1)
    let harness = EngineHarness(lanes: 1, session: UploadSession())
    let ends = await harness.upload([path], to: target)
    #expect(ends.map(\.code) == [Self.again], "\(ends) \(server.errors)")
    let told = harness.states(of: ItemID(1)).count {
      if case .preparing = $0 { true } else { false }
    }
    #expect(told == 2)
    #expect(server.output.split(separator: "\n").count { $0.hasPrefix("body ") } == 1)
  }

  /// What goes with a file may be answered by a redirect to the result as well.
  @Test(arguments: [(303, "done 201"), (302, "no-record")])
  func aRecordIsAnsweredByARedirect(_ status: Int, _ code: String) async throws {
    let server = try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let isRecord = request.line.contains("/create")
        let head = isRecord ? "\(status) X\r\nLocation: /done" : Self.taken
        connection.send("HTTP/1.1 \(head)\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { server.stop() }
    var target = Target(name: "t", url: server.url())
    target.server.create = Call(
      url: Template(literal: server.url("/create").absoluteString), method: "POST",
      json: Template(literal: "{}"))
    let path = try folder.write("1", count: 1000, seed: 1)
    let ends = await EngineHarness(lanes: 1).upload([path], to: target)
    #expect(ends.map(\.code) == [code] && server.requests.count == 2, "\(ends)")
    guard let failure = ends.first?.failure else { return }
    let place = server.url("/done").absoluteString
    #expect(failure.explanation.contains("302 Found, and it points to \(place)"), "\(failure)")
  }

  private static let taken = "201 Created"

  /// Returns whether the connection holds.
  private static func goesOn(
    _ connection: HostileConnection, _ length: Int, _ judged: Gate, after deed: Row.Deed
  ) -> Bool {
    func reply(_ text: String) {
      connection.send("HTTP/1.1 \(text)\r\nContent-Length: 0\r\n\r\n")
    }
    switch deed {
    case .reply(let text):
      guard connection.discard(length) else { return false }
      reply(text)
      return true
    case .earlyReply(let text):
      // By then, the client's kernel has everything, and cannot send it.
      connection.stall(atMost: .milliseconds(200))
      reply(text)
      judged.pass()
      return connection.discard(length)
    case .end(let byReset):
      guard connection.discard(length) else { return false }
      if byReset { connection.reset() }
      return false
    case .cut(let count, let halfFirst):
      _ = connection.readNoMore(count)
      connection.stall(atMost: .milliseconds(200))
      if halfFirst {
        connection.endSending()
        connection.stall(atMost: .milliseconds(200))
      }
      connection.reset()
      return false
    case .stand(let count):
      _ = connection.readNoMore(count)
      connection.stall()
      return false
    }
  }
}
