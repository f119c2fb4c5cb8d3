import Foundation
import TestSupport
import Testing
import UploadModel
import UploadStore

extension EndToEnd {
  /// One person with two terminals, or one who looks at what runs in another.
  @Suite("Two screens of one queue")
  struct TwoScreensTests {
    let person: Person
    private var queue: String { person.folder.path("state/queue.sqlite") }
    private static let height = 24

    init() throws { person = try Person() }

    /// What a screen says of the whole once nothing moves: its first line, how many rows the queue has, and the line of
    /// totals. Nil as long as something moves.
    private static func whole(_ screen: Tmux.Screen) -> [String]? {
      guard screen.rows.count >= height, let header = screen.rows.first,
        let count = screen.rows[1].firstMatch(of: /Queue \d+/)?.0
      else { return nil }
      let totals = screen.rows[height - 2]
      let isMoving = ["active", "awaiting", "nothing is being sent", "ETA"].contains {
        header.contains($0)
      }
      guard !isMoving, !totals.contains("retrying"),
        !totals.contains(" waiting") || header.contains("stopped")
      else { return nil }
      return [header, String(count), totals]
    }

    private func open() async throws -> Tmux {
      let terminal = try await person.terminal(columns: 100, rows: Self.height)
      try await start(terminal)
      return terminal
    }

    private func start(_ terminal: Tmux) async throws {
      try await terminal.command("reset; HOIST_QUEUE=\(queue) hoist")
      try await terminal.wait(until: "the queue, read") {
        $0.shows("─ Queue ") && !$0.shows("Reading the queue")
      }
    }

    /// Whether a line of totals contradicts what is in the queue's file. It leaves out what there is no room for.
    private static func contradicts(_ totals: String, _ items: [UploadItem]) -> Bool {
      let counts = [
        ("ok", items.count(where: \.state.isDone)),
        ("failed", items.count { $0.state.isFailed && $0.state.failure?.arrival != .unclear }),
        ("paused", items.count { $0.state == .paused }),
        ("waiting", items.count { $0.state == .waiting }),
      ]
      return counts.contains { word, count in
        // The legend of the bar, before the counts, has some of these words, too.
        guard let place = totals.range(of: " \(word)", options: .backwards) else { return false }
        let number = totals[..<place.lowerBound].split(separator: " ").last.flatMap { Int($0) }
        return number != count
      }
    }

    /// Sends all files that can still be sent to another target, if none is being sent.
    private func edit(_ screen: Tmux, to target: String) async throws {
      try await screen.press(":")
      try await screen.wait(for: "─ Commands ")
      try await screen.command("edit all")
      let form = "╭─ Edit "
      let seen = try await screen.wait(until: "the form, or why there is none") { screen in
        [
          form, "before you edit", "only a reply is awaited", "nothing to edit",
          "nothing is queued", "still being read",
        ]
        .contains(where: screen.shows)
      }
      guard seen.shows(form) else { return }
      try await screen.press("BTab")
      try await screen.type(target)
      try await screen.wait(for: "Where to send ─")
      try await screen.press("Enter")
      try await screen.wait(until: "the choice") { !$0.shows("Where to send ─") }
      try await screen.press("Enter")
      try await screen.wait(until: "the end of the form") { !$0.shows(form) }
      // The other target may have some of them already, which is asked about.
      try await screen.press("Escape")
    }

    /// Waits until both say the same, and what the queue's file says. The first of the screens is the one that sends.
    private func rest(_ screens: [Tmux], after steps: [String]) async throws {
      var (seen, texts): ([[String]?], [String]) = ([], [])
      try await wait(
        for: "equal screens after \(steps)", otherwise: { texts.joined(separator: "\n") }
      ) { () async throws -> Bool? in
        (seen, texts) = ([], [])
        for screen in screens {
          let shown = try await screen.screen()
          seen.append(Self.whole(shown))
          texts.append(shown.text)
        }
        guard let first = seen.first, let first else { return nil }
        // What was added a moment ago may not be on the screens yet.
        let items = try UploadStore(path: queue).items()
        texts.append("in the file: \(items.map { "\($0.fileName) \($0.state)" })")
        return first[1] == "Queue \(items.count)" && seen.allSatisfy { $0 == first }
          && !Self.contradicts(first[2], items) ? true : nil
      }
    }

