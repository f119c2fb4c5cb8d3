import Foundation
import TestSupport
import Testing

/// The screen on a real terminal: tmux is the terminal, a shell starts the driver in it.
@Suite(.serialized) struct TmuxTests {
  @Test func showsCompletesAndQuits() async throws {
    let tmux = try await DriverTerminal(width: 80, height: 24)
    try await tmux.startDriver()
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
    // The time between the readings is what is measured: nothing may happen in it.
    let before = try await tmux.driverSwitches()
    try await Task.sleep(for: .seconds(2))
    #expect(try await tmux.driverSwitches() == before)
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
    try await tmux.startDriver()
    #expect(try await tmux.tmux.painting().contains(color))
    try await tmux.press("q", "s")
    try await tmux.expectShell(endedWith: "0")
    try await tmux.startDriver(with: "NO_COLOR=1")
    #expect(try await !tmux.tmux.painting().contains(color))
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
