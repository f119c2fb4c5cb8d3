import CNcurses
import Foundation
import Synchronization
import TestSupport
import Testing

/// Keys that arrive in pieces, as over a slow line, in a real terminal: none becomes another.
@Suite struct SplitKeysTests {
  /// A terminal in which all that arrives is written down.
  private struct Line {
    let terminal: Pseudoterminal
    private let folder: ScratchDirectory
    private var file: String { folder.path("events") }
    /// How many lines have been looked at.
    private var seen = 1
    /// The longest time between the last pieces: the machine may have done something else.
    private var longestGap = Duration.zero

    /// Without another wish, keys are waited for longer than any machine is busy with something else.
    init(_ environment: [String: String] = [:]) async throws {
      folder = try ScratchDirectory()
      terminal = try Pseudoterminal(
        ["keys", folder.path("events")], ["ESCDELAY": "60000"].merging(environment) { $1 })
      try await terminal.wait(for: "quit")
    }

    func lines() throws -> [String] {
      try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// What these pieces become, which arrive so many milliseconds apart; a key follows them.
    mutating func events(_ pieces: [String], _ gap: Int = 0) async throws -> [String] {
      longestGap = .zero
      for piece in pieces.dropLast() {
        terminal.say(piece)
        let start = ContinuousClock.now
        // The time between the pieces is what is tried.
        try await Task.sleep(for: .milliseconds(gap))
        longestGap = max(longestGap, .now - start)
      }
      terminal.say((pieces.last ?? "") + "~")
      return try await events("what \(pieces) become")
    }

    /// The same, once they have come within half a second each.
    mutating func eventsInTime(_ pieces: [String], _ gap: Int) async throws -> [String] {
      while true {
        let events = try await events(pieces, gap)
        if longestGap < .milliseconds(500) { return events }
      }
    }

    /// The events up to the key that follows what is tried.
    mutating func events(_ what: String) async throws -> [String] {
      let start = seen
      let all = try await wait(for: what) {
        _ = terminal.count(of: " ")
        let lines = try lines()
        return lines.dropFirst(start).last == "character(\"~\")" ? lines : nil
      }
      seen = all.count
      return all[start...].dropLast().map { $0 }
    }

    /// Lets a piece arrive, and the next one while the driver stands still for longer than it is waited for.
    mutating func events(_ first: String, standing time: Int, _ next: String) async throws
      -> [String]
    {
      while true {
        let start = ContinuousClock.now
        terminal.say(first)
        try await wait(for: "the driver to read") { terminal.unread == 0 ? true : nil }
        terminal.driver.signal(SIGSTOP)
        let isInTime = ContinuousClock.now - start < .milliseconds(time / 2)
        terminal.say(next + "~")
        try await Task.sleep(for: .milliseconds(time))
        terminal.driver.signal(SIGCONT)
        let events = try await events("what \(first) and \(next) become")
        if isInTime { return events }
      }
    }
  }

  /// What the keys are that have a meaning, by terminfo's names.
  private static let meanings = [
    "kcuu1": "up", "kcud1": "down", "kcub1": "left", "kcuf1": "right", "khome": "home",
    "kend": "end", "kpp": "pageUp", "knp": "pageDown", "kdch1": "delete", "kich1": "insert",
    "kcbt": "backTab", "kent": "enter",
  ].merging((1...12).map { ("kf\($0)", "function(\($0))") }) { $1 }

  /// Held while terminfo is asked, which describes one terminal at a time.
  private static let terminfo = Mutex(())

  /// The strings of a type's keys that begin with Escape, and what each is, if it has a meaning.
  private static func keys(of type: String) -> [String: String?] {
    terminfo.withLock { _ in allKeys(of: type) }
  }

  private static func allKeys(of type: String) -> [String: String?] {
    guard curses_describe(type, STDERR_FILENO) == 0 else { return [:] }
    defer { curses_forget_description() }
    var (keys, index): ([String: String?], Int32) = ([:], 0)
    while let name = curses_string_name(index) {
      index += 1
      guard name[0] == CChar(bitPattern: UInt8(ascii: "k")), let value = tigetstr(name),
        Int(bitPattern: value) != -1, value[0] == 27, value[1] != 0,
        // With this, a report of the mouse only begins.
        strcmp(name, "kmous") != 0
      else { continue }
      let key = String(cString: value)
      keys[key] = .some(meanings[String(cString: name)] ?? keys[key] ?? nil)
    }
    return keys
  }

  private static func halves(_ text: String) -> [[String]] {
    let scalars = Array(text.unicodeScalars)
    return (1..<scalars.count).map { cut in
      [scalars[..<cut], scalars[cut...]].map { String(String.UnicodeScalarView($0)) }
    }
  }

  private static func bytes(_ text: String) -> [String] { text.unicodeScalars.map { String($0) } }

