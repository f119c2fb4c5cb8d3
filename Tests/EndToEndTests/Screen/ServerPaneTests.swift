import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A person looks at what is on the server")
  struct ServerPaneTests {
    /// Two files, one.bin and two.bin, which the screen has sent to a server that can list and delete them.
    private func sent(from person: Person) async throws -> (Inbox, Tmux) {
      let inbox = try await person.receiver("--demo-endpoints")
      let site = inbox.url.replacing("/upload", with: "")
      try person.configure(
        """
        default_target = "marks"
        [targets.marks]
        url = "\(inbox.url)"
        headers = { X-Key = "{env.HOME}" }
        [targets.marks.server]
        list = { url = "\(site)/bookmarks", items = "", id = "/id", title = "/content_id", time = "/created_date", location = "/content_id" }
        delete = { url = "\(site)/bookmarks/{id}" }
        create = { url = "\(site)/bookmarks", json = { content_id = "{file.name}", created_date = "{now.iso8601}" } }
        """)
      try person.folder.write("one.bin", count: 10)
      try person.folder.write("two.bin", count: 10)
      let terminal = try await person.terminal()
      try await terminal.command("hoist one.bin two.bin")
      try await terminal.wait(for: "2 ok")
      return (inbox, terminal)
    }

    @Test("2 lists it, x deletes after a yes, and Y copies the command that sends a file")
    func listAndDelete() async throws {
      let person = try Person()
      let (inbox, terminal) = try await sent(from: person)
      try await terminal.press("Y")
      try await terminal.wait(for: "copied as a curl command")
      try await terminal.press("2")
      let list = try await terminal.wait(for: "Server 2")
      #expect(
        list.row(with: "one.bin")?.contains("20") == true, "when it was stored:\n\(list.text)")
      try await terminal.press("y")
      try await terminal.wait(for: "copied: ")
      try await terminal.press("x")
      try await terminal.wait(for: "Delete")
      try await terminal.press("y")
      let left = try await terminal.wait(for: "Server 1")
      #expect(left.shows("one.bin") != left.shows("two.bin"))
      #expect(inbox.names.filter { $0.hasSuffix(".bin") } == ["one.bin", "two.bin"])
    }

    @Test("what deletes a file is kept with it, and D opens it after a yes, also days later")
    func deletionAddress() async throws {
      let person = try Person()
      let reply = "{\"url\": \"/f/1\", \"del\": \"/delete/k3y\"}"
      let server = try HostileServer.answering(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(reply.utf8.count)\r\n\r\n\(reply)"
      )
      defer { server.stop() }
      try person.configure(
        """
        default_target = "pics"
        [targets.pics]
        url = "http://127.0.0.1:\(server.port)/up"
        response = { url = "/url", deletion_url = "/del" }
        """)
      try person.folder.write("one.bin", count: 10)
      let terminal = try await person.terminal()
      try await terminal.command("hoist one.bin")
      try await terminal.wait(for: "1 ok")
      try await terminal.press("D")
      try await terminal.wait(for: "Delete from the server?")
      try await terminal.press("y")
      try await terminal.wait(for: "deleting one.bin: the server answered 200 OK")
      #expect(server.requests.map(\.line) == ["POST /up HTTP/1.1", "GET /delete/k3y HTTP/1.1"])
      let told = try await person.run("history", "--json")
      #expect(
        told.output.contains(
          "\"deletion_url\":\"http://127.0.0.1:\(server.port)/delete/k3y\""), "\(told)")
      try await terminal.press("q")
      try await terminal.waitForShell()
      try await terminal.command("hoist")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("3")
      try await terminal.wait(for: "History 1")
      try await terminal.press("D")
      try await terminal.wait(for: "Delete from the server?")
      try await terminal.press("y")
      try await wait(for: "the second request") {
        server.requests.count == 3 ? true : nil
      }
    }

    @Test("why the server keeps a file stays in the log, and times read as times")
    func refusal() async throws {
      let person = try Person()
      let list = """
        [{"id": 1, "title": "iso.bin", "time": "2026-11-20T12:15:00Z"},
         {"id": 2, "title": "unix.bin", "time": 1795000000}]
        """
      let server = try HostileServer { connection, _ in
        while let request = connection.readRequest() {
          let (status, body) =
            request.line.hasPrefix("DELETE")
            ? ("409 Conflict", #"{"error": {"message": "it is locked by an editor"}}"#)
            : ("200 OK", list)
          connection.send(
            "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n"
              + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
      }
      defer { server.stop() }
      let url = server.url("/files").absoluteString
      try person.configure(
        """
        default_target = "shelf"
        [targets.shelf]
        url = "\(url)"
        [targets.shelf.server]
        list = { url = "\(url)", items = "", id = "/id", title = "/title", time = "/time" }
        delete = { url = "\(url)/{id}" }
        """)
      let terminal = try await person.terminal(columns: 80, rows: 24)
      try await terminal.command("hoist")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("2")
      let shown = try await terminal.wait(for: "Server 2")
      for name in ["iso.bin", "unix.bin"] {
        #expect(
          shown.row(with: name)?.contains(/2026-11-\d\d \d\d:\d\d +│$/) == true, "\(shown.text)")
      }
      try await terminal.press("x")
      try await terminal.wait(for: "Delete")
      try await terminal.press("y")
      let words = "iso.bin was not deleted: 409 Conflict: it is locked by an editor"
      try await terminal.wait(for: words)
      try await terminal.press("4")
      try await terminal.wait(until: "the log") { screen in
        screen.shows("deleting iso.bin on the server") && screen.shows(words)
          && screen.shows("─ Log ─")
      }
    }

    @Test("those that are marked are deleted together, after one yes")
    func deleteMarked() async throws {
      let person = try Person()
      let (inbox, terminal) = try await sent(from: person)
      try await terminal.press("2")
      try await terminal.wait(for: "Server 2")
      try await terminal.press("C-a")
      try await terminal.wait(for: "2 marked")
      try await terminal.press("x")
      try await terminal.wait(for: "2 files will be deleted")
      try await terminal.press("Escape")
      try await terminal.wait(until: "nothing is deleted") {
        $0.shows("Server 2") && !$0.shows("will be deleted")
      }
      try await terminal.press("x")
      try await terminal.wait(for: "2 files will be deleted")
      try await terminal.press("y")
      try await terminal.wait(for: "The server has no files")
      #expect(inbox.names.filter { $0.hasSuffix(".bin") } == ["one.bin", "two.bin"])
    }
  }
}
