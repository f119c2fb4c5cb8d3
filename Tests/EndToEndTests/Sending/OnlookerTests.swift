import Foundation
import TestSupport
import Testing
import UploadStore

extension EndToEnd {
  @Suite("A screen beside the one that sends is a screen like any other")
  struct OnlookerTests {
    let person: Person

    init() throws { person = try Person() }

    /// The number before "%" in the first row of a file.
    private static func share(_ screen: Tmux.Screen, _ name: String) -> Int? {
      guard let row = screen.rows.first(where: { $0.contains(name) && $0.contains("%") }) else {
        return nil
      }
      return row.firstMatch(of: /(\d+)%/).flatMap { Int($0.1) }
    }

    @Test("live numbers, and every key works from either side")
    func two() async throws {
      let inbox = try await person.receiver("--max-file-bytes", "50 MB")
      let port = try HostileServer.closedPort()
      try person.configure(
        """
        [targets.away]
        url = "http://127.0.0.1:\(port)/"
        retry = { attempts = 1, base = "10m", max = "10m" }
        """)
      #expect(truncate(try person.folder.write("large.bin", []), 40_000_000) == 0)
      try person.folder.write("small.bin", count: 2_000_000, seed: 5)
      let first = try await person.terminal()
      try await first.command(
        "hoist large.bin --to \(inbox.url) --limit 500kB/s --concurrency 1; echo ended $?")
      try await first.wait(for: "sending")
      let second = try await person.terminal()
      try await second.command("hoist --to \(inbox.url); echo ended $?")
      // The limit, a speed and a share that grows.
      try await second.wait(until: "live numbers") {
        $0.shows("limit 500 kB/s") && $0.shows("B/s") && (Self.share($0, "large.bin") ?? 0) > 0
      }
      let before = try #require(Self.share(try await second.screen(), "large.bin"))
      try await second.wait(until: "more of it") {
        (Self.share($0, "large.bin") ?? 0) > max(before, 3)
      }
      // On a busy machine, the sender may not answer at once.
      var listed = ""
      for _ in 0..<30 where !listed.contains("%") {
        listed = try await person.run("queue").output
      }
      #expect(listed.firstMatch(of: /sending \d+%/) != nil, "\(listed)")
      // Limits.
      try await second.press("u")
      try await second.wait(for: "Limit")
      try await second.press("C-u")
      try await second.type("1 MB/s")
      try await second.press("Enter")
      for screen in [first, second] { try await screen.wait(for: "limit 1.0 MB/s") }
      // Pausing what is sent, which only the sender can break off, and going on with it. So much of it is asked about.
      try await second.press("p")
      try await second.wait(for: "let it finish")
      try await second.press("p")
      // In its row: the last events have the word as soon as the key is pressed.
      for screen in [first, second] {
        try await screen.wait(until: "a paused row") {
          $0.row(with: "large.bin")?.contains("paused") == true
        }
      }
      try await second.press("p")
      for screen in [first, second] {
        try await screen.wait(until: "it to be sent again") {
          $0.row(with: "large.bin")?.contains("sending") == true
        }
      }
      // Files that this one adds; no more begin until somebody says so.
      try await second.press("s")
      for screen in [first, second] {
        try await screen.wait(until: "a queue that begins no more") { $0.shows("stopped") }
      }
      try await second.press("a")
      try await second.type("small.bin")
      try await second.wait(for: "1 file")
      try await second.press("Enter")
      for screen in [first, second] { try await screen.wait(for: "small.bin") }
      try await first.press("s")
      for screen in [first, second] {
        try await screen.wait(until: "one lane, which is taken") {
          !$0.shows("stopped") && $0.row(with: "small.bin")?.contains("waiting") == true
        }
      }
      // A lane more.
      try await second.press("+")
      for screen in [first, second] {
        // Or it has arrived by the time of the look, before the one that it did not have to wait for.
        try await screen.wait(until: "both files on their way") {
          Self.share($0, "small.bin") != nil || $0.shows("1 ok")
        }
      }
      // Removing asks, and breaks it off over there.
      try await second.press("g", "x")
      try await second.wait(for: "Remove?")
      try await second.press("y")
      for screen in [first, second] {
        try await screen.wait(until: "no large.bin") {
          $0.row(with: "▌")?.contains("large.bin") != true
        }
        try await screen.wait(for: "1 ok")
      }
      // Without a limit, for the next one is refused only when much of it has arrived.
      try await second.press("u")
      try await second.wait(for: "Limit")
      try await second.press("C-u", "Enter")
      for screen in [first, second] {
        try await screen.wait(until: "no limit") { !$0.shows("limit 1.0 MB/s") }
      }
      // What has failed, and a server that is away and would be tried again in ten minutes.
      #expect(truncate(try person.folder.write("refused.bin", []), 60_000_000) == 0)
      try person.folder.write("late.bin", [1])
      _ = try await person.run("add", "refused.bin", "--to", inbox.url)
      _ = try await person.run("add", "late.bin", "--to", "away")
      for screen in [first, second] {
        try await screen.wait(until: "both troubles") {
          $0.shows("1 failed") && $0.shows("no server")
        }
      }
      try person.folder.write("refused.bin", [2])
      let away = try HostileServer(port: port) { connection, _ in
        while connection.readRequest() != nil {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
      }
      defer { away.stop() }
      try await second.press("R")
      for screen in [first, second] { try await screen.wait(for: "3 ok") }
      // Leaving one stops nothing; when the one that sends leaves, the other takes over.
      try await first.press("q")
      try await first.wait(for: "ended 0")
      try await second.wait(until: "the notice to be gone") { !$0.shows("another hoist") }
      #expect(inbox.names == ["refused.bin", "small.bin"])
    }

    @Test("a limit on the command line holds for whatever sends the queue")
    func limitOfAnOnlooker() async throws {
      let inbox = try await person.receiver()
      try person.folder.write("large.bin", count: 3_000_000, seed: 4)
      _ = try await person.run("add", "large.bin", "--to", inbox.url)
      let first = try person.hoist("send", "--limit", "2kB/s")
      try await wait(for: "the first to send", otherwise: { first.output + first.errors }) {
        try UploadStore(path: "\(person.home.path)/.local/state/hoist/queue.sqlite").items().first?
          .state.isActive == true ? true : nil
      }
      let second = try await person.hoist("send", "--limit", "off").end()
      #expect(second.status == 0, "\(second)")
      let sent = try await first.end()
      #expect(sent.status == 0, "\(sent)")
      #expect(inbox.names == ["large.bin"])
    }

    @Test("a stopped screen slows nobody, and is up to date when it goes on")
    func stopped() async throws {
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      try person.folder.write("large.bin", count: 5_000_000, seed: 4)
      _ = try await person.run("add", "large.bin", "--to", server.url)
      let sender = try person.hoist("send", "--limit", "2MB/s")
      try await wait(for: "the first bytes", otherwise: { sender.output + sender.errors }) {
        server.visitors == 1 ? true : nil
      }
      let terminal = try await person.terminal()
      try await terminal.command("hoist --to \(server.url)")
      try await terminal.wait(until: "live numbers") { (Self.share($0, "large.bin") ?? 0) > 0 }
      try await terminal.press("C-z")
      try await terminal.wait(for: "Stopped")
      gate.open()
      let outcome = try await sender.end()
      #expect(outcome.status == 0, "\(outcome)")
      try await terminal.command("fg")
      try await terminal.wait(for: "1 ok")
    }

    @Test("a sender that was suspended says so, and so does everybody who looks on")
    func suspendedSender() async throws {
      let gate = Gate()
      defer { gate.open() }
      let server = try SlowServer(gate)
      try person.folder.write("large.bin", count: 5_000_000, seed: 4)
      let first = try await person.terminal()
      try await first.command("hoist large.bin --to \(server.url)")
      try await first.wait(for: "sending")
      let second = try await person.terminal()
      try await second.command("hoist --to \(server.url)")
      try await second.wait(for: "another hoist")
      let follower = try person.hoist("queue", "--follow")
      try await wait(for: "a follower", otherwise: { follower.errors }) {
        follower.errors.contains("sends this queue") ? true : nil
      }
      try await first.press("C-z")
      let shell = try await first.wait(for: "Stopped")
      #expect(shell.shows("uploads stand still until fg"), "\(shell.text)")
      let words = "is stopped; its uploads stand still (fg, or kill -CONT "
      try await second.wait(for: words)
      try await wait(for: "the follower to say so", otherwise: { follower.errors }) {
        follower.errors.contains(words) ? true : nil
      }
      let queue = try await person.run("queue")
      #expect(queue.errors.contains(words), "\(queue)")
      let third = try await person.terminal()
      try await third.command("hoist --to \(server.url)")
      try await third.wait(for: words)
      try await first.command("fg")
      for screen in [second, third] {
        try await screen.wait(until: "the sender to go on") {
          !$0.shows(words) && $0.shows("another hoist")
        }
      }
      try await wait(for: "the follower to say so", otherwise: { follower.errors }) {
        follower.errors.contains("goes on") ? true : nil
      }
      gate.open()
      for screen in [first, second, third] { try await screen.wait(for: "1 ok") }
    }

    @Test("hoist queue --follow prints what becomes of each file")
    func follow() async throws {
      let inbox = try await person.receiver("--max-file-bytes", "1500 kB")
      try person.folder.write("a.bin", count: 1_000_000, seed: 4)
      try person.folder.write("b.bin", count: 2_000_000, seed: 4)
      let nobody = try await person.run("queue", "--follow")
      #expect(nobody.status == 1 && nobody.errors.contains("no hoist is sending"), "\(nobody)")
      let sender = try person.hoist("send", "--stay", "--limit", "400kB/s", "--to", inbox.url)
      try await wait(for: "the sender", otherwise: { sender.errors }) {
        SenderLock.isTaken(queue: "\(person.home.path)/.local/state/hoist/queue.sqlite")
          ? true : nil
      }
      // It listens some moments after it has the lock. Until then, an error names "the hoist that sends this queue".
      var lines: Program?
      try await wait(for: "somebody to listen to") { () -> Bool? in
        let program = try person.hoist("queue", "--follow", "--json")
        try await wait(for: "an answer") {
          program.hasEnded || program.errors.contains("process ") ? true : nil
        }
        if program.hasEnded { return nil }
        lines = program
        return true
      }
      let follower = try #require(lines)
      let people = try person.hoist("queue", "--follow")
      try await wait(for: "a second listener", otherwise: { people.errors }) {
        people.errors.contains("process ") ? true : nil
      }
      _ = try await person.run("add", "a.bin", "b.bin", "--to", inbox.url)
      try await wait(for: "both ends", otherwise: { follower.output + people.output }) {
        follower.output.contains(#""state":"done""#) && follower.output.contains("http-413")
          && people.output.contains("done") && people.output.contains("failed") ? true : nil
      }
      try await sender.interrupt(SIGTERM)
      for program in [follower, people] {
        let outcome = try await program.end()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("has ended"))
      }
      let sent = follower.output.matches(of: /"sent":(\d+)/).compactMap { Int($0.1) }
      #expect(sent.contains { $0 > 0 && $0 < 1_000_000 }, "\(follower.output)")
      let rows = people.output.split(separator: "\n").filter { $0.contains("%") }
      #expect(!rows.isEmpty && rows.allSatisfy { $0.split(separator: "%").count == 2 }, "\(rows)")
    }

    @Test("the end of the queue runs the person's command, without a terminal too")
    func end() async throws {
      let inbox = try await person.receiver("--max-file-bytes", "1 MB")
      let note = person.folder.path("note")
      try person.configure(
        """
        [screen]
        when_done = "desktop"
        on_end = ["sh", "-c", "echo $HOIST_SENT $HOIST_FAILED $HOIST_UNKNOWN >> \(note)"]
        """)
      // The desktop's program, which writes down what it is asked to show.
      let programs = person.folder.path("bin")
      try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
      let script = "#!/bin/sh\necho \"$@\" >> \(note)\n"
      try script.write(toFile: "\(programs)/notify-send", atomically: true, encoding: .utf8)
      chmod("\(programs)/notify-send", 0o755)
      try person.folder.write("a.txt", [1])
      try person.folder.write("large.bin", count: 2_000_000, seed: 1)
      _ = try await person.run("add", "a.txt", "large.bin", "--to", inbox.url)
      let program = try person.shell("PATH=\(programs):$PATH hoist send")
      let outcome = try await program.end()
      #expect(outcome.status == 1, "\(outcome)")
      let written = { (try? String(contentsOfFile: note, encoding: .utf8)) ?? "" }
      try await wait(for: "both notes", otherwise: { "\(written())\n\(outcome)" }) {
        let text = written()
        return text.contains("1 1 0\n") && text.contains("hoist 1 file sent, 1 failed\n")
          && text.split(separator: "\n").count == 2 ? true : nil
      }
      // With it goes whatever it has started.
      withExtendedLifetime(program) {}
    }

    @Test(
      "a command for the end that fails is named, also where the session ends at once",
      arguments: [
        ("[\"no-such-program\"]", "no-such-program failed (status 127: a program was not found)"),
        ("[\"sh\", \"-c\", \"exit 3\"]", "sh failed (status 3)"),
      ])
    func endThatFails(_ command: String, _ words: String) async throws {
      let inbox = try await person.receiver()
      try person.configure("[screen]\non_end = \(command)\n")
      try person.folder.write("a.txt", [1])
      _ = try await person.run("add", "a.txt", "--to", inbox.url)
      let outcome = try await person.run("send")
      #expect(outcome.errors.contains("hoist: on_end: \(words)"), "\(outcome)")
      #expect(outcome.status == 0, "the file was sent")
    }

    @Test("a queue whose last file is removed has come to its end, too")
    func endByRemoval() async throws {
      let inbox = try await person.receiver()
      let note = person.folder.path("note")
      try person.configure(
        "[screen]\non_end = [\"sh\", \"-c\", \"echo $HOIST_SENT $HOIST_FAILED >> \(note)\"]\n")
      try person.folder.write("waits.txt", [1])
      try person.folder.write("a.txt", [1])
      let away = "http://127.0.0.1:\(try HostileServer.closedPort())/"
      _ = try await person.run("add", "waits.txt", "--to", away)
      _ = try await person.run("add", "a.txt", "--to", inbox.url)
      let sender = try person.hoist("send")
      try await wait(for: "the file to arrive", otherwise: { sender.output + sender.errors }) {
        sender.output.contains("✓ a.txt") ? true : nil
      }
      let removed = try await person.run("queue", "remove", "1")
      #expect(removed.status == 0, "\(removed)")
      let outcome = try await sender.end()
      #expect(outcome.status == 0, "\(outcome)")
      try await wait(for: "the note", otherwise: { "\(outcome)" }) {
        (try? String(contentsOfFile: note, encoding: .utf8)) == "1 0\n" ? true : nil
      }
      withExtendedLifetime(sender) {}
    }
  }
}
