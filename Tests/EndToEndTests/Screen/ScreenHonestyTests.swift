import Foundation
import TestSupport
import Testing
import UploadStore

extension EndToEnd {
  @Suite("What the screen says is so")
  struct ScreenHonestyTests {
    let person: Person

    init() throws { person = try Person() }

    @Test("the details show what was sent, not what was queued; before that, what would be")
    func whatWasSent() async throws {
      let inbox = try await person.receiver()
      try person.configure(
        """
        default_target = "small"
        [targets.small]
        url = "\(inbox.url)"
        file_name = "{file.stem}_photo.jpg"
        prepare = { command = ["sh", "-c", "head -c 580 \\"$1\\" > \\"$2\\"", "sh", "{in}", "{out}"] }
        """)
      try person.folder.write("p0.png", count: 9332)
      let terminal = try await person.terminal(columns: 80, rows: 24)
      try await terminal.command("hoist")
      try await terminal.wait(for: "Queue 0")
      // Nothing begins yet.
      try await terminal.press("s", "a")
      try await terminal.command("p0.png")
      try await terminal.wait(for: "Queue 1")
      try await terminal.press("Enter")
      let before = try await terminal.wait(for: "The request would be:")
      #expect(before.shows("Name     p0.png") && !before.shows("Sent as"), "\(before.text)")
      try await terminal.press("q", "s")
      try await terminal.wait(for: "1 ok")
      try await terminal.press("Enter")
      let words = "Sent as  p0_photo.jpg, image/jpeg, 580 bytes"
      try await terminal.wait(for: words)
      #expect(inbox.bytes("p0_photo.jpg")?.count == 580)
      try await terminal.press("q", "q")
      try await terminal.waitForShell()
      // The history knows the same, also later.
      let told = try await person.hoist("history", "--json").end().output
      #expect(told.contains(#""name":"p0_photo.jpg""#), "\(told)")
    }