  /// Each key, cut at each byte; and each byte by byte, a hundred of them a second, beside a paste.
  @Test(arguments: ["xterm-256color", "tmux-256color", "screen", "linux", "vt100"])
  func noPartOfAKeyActsAsAnother(_ type: String) async throws {
    let keys = Self.keys(of: type).sorted { $0.key < $1.key }
    try #require(keys.count >= 8)
    // Side by side, since each mostly waits.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in 0..<6 {
        group.addTask {
          var line = try await Line(["TERM": type])
          for (number, (key, meaning)) in keys.enumerated() where number % 6 == part {
            let whole = try await line.events([key])
            #expect(whole == meaning.map { [$0] } ?? [], "\(key.debugDescription)")
            for (cut, halves) in Self.halves(key).enumerated() {
              let gap = [5, 80, 280][(number / 6 + cut) % 3]
              let events = try await line.events(halves, gap)
              #expect(events == whole, "\(halves), \(gap) ms apart")
            }
            let slow = try await line.events(Self.bytes("\u{1B}[200~p\u{1B}[201~\(key)"), 10)
            #expect(slow == ["paste \"p\""] + whole, "\(key.debugDescription) beside a paste")
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Sequences that are no keys of terminfo, and characters of several bytes.
  @Test(
    arguments: [
      ("\u{1B}[<0;5;3M\u{1B}[<0;5;3m", ["click"]), ("\u{1B}[<65;5;3M", ["wheelDown"]),
      ("\u{1B}[200~a\r\u{1B}[Ab\u{1B}[201~", nil), ("\u{1B}[I", []), ("\u{1B}[27u", ["escape"]),
      ("\u{1B}]11;rgb:1e1e/1e1e/2e2e\u{1B}\\", []), ("\u{1B}[?1;2c", []), ("\u{1B}[?997;1n", []),
      ("é漢🫨", nil),
    ] as [(String, [String]?)])
  func whatElseArrivesInPieces(_ text: String, _ expected: [String]?) async throws {
    var line = try await Line()
    let whole = try await line.events([text])
    #expect(expected == nil || whole == expected)
    #expect(!whole.isEmpty || expected == [])
    for halves in Self.halves(text) {
      let events = try await line.events(halves, 40)
      #expect(events == whole, "\(halves)")
    }
    // A hundred bytes a second, beside a paste.
    let slow = try await line.events(Self.bytes("\u{1B}[200~p\u{1B}[201~\(text)\u{1B}OP"), 10)
    #expect(slow == ["paste \"p\""] + whole + ["function(1)"])
  }

  /// Whether they arrive together or not: a line, or tmux's `send-keys Escape j`, may bring two keys at once.
  @Test(arguments: [0, 5, 20, 100, 400]) func escapeBeforeAnotherKeyIsNotLost(_ gap: Int)
    async throws
  {
    // In time, or too late.
    for delay in ["300", "60000"] {
      var line = try await Line(["ESCDELAY": delay])
      let keys = [("j", "character(\"j\")"), ("\u{7F}", "backspace"), ("\u{1B}[A", "up")]
      for (key, event) in keys {
        let pieces = gap == 0 ? ["\u{1B}\(key)"] : ["\u{1B}", key]
        #expect(try await line.events(pieces, gap) == ["escape", event])
      }
    }
  }

  @Test(arguments: [(nil, 300), ("700", 700)])
  func theRestIsWaitedFor(_ environment: String?, _ delay: Int) async throws {
    let line = try await Line(["ESCDELAY": environment ?? ""])
    let start = ContinuousClock.now
    line.terminal.say("\u{1B}")
    try await wait(for: "Escape") { try line.lines().last == "escape" ? true : nil }
    #expect(ContinuousClock.now - start >= .milliseconds(delay))
  }

  /// Meanwhile, all goes on.
  @Test func whileTheRestIsWaitedForTheScreenIsDrawn() async throws {
    let terminal = try Pseudoterminal(["9"], ["ESCDELAY": "600000"])
    let frame = "\u{1B}[?2026h"
    try await terminal.wait(for: frame, 5)
    terminal.say("?")
    try await terminal.wait(for: "Help")
    terminal.say("\u{1B}")
    let count = terminal.count(of: frame)
    try await terminal.wait(for: frame, count + 10)
    // With the next key, it is certain that it was Escape, and the rows are there again.
    let rows = terminal.count(of: "IMG_0001")
    terminal.say("j")
    try await terminal.wait(for: "IMG_0001", rows + 1)
  }

  /// A key whose rest comes later than it is waited for is late, and still no letters.
  @Test func aRestThatComesLateIsNoOtherKey() async throws {
    var line = try await Line(["ESCDELAY": "25"])
    // A driver that stands still for a moment reads it in one piece.
    let first = try await line.eventsInTime(["\u{1B}", "OP"], 100)
    #expect(first == ["escape", "function(1)"] || first == ["function(1)"])
    let late = [
      (["\u{1B}O", "P"], "function(1)"), (["\u{1B}[", "3", "~"], "delete"),
      (["\u{1B}[<0;5", ";3M\u{1B}[<0;5;3m"], "click"),
    ]
    for (pieces, event) in late {
      #expect(try await line.eventsInTime(pieces, 100) == [event])
    }
  }

  /// A machine that does something else for a while, or sleeps, divides no key.
  @Test(arguments: [
    ("\u{1B}", "OP", ["function(1)"]), ("\u{1B}[", "3~", ["delete"]),
    ("\u{1B}[<0;5", ";3M\u{1B}[<0;5;3m", ["click"]),
    ("\u{1B}[20", "0~p\u{1B}[201~", ["paste \"p\""]),
  ])
  func whatHasArrivedInTimeCounts(_ first: String, _ next: String, _ events: [String]) async throws
  {
    var line = try await Line(["ESCDELAY": "2000"])
    #expect(try await line.events(first, standing: 2500, next) == events)
  }

  @Test func whatIsStartedDoesNotGetTheDescription() async throws {
    #expect(try await Line().lines().first == "TERMINFO none")
    let line = try await Line(["TERMINFO": "/usr/share/terminfo", "TERM": "xterm"])
    #expect(try line.lines().first == "TERMINFO /usr/share/terminfo")
  }
}