    @Test("leaving the one that sends says that the other one goes on, which it does")
    func successor() async throws {
      let inbox = try await person.receiver()
      try person.configure("default_target = \"desk\"\n[targets.desk]\nurl = \"\(inbox.url)\"\n")
      try person.folder.write("a.bin", count: 3_000_000)
      let first = try await person.terminal(columns: 100, rows: Self.height)
      try await first.command("reset; HOIST_QUEUE=\(queue) hoist --limit 100k a.bin")
      try await first.wait(for: "↑ a.bin")
      try await first.press("q")
      let alone = try await first.wait(for: "stop and keep the queue")
      #expect(!alone.shows("Another hoist"), "\(alone.text)")
      try await first.press("Escape")
      let second = try await open()
      try await second.wait(for: "↑ a.bin")
      try await first.press("q")
      let asked = try await first.wait(for: "quit; the other hoist goes on")
      #expect(asked.says("it goes on sending at once"), "\(asked.text)")
      try await first.press("s")
      try await first.waitForShell()
      let left = try await first.screen()
      #expect(!left.shows("not sent") && !left.shows("left in the queue"), "\(left.text)")
      #expect(left.says("another hoist, which has this queue open, goes on"), "\(left.text)")
      try await second.wait(for: "1 ok")
      #expect(inbox.names == ["a.bin"])
      // It knows what the first window did.
      try await second.press("Enter")
      try await second.wait(for: "The server said")
      try await second.press("G")
      let details = try await second.wait(for: "Attempts:")
      let attempts = try #require(details.rows.firstIndex { $0.contains("Attempts:") })
      #expect(details.rows[attempts + 1].contains("stopped"), "\(details.text)")
      #expect(details.rows[attempts + 2].contains("201 Created"), "\(details.text)")
    }

    @Test("a window from before there was a target shows the queue once another has made one")
    func firstTarget() async throws {
      let inbox = try await person.receiver()
      let server = try HostileServer { connection, _ in
        guard connection.readRequest() != nil else { return }
        connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      }
      defer { server.stop() }
      try person.folder.write("a.txt", count: 1000)
      let (asked, left, typed) = (
        try await person.terminal(columns: 100, rows: Self.height),
        try await person.terminal(columns: 100, rows: Self.height),
        try await person.terminal(columns: 100, rows: Self.height)
      )
      for terminal in [asked, left, typed] {
        try await terminal.command("reset; HOIST_QUEUE=\(queue) hoist")
        try await terminal.wait(for: "Where should files go?")
      }
      try await left.press("Escape")
      try await left.wait(for: "There is no target yet")
      try await typed.type("\(server.url())")
      try await typed.wait(for: "\(server.url())")
      let first = try await person.terminal(columns: 100, rows: Self.height)
      try await first.command("reset; HOIST_QUEUE=\(queue) hoist a.txt")
      try await first.wait(for: "Where should files go?")
      try await first.type(inbox.url)
      try await first.press("Tab")
      try await first.type("desk")
      try await first.press("Enter")
      try await first.wait(for: "1 ok")
      for terminal in [asked, left] {
        try await terminal.wait(until: "the queue of the other window") {
          $0.shows("✓ a.txt") && $0.shows("hoist · desk") && !$0.shows("Where should files go?")
        }
      }
      // What was typed stays, and becomes another target.
      try await typed.press("Tab")
      try await typed.type("attic")
      try await typed.press("Enter")
      let saved = try await typed.wait(for: "attic is saved; desk stays the default")
      #expect(saved.shows("hoist · attic"), "\(saved.text)")
      try await typed.wait(for: "✓ a.txt")
    }