    @Test("what is still tried is no failure in the history, and nobody is asked to retry it")
    func stillTried() async throws {
      let server = try HostileServer.answering(
        "HTTP/1.1 503 Busy\r\nRetry-After: 40\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      try person.folder.write("a.txt", [1])
      let terminal = try await person.terminal(columns: 80, rows: 24)
      try await terminal.command("hoist a.txt --to \(server.url())")
      try await terminal.wait(for: "503 · retry 2")
      try await terminal.press("3")
      let history = try await terminal.wait(for: "History 1")
      let row = history.row(with: "a.txt")
      #expect(row?.contains("↻") == true && row?.contains("503 · retry 2") == true, "\(row ?? "")")
      try await terminal.press("Enter")
      let details = try await terminal.wait(for: "1 B to ")
      #expect(!details.shows("Retry sends it") && details.shows("503"), "\(details.text)")
      try await terminal.press("q", "f")
      try await terminal.command("failed")
      try await terminal.wait(for: "Nothing matches \"failed\"")
    }

    @Test(
      "q says how much is sent again, nothing is if uploads resume, and a closed window is reported afterwards"
    )
    func leaving() async throws {
      let gate = Gate()
      let server = try SlowServer(gate, beginning: 2_000_000)
      let slow = try await person.receiver()
      try person.configure(
        """
        [targets.plain]
        url = "\(server.url)"
        [targets.desk]
        type = "hoist"
        url = "\(slow.url.replacing("/upload", with: "/"))"
        """)
      #expect(truncate(try person.folder.write("large.bin", []), 80_000_000) == 0)
      let terminal = try await person.terminal(columns: 80, rows: 24)
      try await terminal.command("hoist large.bin --to plain")
      try await terminal.wait(until: "more than a mebibyte") { screen in
        screen.rows.contains { $0.firstMatch(of: /[2-9](\.\d)? of 80 MB/) != nil }
      }
      try await terminal.press("q")
      let asked = try await terminal.wait(for: "Quit?")
      for answer in ["stop and keep the queue", "go on in the background"] {
        #expect(
          asked.row(with: answer)?.contains(/1 file starts again: [\d.]+ MB/) == true,
          "\(asked.text)")
      }
      try await terminal.press("Escape")
      // Or the shell would read it, together with the first letter of what is typed then.
      try await terminal.wait(until: "the list again") { !$0.shows("Quit?") }
      // The window is closed: afterwards the row says it.
      kill(try #require(SenderLock.holder(queue: queue)), SIGHUP)
      try await terminal.waitForShell()
      gate.open()
      try await terminal.clear()
      try await terminal.command("hoist --to plain --concurrency 1 --limit 100kB/s")
      try await terminal.wait(for: "large.bin")
      // By then the queue is read.
      try await terminal.wait(for: "3 shows what was sent before")
      let history = try await person.hoist("history", "--json").end().output
      #expect(history.contains(#""outcome":"stopped""#), "\(history)")
      // A file that waits would be removed without a question.
      try await terminal.wait(until: "it is sent again") {
        $0.row(with: "large.bin")?.firstMatch(of: /\d%/) != nil
      }
      try await terminal.press("x")
      try await terminal.wait(for: "Remove?")
      try await terminal.press("y")
      try await terminal.wait(for: "Queue 0")
      // hoist's own receiver keeps what has arrived.
      try await terminal.press("t")
      try await terminal.wait(for: "Where to send files")
      try await terminal.type("desk")
      try await terminal.press("Enter")
      try await terminal.wait(for: "go to desk")
      try await terminal.press("u")
      try await terminal.wait(for: "Limit")
      try await terminal.press("C-u")
      try await terminal.command("4MB/s")
      try await terminal.press("a")
      try await terminal.command("large.bin")
      try await terminal.wait(until: "some of it") { screen in
        screen.rows.contains { $0.firstMatch(of: /[2-9](\.\d)? of 80 MB/) != nil }
      }
      try await terminal.press("q")
      let safe = try await terminal.wait(for: "Quit?")
      let stop = try #require(safe.row(with: "stop and keep the queue"), "\(safe.text)")
      #expect(stop.contains("resumes where it left off"), "\(safe.text)")
      try await terminal.press("s")
      try await terminal.wait(for: "left in the queue")
      try await terminal.clear()
      try await terminal.command("hoist --limit 5MB/s")
      try await terminal.wait(for: "Queue 1")
      try await terminal.press("4")
      try await terminal.wait(for: "large.bin: resumed at")
    }

    private var queue: String { "\(person.home.path)/.local/state/hoist/queue.sqlite" }

    private static func seconds(_ text: Substring) -> Int {
      text.split(separator: ":").reduce(0) { $0 * 60 + (Int($1) ?? 0) }
    }

    @Test("what a person has stopped stays stopped until somebody goes on")
    func stopped() async throws {
      let inbox = try await person.receiver()
      for name in ["a.txt", "b.txt"] { try person.folder.write(name, [1]) }
      let terminal = try await person.terminal(columns: 80, rows: 24)
      try await terminal.command("hoist --to \(inbox.url)")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("s", "a")
      try await terminal.command("a.txt b.txt")
      try await terminal.wait(for: "Queue 2")
      try await terminal.press("q")
      try await terminal.wait(for: "quit and keep the queue")
      try await terminal.press("s")
      try await terminal.wait(for: "the queue is stopped")
      try await terminal.clear()
      try await terminal.command("hoist")
      try await terminal.wait(until: "a queue that waits") {
        $0.shows("Queue 2") && $0.shows("waiting · stopped")
      }
      // A process without a screen leaves it alone as well.
      let held = try await person.hoist("queue", "list").end()
      #expect(held.output.contains("a.txt") && inbox.names.isEmpty, "\(held)")
      try await terminal.press("s")
      try await terminal.wait(for: "2 ok")
      #expect(inbox.names == ["a.txt", "b.txt"])
    }

    @Test("the time for all is no less than that for a file, and what is paused takes no time")
    func timeLeft() async throws {
      let gate = Gate()
      defer { gate.open() }
      let inbox = try await person.receiver()
      for name in ["one.bin", "two.bin", "held.bin"] {
        #expect(truncate(try person.folder.write(name, []), 20_000_000) == 0)
      }
      let terminal = try await person.terminal(columns: 120, rows: 24)
      try await terminal.command("hoist --to \(inbox.url) --limit 500kB/s --concurrency 2")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("s", "a")
      try await terminal.command("held.bin one.bin two.bin")
      try await terminal.wait(for: "Queue 3")
      try await terminal.press("p")
      try await terminal.wait(for: "paused")
      try await terminal.press("s")
      try await terminal.wait(until: "times for the rows and for all") { screen in
        let rows = ["one.bin", "two.bin"].compactMap { name in
          screen.row(with: name)?.firstMatch(of: /kB\/s ~?([0-9:]+)/).map { Self.seconds($0.1) }
        }
        guard rows.count == 2, let line = screen.row(with: "ETA "),
          let all = line.firstMatch(of: /ETA ~?([0-9:]+)/).map({ Self.seconds($0.1) })
        else { return false }
        // 40 of the 60 MB are to go: 80 seconds.
        return line.contains(" of 60 MB") && all <= 85 && rows.allSatisfy { all >= $0 }
      }
    }

    @Test("an unknown outcome has one sign, and what failed yesterday has not failed just now")
    func earlier() async throws {
      let server = try HostileServer { connection, _ in
        guard let request = connection.readRequest() else { return }
        // All of it has arrived, and no answer follows.
        if request.line.contains("unknown") { return }
        connection.send(
          "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      }
      defer { server.stop() }
      try person.configure(
        """
        [targets.bad]
        url = "\(server.url("/refused").absoluteString)"
        [targets.vague]
        url = "\(server.url("/unknown").absoluteString)"
        """)
      for name in ["refused.bin", "vague.bin"] { try person.folder.write(name, count: 100) }
      let terminal = try await person.terminal(columns: 120, rows: 40)
      try await terminal.command("hoist refused.bin --to bad; hoist --to vague")
      try await terminal.wait(for: "1 failed")
      try await terminal.press("q")
      // The first screen has a queue of one as well.
      try await terminal.wait(until: "the second screen") {
        $0.shows("hoist · vague") && $0.shows("Queue 1")
      }
      // The log says nothing of what was before.
      try await terminal.press("4")
      let log = try await terminal.wait(for: "1 file in the queue, 1 of them failed or unknown")
      #expect(!log.shows("refused.bin"), "\(log.text)")
      try await terminal.press("1")
      try await terminal.wait(for: "Queue 1")
      try await terminal.press("a")
      try await terminal.command("vague.bin")
      try await terminal.wait(for: "1 unknown")
      let queue = try await terminal.wait(until: "its sign") {
        $0.rows.contains { $0.contains("? vague.bin") }
      }
      #expect(!queue.rows.contains { $0.contains("✗ vague.bin") })
      // r asks, and leaving it is lit.
      try await terminal.press("g", "j", "r")
      try await terminal.wait(for: "Send again?")
      try await terminal.press("Enter", "3")
      try await terminal.wait(until: "its sign in the history") {
        $0.shows("History") && $0.row(with: "vague.bin")?.contains("?") == true
          && $0.row(with: "vague.bin")?.contains("✗") == false
      }
      // A window that is too small counts what is under way, which is nothing.
      try await terminal.resize(columns: 30, rows: 6)
      try await terminal.wait(for: "nothing is being sent")
      try await terminal.resize(columns: 120, rows: 40)
      try await terminal.press("q")
      try await terminal.waitForShell()
      let end = try await terminal.wait(for: "? vague.bin")
      #expect(end.shows("✗ refused.bin"), "\(end.text)")
    }

    @Test("a second screen names the process that sends, and none that has ended")
    func sender() async throws {
      let inbox = try await person.receiver()
      for name in ["first.bin", "second.bin"] {
        try person.folder.write(name, count: 4_000_000, seed: 3)
      }
      let first = try await person.terminal()
      try await first.command("hoist first.bin second.bin --to \(inbox.url) --limit 250kB/s")
      try await first.wait(for: "sending")
      let one = try #require(SenderLock.holder(queue: queue))
      let second = try await person.terminal()
      try await second.command("hoist --to \(inbox.url)")
      try await second.wait(for: "another hoist (process \(one)) sends this queue")
      // It goes on in the background, as another process.
      try await first.press("q")
      try await first.wait(for: "go on in the background")
      try await first.press("b")
      let said = try await first.wait(for: "sent in the background (process")
      let other = try #require(said.text.firstMatch(of: /background \(process (\d+)\)/)?.1)
      #expect(Int32(other) != one)
      try await second.wait(for: "hoist in the background (process \(other)) sends this queue")
      // When that one ends, this one sends.
      kill(try #require(Int32(other)), SIGTERM)
      try await second.wait(until: "nobody else") { !$0.shows("sends this queue") }
      try await second.wait(for: "2 ok", seconds: 120)
      #expect(SenderLock.holder(queue: queue) != Int32(other))
    }

    @Test("keys are answered while a list of 40,000 entries comes from the server")
    func longList() async throws {
      // As hoist receive says it.
      let entries = (0..<40_000).map { number in
        #"{"modified":"2026-11-24T06:52:07Z","name":"IMG_\#(number).jpg","size":10,"url":"http://x/\#(number)"}"#
      }
      let body = "{\"files\":[\(entries.joined(separator: ","))]}"
      let server = try HostileServer.answering(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      defer { server.stop() }
      try person.configure(
        """
        default_target = "desk"
        [targets.desk]
        type = "hoist"
        url = "http://127.0.0.1:\(server.port)/"
        """)
      let terminal = try await person.terminal()
      try await terminal.command("hoist")
      try await terminal.wait(for: "Queue 0")
      try await terminal.press("2")
      var longest = Duration.zero
      var isThere = false
      while !isThere {
        let start = ContinuousClock.now
        try await terminal.press("?")
        try await terminal.wait(for: "─ Help ─")
        longest = max(longest, .now - start)
        try await terminal.press("q")
        let screen = try await terminal.wait(until: "the list") { !$0.shows("─ Help ─") }
        isThere = screen.shows("Server 40,000")
      }
      // Before, the list was prepared between two keys, which took some ten seconds on a good machine. How quick keys
      // are is measured by make bench.
      #expect(longest < .seconds(9), "\(longest)")
      let list = try await terminal.wait(for: "IMG_0.jpg")
      #expect(list.row(with: "IMG_0.jpg")?.contains("2026-11-24") == true, "\(list.text)")
      try await terminal.press("G")
      try await terminal.wait(for: "IMG_39999.jpg")
    }
  }
}
