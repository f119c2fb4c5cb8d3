import Foundation
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("Cookies of one upload", .timeLimit(.minutes(3)))
struct CookieJarTests {
  private let session = UploadSession()

  private static func server() throws -> HostileServer {
    try HostileServer { connection, _ in
      while let request = connection.readRequest() {
        let cookie = request.line.contains("/set") ? "Set-Cookie: LB=A; Path=/; HttpOnly\r\n" : ""
        connection.send("HTTP/1.1 200 OK\r\n\(cookie)Content-Length: 0\r\n\r\n")
      }
    }
  }

  /// Sends a request, and returns the cookies that it carried.
  private func ask(
    _ server: HostileServer, _ path: String, _ jar: CookieJar?, own: String? = nil
  ) async throws -> String? {
    var request = ExchangeRequest(url: server.url(path), method: "POST", body: ZeroBody(length: 3))
    request.cookies = jar
    if let own { request.headers.append(("Cookie", own)) }
    let end = try #require(await Asker(session, request).run().end)
    #expect(end.head?.status == 200, "\(String(describing: end.trouble))")
    return server.requests.last?.headers["cookie"]
  }

  @Test("go with its later requests to the same origin, and with no others")
  func stayInTheJar() async throws {
    let (server, other) = (try Self.server(), try Self.server())
    defer {
      server.stop()
      other.stop()
    }
    let jar = CookieJar()
    #expect(try await ask(server, "/set", jar) == nil)
    #expect(try await ask(server, "/a", jar) == "LB=A")
    #expect(try await ask(server, "/a", jar) == "LB=A")
    // Another upload, which the same handle of libcurl carries.
    #expect(try await ask(server, "/a", CookieJar()) == nil)
    #expect(try await ask(server, "/a", nil) == nil)
    // Another port of the same host is another origin.
    #expect(try await ask(other, "/a", jar) == nil)
    // What the target itself sends takes their place.
    #expect(try await ask(server, "/a", jar, own: "session=1") == "session=1")
    #expect(try await ask(server, "/a", jar) == "LB=A")
  }

  @Test("a jar that is gone takes its cookies along, whatever is under way")
  func manyAtOnce() async throws {
    let server = try Self.server()
    defer { server.stop() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask {
          let jar = CookieJar()
          _ = try await ask(server, "/set?\(number)", jar)
          var request = ExchangeRequest(url: server.url("/b?\(number)"), method: "GET")
          request.cookies = jar
          #expect(await Asker(session, request).run().end?.head?.status == 200)
        }
      }
      try await group.waitForAll()
    }
    let later = server.requests.filter { $0.line.contains("/b") }
    #expect(later.count == 40 && later.allSatisfy { $0.headers["cookie"] == "LB=A" })
  }
}
