import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A person makes a rule of a reply that says no")
  struct DoubtTests {
    private func configuration(_ person: Person) throws -> String {
      try String(
        contentsOfFile: "\(person.home.path)/.config/hoist/config.toml", encoding: .utf8)
    }

    @Test("from the doubtful row to the saved rule, which judges the next file")
    func rule() async throws {
      let person = try Person()
      let server = try DoubtfulPushTests.server()
      defer { server.stop() }
      let before = """
        default_target = "nas"
        [targets.nas]
        url = "\(server.url("/up").absoluteString)"

        """
      try person.configure(before)
      for name in ["no 1", "no 2", "yes"] { try person.folder.write(name, [1]) }
      let terminal = try await person.terminal(columns: 100, rows: 30)
      try await terminal.command("hoist 'no 1' yes")
      try await terminal.wait(for: "1 ok  1 doubtful")
      let screen = try await terminal.wait(for: "✓ 1 sent    ! 1 doubtful")
      #expect(screen.row(with: "! no 1")?.contains("200, but the reply says: quota") == true)
      #expect(screen.row(with: "✓ yes") != nil)
      // A doubt outlives the screen: the file is in the history.
      try await terminal.press("3")
      let history = try await terminal.wait(for: "History 2")
      #expect(history.row(with: "! no 1")?.contains("200, but the reply") == true)
      try await terminal.press("1", "g", "w")
      let question = try await terminal.wait(for: "Make this reply a failure?")
      #expect(question.shows("gets the rule fail_when"), "\(question.text)")
      #expect(question.shows(#"pointer = "/ok""#), "\(question.text)")
      #expect(try configuration(person) == before, "nothing is saved before the answer")
      try await terminal.press("n")
      try await terminal.wait(until: "no question") { !$0.shows("Make this reply a failure?") }
      #expect(try configuration(person) == before, "a no saves nothing")
      try await terminal.press("w")
      try await terminal.wait(for: "Make this reply a failure?")
      try await terminal.press("y")
      let judged = try await terminal.wait(for: "1 unknown")
      #expect(judged.row(with: "? no 1")?.contains("may have arrived") == true, "\(judged.text)")
      #expect(judged.row(with: "✓ yes") != nil)
      #expect(
        try configuration(person).contains(
          #"response.fail_when = [ { pointer = "/ok", is = false, message = "/error" } ]"#))
      // The rule judges what is sent from now on.
      try await terminal.press("a")
      try await terminal.type("'no 2'")
      try await terminal.press("Enter")
      let failed = try await terminal.wait(for: "1 failed")
      #expect(failed.row(with: "✗ no 2")?.contains(" · quota") == true, "\(failed.text)")
      // What is unclear is sent again only after a yes, and then the rule judges it.
      try await terminal.press("g", "r")
      try await terminal.wait(for: "may have arrived")
      try await terminal.press("y")
      try await terminal.wait(for: "2 failed")
      try await terminal.press("q")
      try await terminal.waitForShell()
      let told = try await person.run("queue", "list")
      #expect(told.output.contains("failed"), "\(told)")
    }

    @Test("a doubtful file stays until a person takes it away")
    func staysUntilRemoved() async throws {
      let person = try Person()
      let server = try DoubtfulPushTests.server()
      defer { server.stop() }
      for name in ["no 1", "yes"] { try person.folder.write(name, [1]) }
      _ = try await person.run("add", "no 1", "yes", "--to", server.url("/up").absoluteString)
      let sender = try person.hoist("send", "--stay")
      let listed = { try await person.run("queue") }
      try await wait(for: "only the doubtful one", otherwise: { sender.output + sender.errors }) {
        let queue = try await listed()
        return queue.output.contains("doubtful") && !queue.output.contains("yes") ? true : nil
      }
      try await sender.interrupt(SIGTERM)
      _ = try await sender.end()
      let cleared = try await person.run("queue", "clear", "--failed")
      #expect(cleared.errors.contains("0 files cleared"), "\(cleared)")
      // The next start lets go of what was sent.
      _ = try await person.run("send")
      let queue = try await listed()
      #expect(queue.output.contains("doubtful"), "\(queue)")
      #expect(queue.errors.contains("1 file in the queue, 1 doubtful"), "\(queue)")
      _ = try await person.run("queue", "clear", "--all")
      #expect(try await listed().output.isEmpty)
    }

    @Test("a bare address becomes a target, which the files go to from then on")
    func bareAddress() async throws {
      let person = try Person()
      let server = try DoubtfulPushTests.server()
      defer { server.stop() }
      for name in ["no 1", "no 2"] { try person.folder.write(name, [1]) }
      let terminal = try await person.terminal(columns: 100, rows: 30)
      try await terminal.command("hoist 'no 1' --to \(server.url("/up").absoluteString)")
      try await terminal.wait(for: "! no 1")
      try await terminal.press("Enter")
      try await terminal.wait(for: "The server said")
      try await terminal.press("w")
      let question = try await terminal.wait(for: "becomes the target home")
      #expect(question.shows("Make this reply a failure?"), "\(question.text)")
      try await terminal.press("Enter")
      try await terminal.wait(for: "State    may have arrived")
      let text = try configuration(person)
      #expect(text.hasPrefix("default_target = \"home\"\n"), "\(text)")
      #expect(text.contains("[targets.home]") && text.contains("fail_when"), "\(text)")
      try await terminal.press("q")
      try await terminal.wait(for: "hoist · home")
      try await terminal.press("a")
      try await terminal.type("'no 2'")
      try await terminal.press("Enter")
      let failed = try await terminal.wait(for: "1 failed")
      #expect(failed.row(with: "✗ no 2")?.contains(" · quota") == true, "\(failed.text)")
    }
  }
}
