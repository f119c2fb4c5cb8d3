import Foundation
import TestSupport
import Testing

/// A session with names that are hard to draw, in terminals of many types.
///
/// To compare what a terminal shows before and after a change to `Terminal`, run this twice, with HOIST_SCREENS as a folder
/// each time, and compare the folders: each screen of the session becomes a file, with the look of each cell.
@Suite(.needs("tmux")) struct SessionTests {
  /// Keys by tmux's names, and sizes. After each line, the screen is drawn anew.
  static let session = """
    F12 F12 F12 j j F12 Down Down Enter F12 q
    PageDown F12 PageDown F12 j j j k k G F12 g F12
    3 j j F12 2 4 j j F12 5 j 1
    100x30 F12 j 200x60 F12 G 40x12 F12 j j 80x24 F12
    b j j Space Space j q
    ? PageDown j q : t h e m e Space r Tab BSpace BSpace Escape
    f t x t Enter F12 j Escape a / d a t a / o Tab F12 Escape
    30x8 F12 80x24 F12 Space j Space j Space F12 d F12 u F12 v F12 v
    """.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }

  @Test(arguments: [
    ("direct", "TERM=xterm-256color COLORTERM=truecolor", "dark"),
    ("ground", "TERM=xterm-256color COLORTERM=truecolor", "nord"),
    ("256", "TERM=xterm-256color", "light"), ("tmux", "TERM=tmux-256color", "default"),
    ("tmux-direct", "TERM=tmux-256color COLORTERM=truecolor", "dracula"),
    ("screen", "TERM=screen", "default"), ("xterm", "TERM=xterm", "default"),
    ("linux", "TERM=linux", "default"), ("vt100", "TERM=vt100", "default"),
    ("none", "TERM=xterm-256color NO_COLOR=1", "default"),
    ("ascii", "TERM=xterm-256color LC_ALL=C", "default"),
  ])
  func aScreenLooksTheSameHoweverItCameAbout(
    _ name: String, _ environment: String, _ theme: String
  ) async throws {
    let terminal = try await DriverTerminal(width: 80, height: 24)
    try await terminal.startDriver("session \(theme)", with: environment)
    var (drawn, width) = (1, 80)
    /// What the terminal shows once the next event has been drawn.
    func next() async throws -> String {
      let title = "drawn \(drawn) \(width)"
      try await wait(for: title) {
        try await terminal.tmux.ask("#{pane_title}") == title ? true : nil
      }
      return try await terminal.tmux.painting()
    }
    try Self.keep(try await next(), name, drawn, "start")
    for line in Self.session {
      var shown = ""
      for step in line {
        drawn += 1
        let size = step.split(separator: "x").compactMap { Int($0) }
        if size.count == 2 {
          width = size[0]
          try await terminal.tmux.resize(columns: width, rows: size[1])
        } else {
          try await terminal.press(step)
        }
        shown = try await next()
        try Self.keep(shown, name, drawn, step)
      }
      drawn += 1
      try await terminal.press("C-l")
      let (before, after) = (Self.rows(shown), Self.rows(try await next()))
      for (row, (old, new)) in zip(before, after).enumerated() where old != new {
        Issue.record("\(name), after \(line), row \(row):\n\(old)\n\(new)")
      }
    }
  }

  /// The rows, each with its cells' looks. tmux does not tell blanks at the end of a row from cells that were erased.
  private static func rows(_ shown: String) -> [String] {
    let painting = Painting(shown)
    return zip(painting.text, painting.lines).map { text, line in
      let blank = Painting.Cell(text: " ", look: "plain")
      let end = (line.lastIndex { $0 != blank } ?? -1) + 1
      let cells = line[..<end].map { "\($0.text) \($0.look)" }
      return ([text] + cells).joined(separator: "\n")
    }
  }

  private static func keep(_ shown: String, _ name: String, _ number: Int, _ step: String) throws {
    guard let folder = ProcessInfo.processInfo.environment["HOIST_SCREENS"] else { return }
    let number = String(number + 1000).dropFirst()
    let step = step == "/" ? "slash" : step
    try FileManager.default.createDirectory(
      atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    try rows(shown).joined(separator: "\n").write(
      toFile: "\(folder)/\(name)/\(number)-\(step)", atomically: true, encoding: .utf8)
  }
}
