import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A server says no with a status that says yes")
  struct DoubtfulPushTests {
    /// Says no, with 200, to files that are called "no…", and yes to others.
    static func server() throws -> HostileServer {
      try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          let isNo = String(decoding: request.body, as: UTF8.self).contains("filename=\"no")
          let body = isNo ? #"{"ok":false,"error":"quota \u001b[31mexceeded"}"# : #"{"ok":true}"#
          connection.send(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
              + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
      }
    }

    private func text(_ person: Person, _ name: String) throws -> String {
      try String(contentsOfFile: person.folder.path(name), encoding: .utf8)
    }

    private static let words = "200, but the reply says: quota ␛[31mexceeded"

    @Test("the file stays sent, and every report says that it is doubtful")
    func reports() async throws {
      let person = try Person()
      let server = try Self.server()
      defer { server.stop() }
      for name in ["yes", "no 1", "no 2"] { try person.folder.write(name, [1]) }
      let url = server.url("/up").absoluteString
      let told = try await person.run(
        "push", "yes", "no 1", "no 2", "--to", url, "--report", "r.json")
      #expect(told.status == 0, "\(told)")
      #expect(told.errors.contains("✓ yes: 200 OK, "))
      #expect(told.errors.contains("! no 1: \(Self.words), 1 B in "))
      #expect(told.errors.contains("1 of 3 files sent, 3 B in "), "\(told)")
      #expect(told.errors.contains("; 2 doubtful"), "\(told)")
      let report = try text(person, "r.json")
      #expect(report.contains(#""doubtful" : "quota \u001b[31mexceeded""#), "\(report)")
      // Nothing of it has failed.
      let again = try await person.run("push", "--retry-failed", "r.json", "--to", url)
      #expect(again.errors.contains("nothing"), "\(again)")
      #expect(server.requests.count == 3)

      let events = try await person.run("push", "no 1", "--json", "--to", url)
      #expect(events.output.contains(#""doubtful":"quota \u001b[31mexceeded""#), "\(events)")
      #expect(events.output.contains(#""doubtful":1"#))
      let table = try await person.run(
        "push", "no 1", "-q", "--to", url, "--report", "r.csv")
      #expect(try text(person, "r.csv").contains("quota ␛[31mexceeded\r\n"))
      #expect(table.errors.contains("; 1 doubtful"), "\(table)")

      let history = try await person.run("history")
      #expect(history.output.contains("  \(Self.words)  1 B  "), "\(history)")
      let lines = try await person.run("history", "--json")
      #expect(lines.output.contains(#""doubtful":"quota \u001b[31mexceeded""#))
      #expect(try await person.run("history", "--csv").output.contains(",doubtful\n"))
      #expect(try await person.run("history", "--failed").output == "")
      let page = try await person.run("report", "--output", "r.html")
      #expect(page.status == 0, "\(page)")
      let html = try text(person, "r.html")
      #expect(html.contains("<li class=\"doubtful\"><b>2</b> sent, but doubtful</li>"), "\(html)")
    }

    @Test("its file is neither moved nor deleted, even if the status would prove that it arrived")
    func after() async throws {
      let person = try Person()
      let server = try Self.server()
      defer { server.stop() }
      try person.configure(
        """
        default_target = "t"
        [targets.t]
        url = "\(server.url("/up").absoluteString)"
        after = { move = "sent", final = [200] }
        """)
      for name in ["yes", "no"] { try person.folder.write(name, [1]) }
      let outcome = try await person.run("push", "yes", "no")
      #expect(outcome.status == 0, "\(outcome)")
      let files = FileManager.default
      #expect(files.fileExists(atPath: person.folder.path("sent/yes")))
      #expect(files.fileExists(atPath: person.folder.path("no")))
      #expect(!files.fileExists(atPath: person.folder.path("sent/no")))
    }
  }
}
