import Foundation
import Testing

/// The screen on a real terminal: tmux is the terminal, a shell starts the driver in it.
@Suite(.serialized) struct TmuxTests {
  @Test func showsCompletesAndQuits() throws {
    let tmux = try Tmux(width: 80, height: 24)
    try tmux.startDriver()
    try tmux.press("a", "/data/o", "Tab")
    try tmux.wait { $0.contains("2 begin like this") }
    try tmux.press("Tab", "Enter")
    try tmux.wait { $0.contains("Queue 10") }
    try tmux.press("G", "Enter")
    try tmux.wait { $0.contains("Path     /data/one.txt") }
    try tmux.press("q", "q")
    try tmux.wait { $0.contains("Quit?") }
    try tmux.press("s")
    try tmux.expectShell(endedWith: "0")
  }

  @Test func takesAPasteOfPaths() throws {
    let tmux = try Tmux(width: 80, height: 24)
    try tmux.startDriver()
    try tmux.paste("'/tmp/a b.txt' /tmp/c.txt")
    try tmux.wait { $0.contains("Queue 11") && $0.contains("a b.txt") && $0.contains("c.txt") }
  }

  @Test func followsTheSizeOfTheWindow() throws {
    let tmux = try Tmux(width: 120, height: 40)
    try tmux.startDriver()
    for (width, height) in [(40, 12), (200, 60), (80, 24)] {
      try tmux.resize(width, height)
      try tmux.wait { screen in
        let lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
        let footer = lines.last { !$0.isEmpty } ?? ""
        // The hints end one column before the edge, in the last line.
        return lines.count >= height && footer.hasSuffix("q quit") && footer.count == width - 1
      }
    }
    try tmux.resize(30, 8)
    try tmux.wait { $0.contains("window too small") && $0.contains("30x8, needs 40x10") }
  }

  @Test func stopsAndComesBack() throws {
    let tmux = try Tmux(width: 80, height: 24)
    try tmux.startDriver()
    try tmux.press("C-z")
    try tmux.wait { $0.contains("ended with 148") }
    #expect(try tmux.isOnAlternateScreen() == false)
    try tmux.press("fg", "Enter")
    try tmux.wait { $0.contains("Queue 9") }
    #expect(try tmux.isOnAlternateScreen())
  }

  @Test(arguments: ["TERM", "HUP", "INT"]) func leavesInOrder(when signal: String) throws {
    let tmux = try Tmux(width: 80, height: 24)
    try tmux.startDriver()
    try tmux.signalDriver(signal)
    try tmux.expectShell(endedWith: "0")
  }

  @Test(arguments: [
    ("SEGV", "139"), ("ABRT", "134"), ("ILL", "132"), ("TRAP", "133"), ("BUS", "135"),
    ("QUIT", "131"),
  ])
  func givesTheTerminalBack(afterACrashBy signal: String, _ status: String) throws {
    let tmux = try Tmux(width: 80, height: 24)
    try tmux.startDriver()
    try tmux.signalDriver(signal)
    try tmux.expectShell(endedWith: status)
  }

  @Test func doesNothingWhileNothingHappens() throws {
    let tmux = try Tmux(width: 80, height: 24)
    try tmux.startDriver("0")
    try tmux.wait { $0.contains("Nothing is queued.") }
    // The time between the readings is what is measured: nothing may happen in it.
    let before = try tmux.driverSwitches()
    try tmux.run("sleep 2")
    #expect(try tmux.driverSwitches() == before)
  }

  @Test func keepsToASCIIWhereTheLocaleHasNoMore() throws {
    let tmux = try Tmux(width: 80, height: 24)
    try tmux.startDriver(with: "LC_ALL=C")
    let screen = try tmux.screen()
    #expect(screen.allSatisfy { $0.isASCII })
    #expect(screen.contains("????.png"))
  }

  @Test func usesNoColorWhereNoneIsWanted() throws {
    // Colours of the eight as parameters of SGR, with or without others before them.
    let color = /\u{1B}\[([0-9;]*;)?3[0-7][;m]/
    let tmux = try Tmux(width: 80, height: 24)
    try tmux.startDriver()
    #expect(try tmux.painting().contains(color))
    try tmux.press("q", "s")
    try tmux.expectShell(endedWith: "0")
    try tmux.startDriver(with: "NO_COLOR=1")
    #expect(try !tmux.painting().contains(color))
  }

  @Test(arguments: [
    ("TERM=dumb", "cannot move its cursor"), ("TERM=nonsense", "nothing is known about a terminal"),
  ])
  func saysWhyThereIsNoScreen(_ environment: String, _ why: String) throws {
    let tmux = try Tmux(width: 120, height: 24)
    try tmux.typeDriver(with: environment)
    try tmux.wait { $0.contains(why) }
    try tmux.expectShell(endedWith: "2")
  }

  @Test func wantsATerminal() throws {
    let tmux = try Tmux(width: 120, height: 24)
    try tmux.typeDriver("9 | cat")
    try tmux.wait { $0.contains("standard output is not a terminal") }
  }
}
