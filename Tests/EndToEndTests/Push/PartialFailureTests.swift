import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A server fails one file, and the rest goes on")
  struct PartialFailureTests {
    /// What a server does to `bad.bin`. Every other file gets its 200.
    enum Trouble: String, CaseIterable {
      case reset, silence, unauthorized, elsewhere, unavailable, garbage

      var cause: String {
        switch self {
        case .reset: "connection-lost"
        case .silence: "outcome-unknown"
        case .unauthorized: "http-401"
        case .elsewhere: "redirected"
        case .unavailable: "http-503"
        case .garbage: "not-http"
        }
      }

      var status: Int? {
        switch self {
        case .reset, .silence, .garbage: nil
        case .unauthorized: 401
        case .elsewhere: 307
        case .unavailable: 503
        }
      }

      func happens(to connection: HostileConnection) {
        switch self {
        case .reset: connection.reset()
        case .silence: connection.stall()
        case .unauthorized:
          answer(connection, "401 Unauthorized", "WWW-Authenticate: Basic realm=\"desk\"")
        case .elsewhere:
          answer(connection, "307 Temporary Redirect", "Location: http://other.example/upload")
        case .unavailable: answer(connection, "503 Service Unavailable", "Retry-After: 0")
        case .garbage:
          connection.send("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n\r\n")
        }
      }

      private func answer(_ connection: HostileConnection, _ status: String, _ header: String) {
        connection.send(
          "HTTP/1.1 \(status)\r\n\(header)\r\nContent-Length: 11\r\nConnection: close\r\n\r\nnot for you"
        )
      }
    }

    /// A server that troubles one file and takes all others.
    static func server(_ trouble: Trouble) throws -> HostileServer {
      try HostileServer { connection, _ in
        guard let head = connection.readHead() else { return }
        if head.headers["expect"] != nil { connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
        let length = Int(head.headers["content-length"] ?? "") ?? 0
        let beginning = connection.read(min(length, 1000)) ?? []
        let isBad = String(decoding: beginning, as: UTF8.self).contains("bad.bin")
        // The reset comes in the middle, everything else after the whole body.
        if isBad, trouble == .reset { return connection.reset() }
        guard connection.discard(length - beginning.count) else { return }
        if isBad { return trouble.happens(to: connection) }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
      }
    }

    @Test("each trouble has its own cause", arguments: Trouble.allCases)
    func trouble(_ trouble: Trouble) async throws {
      let person = try Person()
      let server = try Self.server(trouble)
      defer { server.stop() }
      for name in ["first.bin", "bad.bin", "last.bin"] {
        try person.folder.write(name, count: 4_000_000)
      }
      // Larger than what the sockets' buffers hold: a reset in the middle has to come in the middle.
      if trouble == .reset { #expect(truncate(person.folder.path("bad.bin"), 50_000_000) == 0) }
      // Only silence is waited for: on a busy machine a second is short for the others.
      let outcome = try await person.run(
        ["push", "first.bin", "bad.bin", "last.bin", "--to", server.url().absoluteString, "--json"]
          + ["--attempts", "2"] + (trouble == .silence ? ["--timeout", "5"] : [])
      )
      #expect(outcome.status == 1, "\(outcome)")
      let events = try outcome.events()
      let failed = try events.end(of: "bad.bin")
      #expect(failed.event == "failed")
      #expect(failed.text("cause") == trouble.cause)
      #expect(failed.number("status") == trouble.status)
      #expect(failed.text("message")?.isEmpty == false)
      if trouble.status != nil { #expect(failed.text("reply") == "not for you") }
      for name in ["first.bin", "last.bin"] {
        #expect(try events.end(of: name).event == "finished", "\(name)")
      }
      // Only what may pass is tried again.
      let mayPass = trouble == .reset || trouble == .unavailable
      #expect(failed.number("attempt") == (mayPass ? 2 : 1))
      #expect(events.about("bad.bin").contains { $0.event == "retrying" } == mayPass)
    }

    @Test(
      "a server that is not there, and a name that nobody has, after a redirect that is allowed")
    func gone() async throws {
      let person = try Person()
      let port = try HostileServer.closedPort()
      let places = [
        "down.bin": ("http://127.0.0.1:\(port)", "connection-refused"),
        "nobody.bin": ("http://no-such-host.invalid", "name-not-resolved"),
      ]
      let server = try HostileServer { connection, _ in
        guard let request = connection.readRequest() else { return }
        let body = String(decoding: request.body, as: UTF8.self)
        guard let place = places.first(where: { body.contains("filename=\"\($0.key)\"") }) else {
          return connection.send(
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        connection.send(
          "HTTP/1.1 307 Temporary Redirect\r\nLocation: \(place.value.0)/upload\r\n"
            + "Content-Length: 0\r\nConnection: close\r\n\r\n")
      }
      defer { server.stop() }
      try person.configure(
        """
        [targets.here]
        url = "\(server.url().absoluteString)"
        redirect_to = [ "\(places["down.bin"]?.0 ?? "")", "\(places["nobody.bin"]?.0 ?? "")" ]
        """)
      for name in ["down.bin", "nobody.bin", "good.bin"] { try person.folder.write(name, [1]) }
      let outcome = try await person.run(
        "push", "down.bin", "nobody.bin", "good.bin", "--to", "here", "--attempts", "1", "--json"
      )
      #expect(outcome.status == 1)
      let events = try outcome.events()
      for (name, place) in places {
        #expect(try events.end(of: name).text("cause") == place.1, "\(name)")
      }
      #expect(try events.end(of: "good.bin").event == "finished")
    }

    @Test(
      "nothing can be sent at all: every file says why, and push ends",
      arguments: ["connection-refused", "name-not-resolved"])
    func unreachable(cause: String) async throws {
      let person = try Person()
      let host =
        cause == "name-not-resolved"
        ? "no-such-host.invalid" : "127.0.0.1:\(try HostileServer.closedPort())"
      for name in ["a.txt", "b.txt"] { try person.folder.write(name, [1]) }
      let outcome = try await person.run(
        "push", "a.txt", "b.txt", "--to", "http://\(host)/", "--attempts", "1", "--json"
      )
      #expect(outcome.status == 1)
      let events = try outcome.events()
      for name in ["a.txt", "b.txt"] { #expect(try events.end(of: name).text("cause") == cause) }
      #expect(events.last?.number("failed") == 2)
    }
  }
}