    @Test("one that is opened later shows the same rows: when files arrived, and why others wait")
    func openedLater() async throws {
      let server = try HostileServer { connection, number in
        if number < 2 {
          guard connection.readRequest() != nil else { return }
          connection.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        } else {
          guard connection.readHead() != nil else { return }
          connection.stall()
        }
      }
      defer { server.stop() }
      try person.configure(
        "default_target = \"desk\"\n[targets.desk]\nurl = \"\(server.url())\"\nconcurrency = 1\n")
      for number in 1...5 { try person.folder.write("\(number).txt", count: 4_000_000) }
      let first = try await person.terminal(columns: 100, rows: Self.height)
      try await first.command("reset; HOIST_QUEUE=\(queue) hoist ?.txt")
      func rows(_ screen: Tmux.Screen) -> [String] {
        ["1.txt", "2.txt", "4.txt", "5.txt"].compactMap { name in
          // The cursor may be elsewhere.
          screen.row(with: " \(name)")?.replacing("▌", with: " ")
        }
      }
      let isThere: @Sendable (Tmux.Screen) -> Bool = {
        $0.row(with: "2.txt")?.contains(/done 201 Created +\d\d:\d\d/) == true
          && $0.row(with: "3.txt")?.contains("↑") == true
          && $0.row(with: "4.txt")?.contains("a lane · 1 in use") == true
      }
      let seen = try await first.wait(until: "two that have arrived", isThere)
      let second = try await open()
      let other = try await second.wait(until: "the same", isThere)
      #expect(rows(seen).count == 4 && rows(seen) == rows(other), "\(seen.text)\n\(other.text)")
    }

    @Test(
      "corrected credentials are used, although another window sends",
      arguments: [false, true])
    func credentials(byCommand: Bool) async throws {
      let inbox = try await person.receiver("--token", "right")
      try person.folder.write("word", Array("wrong".utf8))
      let command = "bearer_command = [\"cat\", \"\(person.folder.path("word"))\"]"
      func configure(_ auth: String) throws {
        try person.configure(
          "default_target = \"desk\"\n[targets.desk]\nurl = \"\(inbox.url)\"\nauth = { \(auth) }\n")
      }
      try configure(byCommand ? command : "bearer = \"wrong\"")
      try person.folder.write("a.bin", count: 10)
      let first = try await person.terminal(columns: 100, rows: Self.height)
      try await first.command("reset; HOIST_QUEUE=\(queue) hoist a.bin")
      try await first.wait(for: "1 failed")
      let second = try await open()
      try await second.wait(for: "1 failed")
      try person.folder.write("word", Array("right".utf8))
      if !byCommand { try configure("bearer = \"right\"") }
      try await second.press("r")
      try await second.wait(for: "1 ok")
      #expect(inbox.names == ["a.bin"])
    }

    @Test(
      "c in one that looks on sends files with the credentials that are now right, even if no row says any longer what was wrong",
      arguments: [false, true])
    func tryCredentials(isCleared: Bool) async throws {
      let inbox = try await person.receiver("--token", "right")
      func configure(_ token: String) throws {
        try person.configure(
          "default_target = \"desk\"\n[targets.desk]\nurl = \"\(inbox.url)\"\n"
            + "auth = { bearer = \"\(token)\" }\n")
      }
      try configure("wrong")
      for number in 1...6 { try person.folder.write("\(number).txt", [1]) }
      let first = try await person.terminal(columns: 100, rows: Self.height)
      try await first.command("reset; HOIST_QUEUE=\(queue) hoist ?.txt")
      try await first.wait(until: "nothing to move") {
        !$0.shows("active") && $0.shows(" failed  ")
      }
      let second = try await open()
      let waiting = try UploadStore(path: queue).items().count { $0.state == .waiting }
      #expect(waiting > 0)
      let left = isCleared ? waiting : 6
      if isCleared {
        for count in (left..<6).reversed() {
          try await second.press("!", "x")
          try await second.wait(for: "Queue \(count)")
        }
        try await first.wait(for: "Queue \(left)")
      }
      try await second.press("5")
      try await second.wait(until: "the pane") {
        $0.row(with: "✓ desk")?.contains("credentials refused") == true
      }
      try configure("right")
      try await second.press("c")
      try await second.wait(until: "all to be sent") {
        $0.shows("\(left) ok") && !$0.shows("credentials refused")
      }
      try await first.wait(for: "\(left) ok")
      #expect(inbox.names.count == left)
    }

