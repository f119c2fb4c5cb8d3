import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A person leaves, and has the terminal back as it was")
  struct ScreenLeavingTests {
    /// A shell with something on it, and hoist in front of it with one upload that does not end
    /// before its gate opens.
    struct Visit {
      let person: Person
      let gate = Gate()
      let server: SlowServer
      let terminal: Tmux

      init(_ files: String...) async throws {
        person = try Person()
        server = try SlowServer(gate)
        for file in files { try person.folder.write(file, count: 20_000_000) }
        terminal = try await person.terminal()
        try await terminal.command("echo what was $((1 + 0)) there before; stty -a > before")
        try await terminal.wait(for: "what was 1 there before")
        try await terminal.command(
          "SWIFT_BACKTRACE=enable=no hoist \(files.joined(separator: " ")) --to \(server.url); echo ended $?"
        )
        try await terminal.wait(until: "all of them under way") { screen in
          files.allSatisfy { screen.row(with: $0)?.contains("sending") == true }
        }
      }

      /// Waits for the shell after an end with this status and checks that nothing is left of the
      /// screen: the old text is back, the cursor is seen, and the terminal's settings are the same.
      func hasEnded(_ status: Int) async throws {
        let shell = try await terminal.wait(for: "ended \(status)")
        #expect(shell.shows("what was 1 there before"), "\(shell.text)")
        #expect(!shell.shows("a add"), "\(shell.text)")
        try await isRestored()
      }

      func isRestored() async throws {
        #expect(try await terminal.ask("#{alternate_on}#{cursor_flag}#{mouse_any_flag}") == "010")
        #expect(try await terminal.ask("#{keypad_flag}#{keypad_cursor_flag}") == "00")
        try await terminal.command("stty -a > after; cmp before after && echo the same $((1 + 1))")
        try await terminal.wait(for: "the same 2")
      }

      /// Waits for the title, which is written behind the frame.
      func hasTitle() async throws {
        try await wait(for: "hoist's title") {
          try await terminal.ask("#{pane_title}").contains("hoist") ? true : nil
        }
      }

      /// The number of the process in the terminal.
      func identifier() async throws -> pid_t {
        let shell = try #require(pid_t(try await terminal.ask("#{pane_pid}")))
        let children = try await Program(
          "pgrep", ["-P", "\(shell)", "-x", "hoist"], environment: person.environment,
          directory: "/"
        ).end()
        return try #require(
          pid_t(children.output.trimmingCharacters(in: .whitespacesAndNewlines)))
      }
    }

    @Test("q while files are sent asks; c goes on, s stops and quits")
    func stopAndQuit() async throws {
      let visit = try await Visit("movie.mp4")
      try await visit.terminal.press("q")
      try await visit.terminal.wait(for: "1 upload under way")
      try await visit.terminal.press("c")
      try await visit.terminal.wait(until: "no question") { !$0.shows("under way") }
      try await visit.terminal.press("q")
      try await visit.terminal.wait(for: "1 upload under way")
      try await visit.terminal.press("s")
      try await visit.hasEnded(1)
      #expect(try await visit.terminal.screen().shows("movie.mp4: not sent"))
    }

    @Test("q, s lets what the server has end in order, and waits a moment for its reply")
    func stopAndQuitAfterReplies() async throws {
      let person = try Person()
      try person.folder.write("a.txt", count: 10)
      let gate = Gate()
      let server = try HostileServer { connection, _ in
        guard connection.readRequest() != nil else { return }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
        gate.pass()
        connection.send("ok")
      }
      defer { server.stop() }
      let terminal = try await person.terminal()
      try await terminal.command("hoist a.txt --to \(server.url()); echo ended $?")
      try await terminal.wait(until: "it awaits the rest of the reply") {
        $0.row(with: "a.txt")?.contains("awaiting reply") == true
      }
      try await terminal.press("q")
      try await terminal.wait(for: "1 only awaiting a reply")
      try await terminal.press("s")
      try await terminal.wait(for: "waiting for replies to what is under way")
      gate.open()
      let shell = try await terminal.wait(for: "ended 0")
      #expect(shell.shows("1 of 1 file sent"), "\(shell.text)")
    }

    @Test("q, f quits by itself when everything has been sent")
    func finishThenQuit() async throws {
      let visit = try await Visit("movie.mp4", "second.mp4")
      try await visit.terminal.press("q")
      try await visit.terminal.wait(for: "2 uploads under way")
      try await visit.terminal.press("f")
      try await visit.terminal.wait(for: "quits after 2 more")
      visit.gate.open()
      try await visit.hasEnded(0)
      #expect(try await visit.terminal.screen().shows("2 of 2 files sent"))
    }

    @Test("^c asks, ^c again leaves at once")
    func twice() async throws {
      let visit = try await Visit("movie.mp4")
      try await visit.terminal.press("C-c")
      try await visit.terminal.wait(for: "1 upload under way")
      try await visit.terminal.press("C-c")
      try await visit.hasEnded(1)
    }

    @Test("a signal ends it and restores the terminal", arguments: [SIGTERM, SIGHUP, SIGINT])
    func told(signal: Int32) async throws {
      let visit = try await Visit("movie.mp4")
      kill(try await visit.identifier(), signal)
      try await visit.hasEnded(1)
    }

    @Test("a crash ends it and restores the terminal", arguments: [SIGSEGV, SIGABRT])
    func crash(signal: Int32) async throws {
      let visit = try await Visit("movie.mp4")
      kill(try await visit.identifier(), signal)
      // Without the Swift runtime's backtrace, whose process can outlive the one that crashed.
      try await visit.terminal.wait(for: "ended \(128 + signal)")
      try await visit.isRestored()
    }

    @Test("^z goes to the shell, fg comes back to the same queue")
    func suspend() async throws {
      let visit = try await Visit("movie.mp4")
      try await visit.hasTitle()
      try await visit.terminal.press("C-z")
      let shell = try await visit.terminal.wait(for: "Stopped")
      #expect(!shell.shows("a add"))
      #expect(try await !visit.terminal.ask("#{pane_title}").contains("hoist"))
      try await visit.isRestored()
      try await visit.terminal.command("fg")
      try await visit.terminal.wait(until: "the queue") {
        $0.shows("movie.mp4") && $0.shows("a add") && !$0.shows("Stopped")
      }
      try await visit.hasTitle()
      visit.gate.open()
      try await visit.terminal.wait(for: "done 200 OK")
      try await visit.terminal.press("q")
      try await visit.terminal.wait(for: "1 of 1 file sent")
      try await visit.isRestored()
    }
  }
}
