import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Scheduling
@testable import UploadEngine
@testable import UploadModel

@Suite("Cookies within one upload or run", .timeLimit(.minutes(3)))
struct CookieTests {
  let folder: ScratchDirectory
  init() throws { folder = try ScratchDirectory() }

  /// A server that gives each connection's first request a cookie of its own, and refuses each file once.
  private func server(refusing: Bool = false) throws -> HostileServer {
    let lines = Mutex<Set<String>>([])
    return try HostileServer { connection, number in
      while let request = connection.readRequest() {
        let isFirst = lines.withLock { $0.insert(request.line).inserted }
        let cookie = request.headers["cookie"] == nil ? "Set-Cookie: LB=\(number); Path=/\r\n" : ""
        let status = refusing && isFirst ? "503 Busy" : "200 OK"
        connection.send(
          "HTTP/1.1 \(status)\r\n\(cookie)Connection: close\r\nContent-Length: 10\r\n\r\n{\"id\":\"7\"}"
        )
        return
      }
    }
  }

  @Test("the next attempt at a file carries what its last reply gave; another file does not")
  func attempts() async throws {
    let server = try server(refusing: true)
    defer { server.stop() }
    var target = Target.once(server.url("/up"))
    target.method = "PUT"
    target.body = .binary
    target.address = try Template(
      server.url("/up/").absoluteString + "{file.name}", escaping: .url,
      lookup: Template.Lookup(environment: { _ in nil }))
    target.retry = RetryPolicy(attempts: 2, base: 0.01, cap: 0.01)
    let files = try ["a", "b"].map { try folder.write($0, count: 10) }
    let ends = await EngineHarness().upload(files, to: target)
    #expect(ends.map(\.code) == ["done 200", "done 200"], "\(ends)")
    for name in ["a", "b"] {
      let cookies = server.requests.filter { $0.line.contains("/up/\(name) ") }
        .map { $0.headers["cookie"] }
      #expect(cookies.count == 2 && cookies.first == .some(nil) && cookies.last != .some(nil))
    }
    #expect(Set(server.requests.compactMap { $0.headers["cookie"] }).count == 2)
  }

  @Test("all requests of a run share them")
  func runs() async throws {
    let server = try server()
    defer { server.stop() }
    var target = Target.once(server.url("/up"))
    var open = Call(method: "POST")
    open.address = .own(Template(literal: server.url("/open").absoluteString))
    var close = RunRules.Closing()
    close.call.address = .own(Template(literal: server.url("/close").absoluteString))
    (target.run.open, target.run.close) = (open, close)
    let (news, said) = AsyncStream.makeStream(of: RunNews.self)
    let harness = EngineHarness(runReport: { _, news in said.yield(news) })
    _ = await harness.upload([try folder.write("a", count: 10)], to: target)
    for await one in news where one.event != "opened" { break }
    let lines = server.requests.map {
      "\($0.line.prefix { $0 != "H" }): \($0.headers["cookie"] ?? "-")"
    }
    #expect(lines.first == "POST /open : -", "\(lines)")
    #expect(lines.count == 3 && lines.dropFirst().allSatisfy { $0.hasSuffix(": LB=0") }, "\(lines)")
  }
}
