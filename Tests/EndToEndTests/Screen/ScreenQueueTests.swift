import Foundation
import TestSupport
import Testing

extension EndToEnd {
  @Suite("A person fills the queue")
  struct ScreenQueueTests {
    @Test("of three files one arrives, one is missing, one is refused, and the screen says so")
    func threeFiles() async throws {
      let person = try Person()
      let inbox = try await person.receiver("--max-file-bytes", "100000")
      let good = try person.folder.write("good.bin", count: 70_000)
      try person.folder.write("too-big.bin", count: 3_000_000)

      let terminal = try await person.terminal()
      try await terminal.command("hoist missing.bin --to \(inbox.url)")
      try await terminal.wait(for: "Queue 1")
      for path in ["good.bin", "too-big.bin"] {
        try await terminal.press("a")
        try await terminal.wait(for: "Add files")
        try await terminal.command(path)
      }
      let screen = try await terminal.wait(until: "three ends") { $0.shows("1 ok  2 failed") }
      #expect(screen.row(with: "✓ good.bin")?.contains("/good.bin ") == true)
      #expect(screen.row(with: "✗ missing.bin")?.contains("failed: file is missing") == true)
      #expect(screen.row(with: "✗ too-big.bin")?.contains("413 · The file in part 1") == true)

      try await terminal.press("G", "Enter")
      let details = try await terminal.wait(for: "The server said")
      #expect(details.shows("413 Content Too Large"))
      #expect(details.shows("100000"), "the receiver's own words:\n\(details.text)")

      #expect(try inbox.bytes("good.bin") == bytes(good))
      #expect(inbox.names == ["good.bin"])
    }

    @Test("Tab completes a path, and shows what it could become")
    func completion() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try FileManager.default.createDirectory(
        atPath: person.folder.path("holiday"), withIntermediateDirectories: true)
      for name in ["beach.txt", "bears.txt", "mountain.txt"] {
        try person.folder.write("holiday/\(name)", Array(name.utf8))
      }
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to \(inbox.url)")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("a")
      try await terminal.type("hol")
      try await terminal.press("Tab")
      try await terminal.wait(for: "holiday/")
      try await terminal.type("b")
      try await terminal.press("Tab")
      let offer = try await terminal.wait(for: "2 names start with this")
      #expect(offer.shows("holiday/bea") && offer.shows("beach.txt") && offer.shows("bears.txt"))
      try await terminal.press("Tab", "Tab", "Enter")
      let sent = try await terminal.wait(for: "1 ok")
      #expect(sent.shows("✓ bears.txt"))
      #expect(inbox.names == ["bears.txt"])
    }

    @Test("a pattern adds all that it matches")
    func pattern() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      for name in ["a.log", "b.log", "c.txt"] { try person.folder.write(name, [1, 2, 3]) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to \(inbox.url)")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("a")
      try await terminal.command("*.log")
      try await terminal.wait(for: "2 ok")
      #expect(inbox.names == ["a.log", "b.log"])
    }

