import Foundation
import TestSupport
import Testing

/// The screen on a real terminal: tmux is the terminal, a shell starts the driver in it.
@Suite(.serialized, .needs("tmux")) struct TmuxTests {
  @Test func showsCompletesAndQuits() async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    // Where nothing moves nothing ends either, and `q` asks however late it comes.
    try await tmux.startDriver("still")
    try await tmux.press("a", "/data/o", "Tab")
    try await tmux.wait { $0.contains("2 names start with this") }
    try await tmux.press("Tab", "Enter")
    try await tmux.wait { $0.contains("Queue 10") }
    try await tmux.press("G", "Enter")
    try await tmux.wait { $0.contains("Path     /data/one.txt") }
    try await tmux.press("q", "q")
    try await tmux.wait { $0.contains("Quit?") }
    try await tmux.press("s")
    try await tmux.expectShell(endedWith: "0")
  }

  @Test func takesAPasteOfPaths() async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    try await tmux.startDriver()
    try await tmux.tmux.paste("'/tmp/a b.txt' /tmp/c.txt")
    try await tmux.wait {
      $0.contains("Queue 11") && $0.contains("a b.txt") && $0.contains("c.txt")
    }
  }

  @Test func followsTheSizeOfTheWindow() async throws {
    let tmux = try await DriverTerminal(width: 120, height: 40)
    try await tmux.startDriver()
    for (width, height) in [(40, 12), (200, 60), (80, 24)] {
      try await tmux.tmux.resize(columns: width, rows: height)
      try await tmux.wait { screen in
        let lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
        let footer = lines.last { !$0.isEmpty } ?? ""
        // The hints end one column before the edge, in the last line.
        return lines.count >= height && footer.hasSuffix("q quit") && footer.count == width - 1
      }
    }
    try await tmux.tmux.resize(columns: 30, rows: 8)
    try await tmux.wait { $0.contains("window too small") && $0.contains("30x8, needs 40x10") }
  }

  /// What the terminal is told besides what it shows: cursor, keypad, mouse.
  private static let flags =
    "#{cursor_flag} #{keypad_flag} #{keypad_cursor_flag} #{mouse_button_flag} #{mouse_sgr_flag}"

  @Test func stopsAndComesBack() async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    // Some terminals say what their background is, which the usual theme goes by.
    try await tmux.startDriver("still dark")
    let (shown, flags) = (try await tmux.tmux.painting(), try await tmux.tmux.ask(Self.flags))
    #expect(flags == "0 1 1 1 1")
    // The second time, the window has another size when it comes back.
    for width in [80, 100] {
      try await tmux.press("C-z")
      try await tmux.expectShell(endedWith: "148")
      #expect(try await tmux.tmux.ask(Self.flags) == "1 0 0 0 0")
      try await tmux.tmux.resize(columns: width, rows: 24)
      // What the shell has said before is not to be taken for what it will say.
      try await tmux.tmux.command("clear; fg; echo ended with $?")
      try await tmux.wait { screen in
        screen.split(separator: "\n").last.map { $0.hasSuffix("q quit") && $0.count == width - 1 }
          ?? false
      }
      #expect(try await tmux.isOnAlternateScreen())
      try await TestSupport.wait(for: "the keypad and the mouse") {
        try await tmux.tmux.ask(Self.flags) == flags ? true : nil
      }
      if width == 80 {
        try await TestSupport.wait(for: "the same picture") {
          try await tmux.tmux.painting() == shown ? true : nil
        }
      }
      try await tmux.press("?")
      try await tmux.wait { $0.contains("─ Help ") }
      try await tmux.press("q")
      try await tmux.wait { !$0.contains("─ Help ") }
    }
  }

  /// Continued by a signal or by `bg`, it is not the terminal's job. The shell knows that it runs, and sends no signal
  /// when it gives it the terminal.
  @Test(arguments: ["kill -CONT %1", "bg"])
  func leavesTheTerminalToTheShellUntilItIsBack(by command: String) async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    try await tmux.startDriver("still")
    let flags = try await tmux.tmux.ask(Self.flags)
    try await tmux.press("C-z")
    try await tmux.expectShell(endedWith: "148")
    try await tmux.tmux.command("clear; \(command)")
    try await tmux.tmux.command("clear; jobs; echo the shell")
    try await tmux.wait { $0.contains("Running") && $0.contains("\nthe shell") }
    // What is typed is the shell's.
    try await tmux.tmux.command("q")
    try await tmux.wait { $0.contains("q: command not found") }
    #expect(try await tmux.tmux.ask(Self.flags) == "1 0 0 0 0")
    #expect(try await tmux.isOnAlternateScreen() == false)
    try await tmux.tmux.command("clear; fg; echo ended with $?")
    try await tmux.wait { $0.contains("hoist · photos") && $0.contains("q quit") }
    try await TestSupport.wait(for: "the keypad and the mouse") {
      try await tmux.tmux.ask(Self.flags) == flags ? true : nil
    }
    try await tmux.press("?")
    try await tmux.wait { $0.contains("─ Help ") }
    // Another signal changes nothing.
    try await tmux.signalDriver("CONT")
    try await tmux.press("q")
    try await tmux.wait { !$0.contains("─ Help ") }
    try await tmux.press("C-z")
    try await tmux.wait { $0.contains("ended with 148") }
    try await tmux.tmux.command("clear; \(command)")
    // Ends in the background without a word to the terminal.
    try await tmux.signalDriver("TERM")
    try await tmux.tmux.command("clear; wait; echo all ended")
    try await tmux.wait { $0.contains("\nall ended") }
    #expect(try await tmux.isOnAlternateScreen() == false)
  }

  /// Closed without a signal, as where hoist is not in its session.
  @Test func aTerminalThatIsClosedEndsIt() async throws {
    let terminal = try Pseudoterminal(["9"])
    try await terminal.wait(for: "quit")
    terminal.hangUp()
    try await wait(for: "the end") { terminal.driver.hasEnded ? true : nil }
  }

  @Test(arguments: ["TERM", "HUP", "INT"]) func leavesInOrder(when signal: String) async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    try await tmux.startDriver()
    try await tmux.signalDriver(signal)
    try await tmux.expectShell(endedWith: "0")
  }

  @Test(arguments: [
    ("SEGV", "139"), ("ABRT", "134"), ("ILL", "132"), ("TRAP", "133"), ("BUS", "135"),
    ("QUIT", "131"),
  ])
  func givesTheTerminalBack(afterACrashBy signal: String, _ status: String) async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    try await tmux.startDriver()
    try await tmux.signalDriver(signal)
    try await tmux.expectShell(endedWith: status)
  }

  @Test func doesNothingWhileNothingHappens() async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    try await tmux.startDriver("0")
    try await tmux.wait { $0.contains("Nothing is queued.") }
    // The time between the readings is what is measured: nothing may happen in it, once the start is over.
    try await TestSupport.wait(for: "two seconds in which nothing happens") {
      let before = try await tmux.driverSwitches()
      try await Task.sleep(for: .seconds(2))
      return try await tmux.driverSwitches() == before ? true : nil
    }
  }

  @Test func keepsToASCIIWhereTheLocaleHasNoMore() async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    try await tmux.startDriver(with: "LC_ALL=C")
    let screen = try await tmux.screen()
    #expect(screen.allSatisfy { $0.isASCII })
    #expect(screen.contains("????.png"))
  }

  /// A locale that is not installed, such as one that ssh passes on from another system.
  @Test(arguments: ["LC_ALL=xx_XX.UTF-8", "-u LC_ALL LC_CTYPE=UTF-8", "-u LC_ALL LANG=xx_XX.utf8"])
  func drawsInUTF8WhereTheLocaleIsMissing(_ environment: String) async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    try await tmux.startDriver("still", with: environment)
    #expect(try await tmux.screen().contains("漢字かな.png"))
  }

  @Test func usesNoColorWhereNoneIsWanted() async throws {
    // One of the eight colours, or of more, as parameters of SGR, with or without others before them.
    let color = /\u{1B}\[([0-9;]*;)?3[0-8][;m]/
    let tmux = try await DriverTerminal(width: 80, height: 24)
    try await tmux.startDriver("still")
    #expect(try await tmux.tmux.painting().contains(color))
    try await tmux.press("q", "s")
    try await tmux.expectShell(endedWith: "0")
    try await tmux.startDriver("still", with: "NO_COLOR=1")
    #expect(try await !tmux.tmux.painting().contains(color))
  }

  /// The usual theme is light or dark as the terminal says that its background is, then and later.
  @Test func goesByTheBackground() async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    try await tmux.startDriver("still", with: "TERM=xterm-256color COLORTERM=truecolor")
    let answers = [
      ("rgb:1e1e/1e1e/2e2e", "48;2;43;52;68"), ("rgb:ffff/ffff/eeee", "48;2;216;228;242"),
    ]
    for (color, ground) in answers {
      try await tmux.tmux.type("\u{1B}]11;\(color)\u{1B}\\")
      try await TestSupport.wait(for: "the selection on \(ground)") {
        try await tmux.tmux.painting().contains(ground) ? true : nil
      }
    }
    #expect(try await tmux.screen().contains("Queue 9"), "no part of it is taken for keys")
  }

  /// Bars and names of a done, a moving, a failed and an unknown file, in as many colours as there are:
  /// what is done is green and quiet, what moves bright, what failed red. tmux 3.5 says that its background is dark.
  /// Where the background is not known, a bar has the colour of plain text.
  @Test(arguments: [
    (
      "TERM=xterm-256color", ["32 38;5;114", "plain 38;5;75", "31 38;5;203", "35 38;5;215"]
    ),
    ("TERM=xterm", ["32", "36", "31", "33"]), ("NO_COLOR=1", ["", "", "", ""]),
  ])
  func tellsStatesApartInAnyColours(_ environment: String, _ colors: [String]) async throws {
    let tmux = try await DriverTerminal(width: 100, height: 30)
    try await tmux.startDriver("still", with: environment)
    // None of them is the row under the cursor.
    try await tmux.press("G")
    try await tmux.wait { $0.contains("▌ · ") }
    let lines = try await tmux.tmux.painting().split(separator: "\n").map(String.init)
    let rows = [
      ("done.txt", "done 201"), ("moving.txt", "━━"), ("failed.txt", "failed: 413"),
      ("unknown.txt", "may have"),
    ]
    for ((name, glyphs), color) in zip(rows, colors) {
      let row = try #require(lines.first { $0.contains(name) })
      let before = row.components(separatedBy: glyphs).first ?? ""
      // Attributes and the ground may come with the colour, in whatever order.
      let last = before.components(separatedBy: "\u{1B}[").reversed()
        .prefix { $0.last == "m" }.joined(separator: " ")
      let numbers = color.split(separator: " ")
      if numbers.isEmpty {
        #expect(
          !before.contains(/\u{1B}\[([0-9;]*;)?[39][0-7][;m]/), "\(name): \(row.debugDescription)")
      } else {
        let isPlain = numbers.contains("plain") && last.isEmpty
        #expect(
          isPlain || numbers.contains { last.contains($0) }, "\(name): \(row.debugDescription)")
      }
    }
  }

  @Test(arguments: [
    ("TERM=dumb", "cannot move its cursor"), ("TERM=nonsense", "nothing is known about a terminal"),
  ])
  func saysWhyThereIsNoScreen(_ environment: String, _ why: String) async throws {
    let tmux = try await DriverTerminal(width: 120, height: 24)
    try await tmux.typeDriver(with: environment)
    try await tmux.wait { $0.contains(why) }
    try await tmux.expectShell(endedWith: "2")
  }

  @Test func wantsATerminal() async throws {
    let tmux = try await DriverTerminal(width: 120, height: 24)
    try await tmux.typeDriver("9 | cat")
    try await tmux.wait { $0.contains("standard output is not a terminal") }
  }

  // MARK: What a terminal gets

  /// Starts the driver, answers its question for kitty's keyboard protocol, and returns the file of all that it writes.
  private func kittyDriver(in tmux: DriverTerminal, _ folder: ScratchDirectory) async throws
    -> String
  {
    try await tmux.tmux.record(to: folder.path("bytes"))
    try await tmux.startDriver("still", with: "TERM=xterm-256color")
    #expect(try Self.count("\u{1B}[?u", in: folder.path("bytes")) == 1)
    #expect(try Self.count("\u{1B}[>1u", in: folder.path("bytes")) == 0, "before it was said")
    try await tmux.tmux.type("\u{1B}[?0u")
    try await TestSupport.wait(for: "the protocol to be on") {
      try Self.count("\u{1B}[>1u", in: folder.path("bytes")) == 1 ? true : nil
    }
    return folder.path("bytes")
  }

  private static func count(_ sequence: String, in file: String) throws -> Int {
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
    return text.components(separatedBy: sequence).count - 1
  }

  private static func waitForCount(_ count: Int, of sequence: String, in file: String) async throws
  {
    try await TestSupport.wait(for: "\(sequence.debugDescription) \(count) times") {
      try Self.count(sequence, in: file) >= count ? true : nil
    }
  }

  @Test func kittysKeyboardIsOnWhereThereIsOneAndOffAtTheEnd() async throws {
    let (tmux, folder) = (try await DriverTerminal(width: 80, height: 24), try ScratchDirectory())
    let bytes = try await kittyDriver(in: tmux, folder)
    // Escape and ^c as that protocol has them.
    try await tmux.press("?")
    try await tmux.wait { $0.contains("─ Help ") }
    try await tmux.tmux.type("\u{1B}[27u")
    try await tmux.wait { !$0.contains("─ Help ") }
    try await tmux.tmux.type("\u{1B}[99;5u")
    try await tmux.wait { $0.contains("Quit?") }
    try await tmux.press("s")
    try await tmux.expectShell(endedWith: "0")
    try await Self.waitForCount(1, of: "\u{1B}[<1u", in: bytes)
  }

  @Test func kittysKeyboardIsOffAfterACrashAndWhileItIsStopped() async throws {
    let (tmux, folder) = (try await DriverTerminal(width: 80, height: 24), try ScratchDirectory())
    let bytes = try await kittyDriver(in: tmux, folder)
    try await tmux.press("C-z")
    try await tmux.wait { $0.contains("ended with 148") }
    try await Self.waitForCount(1, of: "\u{1B}[<1u", in: bytes)
    try await tmux.press("fg", "Enter")
    try await tmux.wait { $0.contains("Queue 9") }
    // It is asked for anew.
    try await Self.waitForCount(2, of: "\u{1B}[?u", in: bytes)
    try await tmux.tmux.type("\u{1B}[?0u")
    try await Self.waitForCount(2, of: "\u{1B}[>1u", in: bytes)
    try await tmux.signalDriver("SEGV")
    try await tmux.wait { $0.contains("ended with 139") || $0.contains("Segmentation fault") }
    try await Self.waitForCount(2, of: "\u{1B}[<1u", in: bytes)
  }

  @Test(arguments: [
    ("TERM=xterm-256color", true), ("-u TMUX TERM=xterm-256color", false),
    ("-u TMUX TERM=xterm-256color TERM_PROGRAM=WezTerm", true),
    ("-u TMUX TERM=xterm-256color VTE_VERSION=7600", true),
    ("-u TMUX TERM=xterm-256color VTE_VERSION=4000", false), ("-u TMUX STY=1 TERM=screen", false),
  ])
  func addressesLeadSomewhereWhereThatIsKnown(_ environment: String, _ isThere: Bool) async throws {
    let (tmux, folder) = (try await DriverTerminal(width: 100, height: 24), try ScratchDirectory())
    try await tmux.tmux.record(to: folder.path("bytes"))
    try await tmux.startDriver("links", with: environment)
    try await tmux.wait { $0.contains("done.txt") }
    try await tmux.press("q", "s")
    try await tmux.expectShell(endedWith: "0")
    let start = "\u{1B}]8;id=hoist1;https://files.example.com/done%20%C3%BC.txt\u{1B}\\"
    let count = try Self.count(start, in: folder.path("bytes"))
    #expect(isThere ? count > 0 : count == 0)
    // Each begins and ends; after it, text leads nowhere.
    let all = try Self.count("\u{1B}]8;", in: folder.path("bytes"))
    #expect(all == 2 * count)
  }

  /// All that a terminal gets from the driver, from its start to its end, with some keys in between.
  private func bytes(
    _ arguments: String, with environment: String,
    keys: (DriverTerminal, String) async throws -> Void
  ) async throws -> String {
    let (tmux, folder) = (try await DriverTerminal(width: 100, height: 24), try ScratchDirectory())
    let file = folder.path("bytes")
    try await tmux.tmux.record(to: file)
    try await tmux.startDriver(arguments, with: environment)
    try await keys(tmux, file)
    try await tmux.press("q", "s")
    try await tmux.expectShell(endedWith: "0")
    // The rest of what was written may still be on its way into the file.
    try await Self.waitForCount(1, of: "\u{1B}[?2004l", in: file)
    return String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
  }

  /// OSC 9;4: the share with its failures, taken away at the end.
  @Test(arguments: [
    ("-u TMUX TERM=xterm-256color VTE_VERSION=7900", true),
    ("-u TMUX TERM=xterm-256color WT_SESSION=1", true),
    ("-u TMUX TERM=xterm-256color ConEmuANSI=ON", true),
    ("-u TMUX TERM=xterm-256color VTE_VERSION=7600", false),
    ("TERM=xterm-256color VTE_VERSION=7900", false),
  ])
  func progressIsBesideTheTitleWhereThatIsKnown(_ environment: String, _ isThere: Bool)
    async throws
  {
    let bytes = try await bytes("still", with: environment) { _, _ in }
    #expect(bytes.contains(/\x{1B}\]9;4;4;[1-9][0-9]?\x{1B}\\/) == isThere)
    #expect(bytes.contains("\u{1B}]9;4;0\u{1B}\\") == isThere)
    #expect(bytes.contains("\u{1B}]9;4;") == isThere)
  }

  /// OSC 52: the address in Base64.
  @Test func whatIsCopiedGoesThroughTheTerminal() async throws {
    let address = Data("https://files.example.com/done ü.txt".utf8).base64EncodedString()
    let bytes = try await bytes("links", with: "TERM=xterm-256color") { tmux, _ in
      try await tmux.press("g", "y")
      try await tmux.wait { $0.contains("copied:") }
    }
    #expect(bytes.components(separatedBy: "\u{1B}]52;c;\(address)\u{07}").count == 2)
  }

  /// OSC 11 and mode 2031, where there are colours that could go by the background.
  @Test(arguments: [("TERM=xterm-256color", true), ("TERM=xterm", false)])
  func theBackgroundIsAskedForAndWatched(_ environment: String, _ isAsked: Bool) async throws {
    let question = "\u{1B}]11;?\u{1B}\\"
    let bytes = try await bytes("still", with: environment) { tmux, file in
      #expect(try Self.count(question, in: file) == (isAsked ? 1 : 0))
      guard isAsked else { return }
      // The user turns from dark to light.
      try await tmux.tmux.type("\u{1B}[?997;2n")
      try await Self.waitForCount(2, of: question, in: file)
    }
    for mode in ["\u{1B}[?2031h", "\u{1B}[?2031l"] {
      #expect(bytes.components(separatedBy: mode).count == (isAsked ? 2 : 1), "\(mode)")
    }
  }

  /// Mode 1004: what the terminal says of it is no key.
  @Test func theFocusIsWatchedUntilTheEnd() async throws {
    let bytes = try await bytes("still", with: "TERM=xterm-256color") { tmux, file in
      #expect(try Self.count("\u{1B}[?1004h", in: file) == 1)
      try await tmux.tmux.type("\u{1B}[O\u{1B}[I")
      try await tmux.press("?")
      try await tmux.wait { $0.contains("─ Help ") }
      try await tmux.press("q")
      try await tmux.wait { !$0.contains("─ Help ") }
    }
    #expect(bytes.components(separatedBy: "\u{1B}[?1004l").count == 2)
  }

  /// Terminals of these types are known, although terminfo has no entry for them.
  @Test(arguments: ["xterm-nowhere", "kitty-nowhere", "ghostty-nowhere", "alacritty-nowhere"])
  func aTypeWithoutAnEntryIsTreatedAsOneLikeIt(_ type: String) async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    try await tmux.startDriver("still", with: "TERM=\(type)")
    #expect(try await tmux.tmux.painting().contains("\u{1B}[38;5;"), "256 colours")
    try await tmux.press("q", "s")
    try await tmux.expectShell(endedWith: "0")
  }
}
