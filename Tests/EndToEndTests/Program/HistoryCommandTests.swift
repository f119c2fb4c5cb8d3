import TestSupport
import Testing

extension EndToEnd {
  @Suite("hoist history")
  struct HistoryCommandTests {
    @Test("a person reads it by day, a script line by line")
    func days() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync", "--max-file-bytes", "1kB")
      for name in ["a.txt", "b.txt"] { try person.folder.write(name, [1]) }
      try person.folder.write("large", count: 5_000)
      let pushed = try await person.run("push", "a.txt", "b.txt", "large", "--to", inbox.url)
      #expect(pushed.status == 1)
      let terminal = try await person.terminal(columns: 160, rows: 24)
      try await terminal.command("hoist history --since yesterday")
      let screen = try await terminal.wait(until: "all rows") {
        $0.shows("413 Content Too Large") && $0.shows("a.txt") && $0.shows("b.txt")
      }
      #expect(screen.rows.contains { $0.firstMatch(of: #/^today, \d{4}-\d\d-\d\d$/#) != nil })
      #expect(
        screen.row(with: "a.txt")?.firstMatch(of: #/^  \d\d:\d\d:\d\d  just now  201 Created /#)
          != nil
      )

      let piped = try await person.run("history", "--since", "today").output
      let lines = piped.split(separator: "\n")
      #expect(lines.count == 3, "\(piped)")
      for line in lines {
        #expect(line.firstMatch(of: #/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  /#) != nil, "\(line)")
      }
      let old = try await person.run("history", "--until", "1h")
      #expect(old.output == "" && old.errors.contains("nothing to show"))
      #expect(try await person.run("history", "--until", "tomorrow").status == 2)
    }

    @Test("the error about an hour that summer time leaves out says so")
    func skippedHour() async throws {
      let person = try Person()
      for (time, isThere) in [
        ("2026-03-29 02:30", false), ("2026-03-29T02:30", false), ("2026-03-29 03:30", true),
        ("2026-10-25 02:30", true), ("2026-03-29", true),
      ] {
        let program = try person.shell("TZ=Europe/Berlin exec hoist history --since '\(time)'")
        let end = try await program.end()
        let (status, errors) = (end.status, end.errors)
        #expect((status == 0) == isThere, "\(time): \(errors)")
        #expect(errors.contains("clocks are set forward") == !isThere, "\(errors)")
      }
      let never = try await person.run("history", "--since", "2026-02-31 02:30")
      #expect(never.status == 2 && !never.errors.contains("clocks"))
    }

    @Test("what ended before a time is forgotten, and counts as sent no more")
    func forgotten() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--no-sync")
      try person.folder.write("a.txt", [1])
      let push = ["push", "a.txt", "--skip-sent", "--to", inbox.url]
      _ = try await person.run(push)
      let kept = try await person.run("history", "--forget-before", "1h")
      #expect(kept.status == 0 && kept.errors.contains("0 attempts forgotten"), "\(kept)")
      #expect(try await person.run("history").output.contains("a.txt"))
      #expect(try await person.run(push).errors.contains("a.txt: skipped, sent before"))
      let gone = try await person.run("history", "--forget-before", "0s")
      #expect(gone.status == 0 && gone.errors.contains("1 attempt forgotten"), "\(gone)")
      #expect(try await person.run("history").errors.contains("nothing to show"))
      #expect(try await person.run(push).status == 0)
      #expect(inbox.names.count == 2, "it was not sent again")
    }
  }
}
