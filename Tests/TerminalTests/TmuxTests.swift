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
    try await tmux.wait { $0.contains("2 begin like this") }
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

  @Test func stopsAndComesBack() async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    try await tmux.startDriver()
    try await tmux.press("C-z")
    try await tmux.wait { $0.contains("ended with 148") }
    #expect(try await tmux.isOnAlternateScreen() == false)
    try await tmux.press("fg", "Enter")
    try await tmux.wait { $0.contains("Queue 9") }
    #expect(try await tmux.isOnAlternateScreen())
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

  @Test func usesNoColorWhereNoneIsWanted() async throws {
    // Colours of the eight as parameters of SGR, with or without others before them.
    let color = /\u{1B}\[([0-9;]*;)?3[0-7][;m]/
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
  /// what is done is green and quiet, what moves bright, what failed red.
  @Test(arguments: [
    ("TERM=xterm-256color", ["\u{1B}[32m", "\u{1B}[96m", "\u{1B}[31m", "\u{1B}[33m"]),
    ("TERM=xterm", ["\u{1B}[32m", "\u{1B}[36m", "\u{1B}[31m", "\u{1B}[33m"]),
    ("NO_COLOR=1", ["", "", "", ""]),
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
      ("unknown.txt", "outcome"),
    ]
    for ((name, glyphs), color) in zip(rows, colors) {
      let row = try #require(lines.first { $0.contains(name) })
      let before = row.components(separatedBy: glyphs).first ?? ""
      // Attributes and the ground may come with the colour, in whatever order.
      let last = before.components(separatedBy: "\u{1B}[").reversed()
        .prefix { $0.last == "m" }.joined(separator: " ")
      let number = color.unicodeScalars.filter { ("0"..."9").contains($0) }.map(\.description)
        .joined()
      if number.isEmpty {
        #expect(
          !before.contains(/\u{1B}\[([0-9;]*;)?[39][0-7][;m]/), "\(name): \(row.debugDescription)")
      } else {
        #expect(last.contains(number), "\(name): \(row.debugDescription)")
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
}
