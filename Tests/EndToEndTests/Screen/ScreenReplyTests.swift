import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// Servers that answer as it comes: what the screen makes of it, and what is left of it later.
  @Suite("A person reads what became of a file")
  struct ScreenReplyTests {
    /// Answers each file by its name, and any other with 201.
    private static func server(
      _ replies: [String: (status: String, type: String, body: String)]
    ) throws -> HostileServer {
      try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          let body = String(decoding: request.body.prefix(1000), as: UTF8.self)
          let name = body.firstMatch(of: /filename="([^"]*)"/).map { String($0.1) } ?? ""
          let reply = replies[name] ?? ("201 Created", "application/json", "{}")
          connection.send(
            "HTTP/1.1 \(reply.status)\r\nContent-Type: \(reply.type)\r\nLocation: /f/\(name)\r\n"
              + "Content-Length: \(reply.body.utf8.count)\r\n\r\n\(reply.body)")
        }
      }
    }

    @Test("the message is taken out of its wrapping, and a page is there as its text")
    func messages() async throws {
      let person = try Person()
      let server = try Self.server([
        "json.txt": ("422 No", "application/json", #"{"error": {"message": "no title given"}}"#),
        "list.txt": ("400 No", "application/json", #"{"errors": ["the first of two", "x"]}"#),
        "page.txt": (
          "501 No", "text/html",
          "<html><title>502 Bad Gateway</title><h1>The backend is asleep</h1></html>"
        ),
        "problem.txt": (
          "409 No", "application/problem+json",
          #"{"title": "Name taken", "detail": "choose another"}"#
        ),
      ])
      defer { server.stop() }
      let names = ["json.txt", "list.txt", "page.txt", "problem.txt"]
      for name in names { try person.folder.write(name, [1]) }
      let terminal = try await person.terminal(columns: 120, rows: 30)
      try await terminal.command("hoist *.txt --attempts 1 --to \(server.url().absoluteString)")
      let screen = try await terminal.wait(for: "4 failed")
      let messages = [
        "no title given", "the first of two", "The backend is asleep", "Name taken: choose another",
      ]
      for (name, message) in zip(names, messages) {
        #expect(screen.row(with: "✗ \(name)")?.contains(" · \(message) ") == true, "\(screen.text)")
      }
      // Boxes have a blank cell around them, whatever lies under them.
      try await terminal.resize(columns: 80, rows: 24)
      try await terminal.press("o")
      // What is drawn first may still be for the larger window.
      try await terminal.wait(until: "a menu with room around it") { menu in
        let edges = menu.rows.compactMap { line -> Bool? in
          // Without the edges of the panes.
          let row = line.dropFirst().dropLast()
          guard let left = row.firstIndex(of: "│"), let right = row.lastIndex(of: "│") else {
            return nil
          }
          let after = row[row.index(after: right)...].first
          return row[..<left].last == " " && (after == nil || after == " ")
        }
        return menu.shows("Sort the queue") && edges.count > 3 && edges.allSatisfy { $0 }
      }
      try await terminal.press("Escape")
      try await terminal.wait(until: "the menu is gone") { !$0.shows("Sort the queue") }
      try await terminal.press("s", "j", "j")
      try await terminal.wait(for: "▌ ✗ page.txt")
      // The smallest window still says where files go and how that stands.
      try await terminal.resize(columns: 40, rows: 12)
      try await terminal.wait(until: "the header") {
        $0.rows[0].contains("127.0.0.1") && $0.rows[0].contains("stopped")
      }
      try await terminal.resize(columns: 100, rows: 40)
      try await terminal.press("Enter")
      let details = try await terminal.wait(for: "The server said")
      #expect(
        details.text.contains("The backend is asleep") && !details.shows("<h1>"), "\(details.text)")
    }

    @Test("every attempt is in the details, the log and the history, which outlives the screen")
    func attempts() async throws {
      let person = try Person()
      let server = try Self.server([
        "busy.txt": ("503 No", "application/json", #"{"message": "come back"}"#)
      ])
      defer { server.stop() }
      try person.configure(
        """
        default_target = "desk"
        [targets.desk]
        url = "\(server.url().absoluteString)"
        retry = { attempts = 3, base = "50ms", max = "50ms" }
        """)
      for name in ["busy.txt", "good.txt"] { try person.folder.write(name, [1]) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist busy.txt good.txt")
      try await terminal.wait(for: "1 ok  1 failed")
      try await terminal.press("Enter")
      let details = try await terminal.wait(for: "Attempts:")
      let tries = details.rows.compactMap {
        $0.firstMatch(of: /│ (\d)  [\d:–]+  503 Service Unavailable/)?.1
      }
      #expect(tries == ["1", "2", "3"], "\(details.text)")
      try await terminal.press("q", "4")
      let log = try await terminal.wait(for: "─ Log ─")
      #expect(
        log.rows.count { $0.contains("busy.txt: 503 Service Unavailable") } == 3, "\(log.text)")
      try await terminal.press("3")
      let history = try await terminal.wait(for: "History 2")
      #expect(
        history.row(with: "✗ busy.txt")?.contains(/3  503 Service Unavailable · come back +│$/)
          == true,
        "\(history.text)")
      try await terminal.press("o", "o")
      try await terminal.wait(for: "history sorted: failures first")
      try await terminal.press("Enter")
      let page = try await terminal.wait(for: "try 1  503 Service Unavailable")
      #expect(page.shows("try 2  503 Service Unavailable"), "\(page.text)")
      try await terminal.press("q", "q")
      try await terminal.wait(for: "1 of 2 files sent")
      // What was sent is no longer in the queue; the screen says where to find it.
      try await terminal.clear()
      try await terminal.command("hoist")
      try await terminal.wait(for: "3 shows what was sent before")
    }
  }
}
