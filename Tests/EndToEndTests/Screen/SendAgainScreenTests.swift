import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("The keys that send files again")
  struct SendAgainScreenTests {
    /// Waits until the server has been asked as often as `expected` has requests again, and compares them.
    private func expect(
      _ expected: [String], after count: Int, of server: RefusingServer, _ way: String,
      at location: SourceLocation = #_sourceLocation
    ) async throws {
      try await wait(
        for: way, otherwise: { server.requests(after: count).joined(separator: "\n\n") }
      ) {
        server.server.requests.count >= count + expected.count ? true : nil
      }
      #expect(server.requests(after: count) == expected, "\(way)", sourceLocation: location)
    }

    @Test("send them as they were: r in the history, r and R in the queue, and z before it")
    func keys() async throws {
      let server = try RefusingServer()
      defer { server.server.stop() }
      let kind = SendAgainKind(
        "", "-r", "d;type=image/webp", "d/x.jpg;name=own;field=f",
        table: """
          headers = { Idempotency-Key = "{uuid}" }
          fields = { path = "{file.path}" }
          file_name = "{file.stem}-t"
          """)
      let person = try await SendAgainTests.person(kind, server)
      let first = try await person.run(["push", "--to", "t"] + kind.arguments)
      #expect(first.status == 1)
      let before = server.requests()
      #expect(before.count == 5)

      let terminal = try await person.terminal(columns: 100, rows: 30)
      try await terminal.command("hoist --to http://127.0.0.1:1/other")
      try await terminal.wait(for: "Queue")
      try await terminal.press("3")
      try await terminal.wait(for: "History 5")
      try await terminal.press("C-a", "r")
      try await expect(before, after: 5, of: server, "r in the history")
      try await terminal.press("1")
      try await terminal.wait(for: "5 failed")
      try await terminal.press("R")
      try await expect(before, after: 10, of: server, "R")
      try await terminal.wait(for: "5 failed")
      try await terminal.press("C-a", "x")
      try await terminal.wait(until: "nothing is left") { !$0.shows("5 failed") }
      try await terminal.press("z")
      try await terminal.wait(for: "5 failed")
      server.take()
      try await terminal.press("C-a", "r")
      try await expect(before, after: 15, of: server, "r after z")
      try await terminal.wait(for: "5 ok")
      try await terminal.press("q")
      try await terminal.waitForShell()
    }

    @Test("with options that are not stored, only where they are given again")
    func options() async throws {
      let server = try RefusingServer()
      defer { server.server.stop() }
      let person = try await SendAgainTests.person(SendAgainKind(""), server)
      let terminal = try await person.terminal(columns: 120, rows: 30)
      try await terminal.command("hoist d/x.jpg --to t --form album=7")
      try await terminal.wait(for: "1 failed")
      try await terminal.press("q")
      try await terminal.waitForShell()
      let before = server.requests()
      #expect(before.count == 1)
      server.take()
      let queued = try await person.run("queue", "retry")
      #expect(queued.errors.contains("1 file queued again"), "\(queued)")
      for options in [[], ["--to", "t"], ["--to", "t", "--form", "other=7"]] {
        let sent = try await person.hoist(["send"] + options).end()
        #expect(sent.status == 1, "\(sent)")
        #expect(sent.errors.contains("start hoist with --to and --form album as before"), "\(sent)")
        #expect(server.server.requests.count == 1)
      }
      let sent = try await person.hoist("send", "--to", "t", "--form", "album=7").end()
      #expect(sent.status == 0, "\(sent)")
      #expect(server.requests(after: 1) == before)
    }

    @Test("refuse what they do not know whole, and say why")
    func refused() async throws {
      let server = try RefusingServer()
      defer { server.server.stop() }
      let person = try await SendAgainTests.person(SendAgainKind(""), server)
      _ = try await person.run("push", "d/x.jpg", "--to", "t", "--form", "album=7")
      let input = try await person.run(["push", "-", "--name", "in", "--to", "t"], input: [1])
      #expect(input.status == 1)
      try person.folder.write("-", [1])
      let count = server.server.requests.count
      #expect(count == 2)
      let terminal = try await person.terminal(columns: 160, rows: 30)
      try await terminal.command("hoist --to t")
      try await terminal.wait(for: "Queue")
      try await terminal.press("3")
      try await terminal.wait(for: "History 2")
      try await terminal.press("g", "r")
      try await terminal.wait(for: "in was not queued: it was an input that can be read only once")
      try await terminal.press("j", "r")
      try await terminal.wait(for: "x.jpg was not queued: it was queued for t with options")
      try await terminal.press("1")
      try await terminal.wait(for: "Queue")
      try await terminal.press("q")
      try await terminal.waitForShell()
      #expect(server.server.requests.count == count)
      #expect(try await person.run("queue", "list").errors.contains("the queue is empty"))
    }
  }
}