    @Test("r sends a file again that was missing and is there now; R all that failed")
    func retry() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      let terminal = try await person.terminal()
      try await terminal.command("hoist one.txt two.txt three.txt --to \(inbox.url)")
      try await terminal.wait(for: "3 failed")
      try person.folder.write("one.txt", Array("1".utf8))
      try await terminal.press("r")
      try await terminal.wait(for: "1 ok  2 failed")
      try person.folder.write("two.txt", Array("2".utf8))
      try person.folder.write("three.txt", Array("3".utf8))
      try await terminal.press("R")
      try await terminal.wait(until: "three done") { $0.shows("✓ 3 sent") && $0.shows("3 ok") }
      #expect(inbox.names == ["one.txt", "three.txt", "two.txt"])
      try await terminal.press("q")
      let shell = try await terminal.wait(for: "3 of 3 files sent")
      #expect(!shell.shows("Queue"))
    }

    @Test("x takes a file out of the queue, c all that are done")
    func remove() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("here.txt", [1])
      let terminal = try await person.terminal()
      try await terminal.command("hoist here.txt gone.txt --to \(inbox.url)")
      try await terminal.wait(for: "1 ok  1 failed")
      try await terminal.press("j", "x")
      try await terminal.wait(until: "only the other file") {
        $0.shows("Queue 1") && !$0.shows("gone.txt  ")
      }
      try await terminal.press("c")
      try await terminal.wait(for: "Queue 0")
    }

    @Test("a path is corrected from where hoist was started, and the name that is sent follows it")
    func correctedPath() async throws {
      let person = try Person()
      let inbox = try await person.receiver()
      try person.folder.write("new.bin", count: 1000)
      let terminal = try await person.terminal(columns: 100, rows: 24)
      try await terminal.command("hoist gone.bin --to \(inbox.url)")
      try await terminal.wait(for: "failed: file is missing")
      try await terminal.press("e")
      try await terminal.wait(for: "Path ")
      try await terminal.press("C-u")
      try await terminal.type("gnoe.bin")
      try await terminal.press("Enter")
      let refused = try await terminal.wait(for: "no file is there")
      #expect(refused.shows("File name   gnoe.bin"), "\(refused.text)")
      try await terminal.press("C-u")
      try await terminal.type("ne")
      try await terminal.press("Tab")
      try await terminal.wait(for: "File name   new.bin")
      try await terminal.press("Enter")
      try await terminal.wait(for: "changed, r sends it")
      try await terminal.press("r")
      try await terminal.wait(for: "1 ok")
      #expect(inbox.names == ["new.bin"])
      // A window elsewhere, or the background, finds it too.
      try await terminal.press("Enter")
      try await terminal.wait(for: person.folder.path("new.bin"))
    }

    @Test("z brings a paused file back as it was: paused")
    func undoOfPaused() async throws {
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      let person = try Person()
      for name in ["one.bin", "two.bin"] { try person.folder.write(name, count: 20_000_000) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist one.bin two.bin --concurrency 4 --to \(server.url)")
      try await wait(for: "both uploads") { server.visitors == 2 ? true : nil }
      try await terminal.wait(for: "one.bin")
      try await terminal.press(":")
      try await terminal.command("pause one.bin")
      try await terminal.wait(until: "paused") {
        $0.row(with: "one.bin")?.contains("paused") == true
      }
      for _ in 0..<5 {
        try await terminal.press("x")
        try await terminal.wait(until: "one file") { $0.shows("Queue 1") && !$0.shows("one.bin  ") }
        try await terminal.press("z")
        try await terminal.wait(until: "paused again") {
          $0.shows("Queue 2") && $0.row(with: "one.bin")?.contains("paused") == true
        }
      }
      try await terminal.press("q", "s")
      try await terminal.waitForShell()
      #expect(server.mostVisitors == 2, "though lanes were free, it did not begin")
      let list = try await person.run("queue", "list")
      #expect(list.output.contains("paused"), "\(list)")
    }

    @Test("z brings back what x took out, and it is sent; Z takes it out again")
    func undo() async throws {
      let gate = Gate()
      let server = try SlowServer(gate)
      let person = try Person()
      for name in ["one.bin", "two.bin"] { try person.folder.write(name, count: 20_000_000) }
      let terminal = try await person.terminal()
      try await terminal.command("hoist one.bin two.bin --to \(server.url)")
      try await terminal.wait(until: "both are sent") {
        $0.rows.count { $0.contains("sending") } >= 2 && $0.shows("Queue 2")
      }
      // The first is broken off in the middle, and starts again.
      try await terminal.press("x")
      try await terminal.wait(for: "Remove?")
      try await terminal.press("y")
      try await terminal.wait(until: "one file") { $0.shows("Queue 1") && !$0.shows("one.bin  ") }
      try await terminal.press("z")
      try await terminal.wait(until: "two files") {
        $0.shows("undone: removal of 1 file") && $0.shows("Queue 2") && $0.shows("one.bin")
      }
      gate.open()
      try await terminal.wait(for: "2 ok")
      try await terminal.press("Z")
      try await terminal.wait(until: "one file") {
        $0.shows("redone") && $0.shows("Queue 1") && !$0.shows("✓ one.bin")
      }
    }

    @Test("? explains the keys, and closes again")
    func help() async throws {
      let person = try Person()
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to http://127.0.0.1:9/")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("?")
      try await terminal.wait(until: "the ten keys") {
        $0.shows("Help") && $0.shows("add files by path") && !$0.shows("retry all failed files")
      }
      try await terminal.press("?")
      try await terminal.wait(until: "the help") {
        $0.shows("Help") && $0.shows("retry all failed files")
      }
      try await terminal.press("q")
      try await terminal.wait(until: "the queue") { !$0.shows("retry all failed files") }
      try await terminal.press("q")
      try await terminal.waitForShell()
    }

    @Test("another size of the window while files are sent is taken up at once")
    func resize() async throws {
      let gate = Gate()
      let server = try SlowServer(gate)
      let person = try Person()
      try person.folder.write("movie.mp4", count: 20_000_000)
      let terminal = try await person.terminal()
      try await terminal.command("hoist movie.mp4 --to \(server.url)")
      try await terminal.wait(for: "sending")
      try await terminal.resize(columns: 60, rows: 15)
      try await terminal.wait(until: "15 rows that begin and end as they should") {
        $0.rows[0].contains("hoist") && $0.rows[14].contains("a add") && $0.shows("movie.mp4")
          && $0.rows.allSatisfy { $0.count <= 60 }
      }
      try await terminal.resize(columns: 140, rows: 45)
      try await terminal.wait(until: "45 rows") {
        $0.rows[44].contains("a add") && $0.rows[1].count == 140
      }
      gate.open()
      try await terminal.wait(for: "done 200 OK")
    }
  }
}
