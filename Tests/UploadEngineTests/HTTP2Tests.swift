import Foundation
import TestSupport
import Testing
import UploadEngine
import UploadModel

/// What the engine makes of a server that speaks HTTP/2 as it should, answers early, turns away or breaks off.
@Suite(.timeLimit(.minutes(3)), .needs("openssl", "peers"))
struct HTTP2Tests {
  struct Row: Sendable, CustomTestStringConvertible {
    /// As `Tests/Peers/http2.py` is told.
    let testDescription: String
    let code: String
    /// What else it may be called, depending on libcurl.
    let otherCode: String?
    /// Whether the server read one whole request.
    let wasRead: Bool
    let attempts: Int
    let bytes: Int

    init(
      _ behaviour: String, is code: String, or otherCode: String? = nil, wasRead: Bool = false,
      attempts: Int = 1, bytes: Int = 1_000_000
    ) {
      (testDescription, self.code, self.otherCode) = (behaviour, code, otherCode)
      (self.wasRead, self.attempts, self.bytes) = (wasRead, attempts, bytes)
    }
  }

  static let rows = [
    Row("take it", is: "done 201", wasRead: true),
    // A good reply counts once the whole body has arrived, and not if the server does not want the rest.
    Row("early 200", is: "done 200", wasRead: true),
    Row("early 200 stop", is: "network", or: "connection-lost"),
    Row("early 413", is: "http-413"),
    Row("early 413 stop", is: "http-413"),
    // Neither has looked at the request (RFC 9113, 6.8 and 8.7), so it may be sent again.
    Row("refuse", is: "done 201", wasRead: true, attempts: 2),
    Row("go away", is: "done 201", wasRead: true, attempts: 2),
    Row("late 503", is: "http-503", wasRead: true),
    Row("late 502", is: "outcome-unknown", wasRead: true),
    Row("reset after all", is: "outcome-unknown", wasRead: true),
    Row("hang up after all", is: "outcome-unknown", wasRead: true),
    Row("reset in the middle", is: "network"),
    Row("leave in the middle", is: "connection-lost"),
    // libcurl holds all of a smaller body before the server has it.
    Row("reset in the middle", is: "network", bytes: 400_000),
    Row("leave in the middle", is: "connection-lost", bytes: 400_000),
    Row("stand still", is: "stalled"),
  ]

  @Test(arguments: rows)
  func nothingIsCalledSentThatIsNot(_ row: Row) async throws {
    let folder = try ScratchDirectory()
    let authority = try CertificateAuthority()
    let certificate = try authority.issue("localhost")
    let server = try Program(
      "\(Repository.root)/.build/peers/bin/python3",
      [
        "\(Repository.root)/Tests/Peers/http2.py", certificate.file, certificate.key,
        row.testDescription,
      ], environment: ProcessInfo.processInfo.environment, directory: "/")
    let port = try await wait(for: "the server's port", otherwise: { server.errors }) {
      server.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first
    }
    var target = Target.once(try #require(URL(string: "https://localhost:\(port)/upload")))
    target.http = .http2
    target.tls.caFile = authority.root.file
    target.retry = RetryPolicy(attempts: row.attempts)
    let clock = TestClock()
    let harness = EngineHarness(time: row.code == "stalled" ? clock.time : .system)
    let path = try folder.write("a.bin", count: row.bytes)
    let running = Task {
      guard row.code == "stalled" else { return }
      try await wait(for: "the end of the window") {
        server.output.contains("still\n") ? true : nil
      }
      await clock.run()
    }
    defer { running.cancel() }
    let ends = await harness.upload([path], to: target)
    let codes = ends.map(\.code)
    #expect(
      codes == [row.code] || codes == [row.otherCode], "\(ends) \(server.errors)")
    // All of it has arrived by then; the server may have yet to read it.
    let bodies = try await wait(for: "what was read", otherwise: { server.output }) {
      let bodies = server.output.split(separator: "\n").filter { $0.hasPrefix("body ") }
      return bodies.count >= (row.wasRead ? 1 : 0) ? bodies : nil
    }
    #expect(bodies.count == (row.wasRead ? 1 : 0), "\(bodies)")
  }
}
