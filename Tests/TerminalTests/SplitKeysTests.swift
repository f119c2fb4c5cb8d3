import CNcurses
import Foundation
import TestSupport
import Testing

/// Keys that arrive in pieces, as over a slow line, in a real terminal: none becomes another.
@Suite(.needs("tmux")) struct SplitKeysTests {
  /// A terminal in which all that arrives is written down.
  private struct Line {
    let terminal: DriverTerminal
    private let folder: ScratchDirectory
    private var file: String { folder.path("events") }
    /// How many lines have been looked at.
    private var seen = 1

    init(_ environment: String) async throws {
      (terminal, folder) = (try await DriverTerminal(width: 80, height: 24), try ScratchDirectory())
      try await terminal.typeDriver("keys \(folder.path("events"))", with: environment)
      try await terminal.wait { $0.contains("q quit") }
    }

    func lines() throws -> [String] {
      try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// What these pieces become, which arrive so many milliseconds apart; a key follows them.
    mutating func events(_ pieces: [String], _ gap: Int) async throws -> [String] {
      for piece in pieces.dropLast() {
        try await terminal.tmux.type(piece)
        // The time between the pieces is what is tried.
        try await Task.sleep(for: .milliseconds(gap))
      }
      try await terminal.tmux.type((pieces.last ?? "") + "~")
      let start = seen
      let all = try await wait(for: "what \(pieces) become") {
        let lines = try lines()
        return lines.dropFirst(start).last == "character(\"~\")" ? lines : nil
      }
      seen = all.count
      return all[start...].dropLast().map { $0 }
    }
  }

  /// The strings of a type's keys that begin with Escape.
  private static func keys(of type: String) -> [String] {
    guard curses_describe(type, STDERR_FILENO) == 0 else { return [] }
    defer { curses_forget_description() }
    var (keys, index): (Set<String>, Int32) = ([], 0)
    while let name = curses_string_name(index) {
      index += 1
      guard name[0] == CChar(bitPattern: UInt8(ascii: "k")), let value = tigetstr(name),
        Int(bitPattern: value) != -1, value[0] == 27,
        // With this, a report of the mouse only begins.
        strcmp(name, "kmous") != 0
      else { continue }
      keys.insert(String(cString: value))
    }
    // Those that turn the keypad on and off are sent and not received.
    return keys.filter { $0.utf8.count > 1 }.sorted()
  }

  private static func halves(_ text: String) -> [[String]] {
    let scalars = Array(text.unicodeScalars)
    return (1..<scalars.count).map { cut in
      [scalars[..<cut], scalars[cut...]].map { String(String.UnicodeScalarView($0)) }
    }
  }

  @Test(arguments: ["xterm-256color", "linux", "tmux-256color", "vt100"])
  func noPartOfAKeyActsAsAnother(_ type: String) async throws {
    let keys = Self.keys(of: type)
    try #require(keys.count >= 8)
    // Side by side, since each mostly waits.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in 0..<6 {
        group.addTask {
          // Whatever else the machine does, ncurses waits for the rest.
          var line = try await Line("TERM=\(type) ESCDELAY=5000")
          for (number, key) in keys.enumerated() where number % 6 == part {
            let whole = try await line.events([key], 0)
            #expect(whole.count <= 1, "\(key.debugDescription): \(whole)")
            for (cut, halves) in Self.halves(key).enumerated() {
              let gap = [5, 80, 280][(number / 6 + cut) % 3]
              // A machine that does something else for so long divides the key itself: then try again.
              try await wait(for: "\(halves), \(gap) ms apart, to become \(whole)") {
                try await line.events(halves, gap) == whole ? true : nil
              }
            }
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
    var line = try await Line("TERM=xterm-256color ESCDELAY=5000")
    let whole = try await line.events([text], 0)
    #expect(expected == nil || whole == expected)
    #expect(!whole.isEmpty || expected == [])
    // On a machine that does something else for a second, a sequence is given up: then try again.
    for halves in Self.halves(text) {
      try await wait(for: "\(halves) to become \(whole)") {
        try await line.events(halves, 40) == whole ? true : nil
      }
    }
    // A hundred bytes a second, beside a paste.
    let slow = "\u{1B}[200~p\u{1B}[201~\(text)\u{1B}OP"
    let pieces = slow.unicodeScalars.map { String($0) }
    try await wait(for: "a slow line to bring the same") {
      try await line.events(pieces, 10) == ["paste \"p\""] + whole + ["function(1)"] ? true : nil
    }
  }

  @Test func escapeBeforeAnotherKeyIsNotLost() async throws {
    var line = try await Line("TERM=xterm-256color")
    let both = ["escape", "character(\"j\")"]
    #expect(try await line.events(["\u{1B}", "j"], 400) == both)
    // On a machine that does something else for so long, they arrive together.
    try await wait(for: "a key 20 ms after Escape") {
      try await line.events(["\u{1B}", "j"], 20) == both ? true : nil
    }
    // Together they are a key with Alt, which has no meaning.
    #expect(try await line.events(["\u{1B}j"], 0) == [])
  }

  @Test(arguments: [("-u ESCDELAY", 300), ("ESCDELAY=700", 700)])
  func theRestIsWaitedFor(_ environment: String, _ delay: Int) async throws {
    let line = try await Line("\(environment) TERM=xterm-256color")
    let start = ContinuousClock.now
    try await line.terminal.tmux.type("\u{1B}")
    try await wait(for: "Escape") { try line.lines().last == "escape" ? true : nil }
    #expect(ContinuousClock.now - start >= .milliseconds(delay))
  }

  /// A key whose rest comes later than ncurses waits is late, and still no letters.
  @Test func aRestThatComesLateIsNoOtherKey() async throws {
    var line = try await Line("TERM=xterm-256color ESCDELAY=25")
    try await line.terminal.tmux.type("\u{1B}")
    try await wait(for: "Escape") { try line.lines().last == "escape" ? true : nil }
    #expect(try await line.events(["OP"], 0) == ["escape", "function(1)"])
    #expect(try await line.events(["\u{1B}O", "P"], 600) == ["function(1)"])
    #expect(try await line.events(["\u{1B}[", "3", "~"], 600) == ["delete"])
    #expect(try await line.events(["\u{1B}[<0;5", ";3M\u{1B}[<0;5;3m"], 600) == ["click"])
  }

  @Test func whatIsStartedDoesNotGetTheDescription() async throws {
    #expect(try await Line("-u TERMINFO TERM=xterm-256color").lines().first == "TERMINFO none")
    let line = try await Line("TERMINFO=/usr/share/terminfo TERM=xterm")
    #expect(try line.lines().first == "TERMINFO /usr/share/terminfo")
  }
}