    @Test(
      "say the same of the whole, whatever is done in either, and whichever is killed",
      .timeLimit(.minutes(20)), arguments: MonkeySession.seeds(usual: [72]))
    func agree(seed: UInt64) async throws {
      let inbox = try await person.receiver("--max-file-bytes", "60kB")
      try person.configure(
        "default_target = \"desk\"\n[targets.desk]\nurl = \"\(inbox.url)\"\n"
          + "[targets.other]\nurl = \"\(inbox.url)\"\nretry = { attempts = 1 }\n")
      var screens = [try await open(), try await open()]
      var (dice, files, steps): (SplitMix64, Int, [String]) = (SplitMix64(seed: seed), 0, [])
      var session = MonkeySession(seed: seed, rounds: 3)
      while session.goesOn() {
        let kills = Int.random(in: 0...1, using: &dice) == 0 ? [9] : []
        for kind in [0] + (0..<3).map({ _ in Int.random(in: 0..<10, using: &dice) }) + kills {
          let screen = screens[Int.random(in: 0...1, using: &dice)]
          steps.append("\(kind)")
          switch kind {
          case 0, 1:
            let target = ["desk", "other"].randomElement(using: &dice) ?? "desk"
            // Some are too large for the receiver. All of these together may be sent again at the lowest limit, which has
            // to be over before the wait for a rest is.
            for bytes in [1000, 40_000, 80_000].shuffled(using: &dice) {
              files += 1
              try person.folder.write("file-\(files).bin", count: bytes)
              let added = try await person.shell(
                "HOIST_QUEUE=\(queue) hoist add --to \(target) file-\(files).bin"
              ).end()
              #expect(added.status == 0, "\(added)")
            }
          case 2: try await screen.press("s")
          case 3: try await screen.press("c")
          case 4: try await screen.press("R")
          case 5:
            try await screen.press(":")
            try await screen.command(
              "limit " + (["off", "400k", "2M"].randomElement(using: &dice) ?? "off"))
          case 6, 7:
            try await screen.press(":")
            try await screen.command(kind == 6 ? "pause all" : "resume all")
          case 8:
            try await edit(
              screen, to: ["desk", "other"].randomElement(using: &dice) ?? "desk")
          default:
            // The one that sends is killed, or left at once; the other one goes on, and a new one looks on.
            let sender = try #require(SenderLock.holder(queue: queue))
            let first = screens.removeFirst()
            if Bool.random(using: &dice) {
              kill(sender, SIGKILL)
              // The shell gets what was pressed last, and begins wherever the cursor was, perhaps in the middle of a frame.
              try await wait(for: "the prompt") { () async throws -> Bool? in
                try await first.press("C-u", "C-l")
                return try await first.screen().rows.last { !$0.isEmpty } == Tmux.prompt
                  ? true : nil
              }
            } else {
              try await first.press("C-c", "C-c")
            }
            try await wait(for: "another sender") {
              let now = SenderLock.holder(queue: queue)
              return now != nil && now != sender ? true : nil
            }
            try await first.waitForShell()
            try await start(first)
            screens.append(first)
          }
        }
        try await rest(screens, after: steps)
        try await removeFailed(ifMoreThan: 60)
      }
    }

    /// Files that fail gather in a long session, and sending all of them again must not take longer than the wait for a
    /// rest.
    private func removeFailed(ifMoreThan most: Int) async throws {
      let failed = try UploadStore(path: queue).items().filter { $0.state.failure != nil }
      guard failed.count > most else { return }
      let numbers = failed.map { "\($0.id.rawValue)" }.joined(separator: " ")
      let removed = try await person.shell("HOIST_QUEUE=\(queue) hoist queue remove \(numbers)")
        .end()
      #expect(removed.status == 0, "\(removed)")
    }
  }
}
