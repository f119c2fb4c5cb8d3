import Foundation
import TestSupport
import Testing

/// The screen as a real terminal shows it, with its colours and attributes, in each number of colours.
///
/// Below a screen, a letter stands for the look of each cell, and a table says what it is where.
@Suite(.serialized, .needs("tmux", "tic")) struct PaintedTests {
  private static let sizes = [(40, 12), (80, 24), (120, 40), (160, 45), (200, 60)]

  /// The panes, the keys that lead to each from the one before, and what is to be read on one row of it once all of them
  /// have been obeyed; "▌" is the cursor.
  private static let panes: [(name: String, keys: [String], signs: [String])] = [
    ("queue", ["j", "j"], ["▌", "failed.txt"]), ("history", ["3", "j"], ["▌", "disk.img"]),
    ("server", ["2"], ["nobody answers"]), ("log", ["4"], ["failed.txt"]),
    ("targets", ["5"], ["album"]), ("browser", ["1", "b", "j", "j", "Space"], ["marked · "]),
    ("filter", ["q", "f", "txt", "Enter"], ["8 with \"txt\""]),
    ("command", [":", "theme", "Space", "r"], [" :theme r"]),
  ]

  /// A terminal, and the theme that is drawn in it.
  private struct Kind {
    var name: String
    var environment: String
    var theme = "default"
  }

  private static func kinds(_ descriptions: String) -> [Kind] {
    [
      Kind(
        name: "truecolor, dark", environment: "TERM=xterm-256color COLORTERM=truecolor",
        theme: "dark"),
      Kind(name: "256, light", environment: "TERM=xterm-256color", theme: "light"),
      Kind(name: "16", environment: "TERMINFO=\(descriptions) TERM=xterm-16color"),
      Kind(name: "8", environment: "TERM=xterm"),
      Kind(name: "NO_COLOR", environment: "TERM=xterm-256color NO_COLOR=1"),
    ]
  }

  @Test(arguments: ["UTF-8", "ASCII"]) func looksAsRecorded(_ characters: String) async throws {
    let folder = try ScratchDirectory()
    // The smallest systems have no description of a terminal with 16 colours.
    try """
    xterm-16color|xterm with 16 colours,
    \tcolors#16, pairs#256,
    \tsetaf=\\E[%?%p1%{8}%<%t%p1%{30}%+%e%p1%{82}%+%;%dm,
    \tsetab=\\E[%?%p1%{8}%<%t%p1%{40}%+%e%p1%{92}%+%;%dm, use=xterm,
    """.write(toFile: folder.path("colours"), atomically: true, encoding: .utf8)
    try Tool.run("tic", ["-x", "-o", folder.path, folder.path("colours")])
    let locale = characters == "ASCII" ? "LC_ALL=C " : ""
    let kinds = Self.kinds(folder.path)
    // In ASCII the looks are the same, so that the queue is enough.
    let panes =
      characters == "ASCII"
      ? [("queue", Self.panes[0].keys, [">", "failed.txt"])] : Self.panes
    // The terminals side by side, since each mostly waits.
    let painted = try await withThrowingTaskGroup(of: (Int, [[Painting]]).self) { group in
      for (number, kind) in kinds.enumerated() {
        group.addTask {
          let terminal = try await DriverTerminal(width: 80, height: 24)
          try await terminal.startDriver("still \(kind.theme)", with: locale + kind.environment)
          var paintings: [[Painting]] = []
          for pane in panes {
            for key in pane.keys { try await terminal.press(key) }
            var bySize: [Painting] = []
            for (width, height) in Self.sizes {
              try await terminal.tmux.resize(columns: width, rows: height)
              bySize.append(try await Self.painting(of: terminal, width, height, signs: pane.signs))
            }
            paintings.append(bySize)
          }
          return (number, paintings)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
    for (place, pane) in panes.enumerated() {
      let name = "painted-\(pane.name)\(characters == "ASCII" ? "-ascii" : "").txt"
      let drawn = Self.sizes.enumerated().map { index, size in
        "── \(size.0) × \(size.1)\n"
          + Self.sheet(painted.map { $0[place][index] }, of: kinds.map(\.name))
      }.joined(separator: "\n")
      if let difference = try Golden.difference(
        of: drawn, from: Self.goldens.appendingPathComponent(name))
      {
        Issue.record("\(difference)")
      }
    }
  }

  private static let letters = Array(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

  private static let goldens = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Goldens")

  /// The screen, once all of it is there in this size, with what is to be read on it.
  private static func painting(
    of terminal: DriverTerminal, _ width: Int, _ height: Int, signs: [String]
  ) async throws -> Painting {
    var last = ""
    return try await wait(for: "the screen in \(width)x\(height) with \(signs)") {
      let captured = try await terminal.tmux.painting()
      guard captured != last else { return nil }
      last = captured
      let painting = Painting(captured)
      let lines = painting.text.prefix(height)
      // The hints end one column before the edge; the list of commands goes from edge to edge.
      let footer = lines.last ?? ""
      let isWide =
        footer.count == width - 1 && ["q quit", "? help"].contains { footer.hasSuffix($0) }
        || footer.hasPrefix(" :")
          && lines.contains { $0.dropFirst(3).hasPrefix("theme NAME") && $0.count == width }
      let isWhole =
        lines.count == height && isWide
        && lines.contains { line in signs.allSatisfy { line.contains($0) } }
      return isWhole ? painting : nil
    }
  }

  /// The screen, a letter for the look of each of its cells, and what the letters stand for.
  private static func sheet(_ paintings: [Painting], of kinds: [String]) -> String {
    let first = paintings[0]
    for painting in paintings { #expect(painting.text == first.text) }
    var letters: [[String]: String] = [kinds.map { _ in "plain" }: "."]
    var table: [[String]] = []
    let map = first.lines.indices.map { row in
      first.lines[row].indices.map { column in
        let looks = paintings.map { painting in
          painting.lines[row].indices.contains(column) ? painting.lines[row][column].look : "plain"
        }
        if let letter = letters[looks] { return letter }
        let letter = String(Self.letters[table.count % Self.letters.count])
        letters[looks] = letter
        table.append([letter] + looks)
        return letter
      }.joined().trimmingEnd(".")
    }
    let legend = ([[""] + kinds] + table).map { cells in
      cells.enumerated().map { index, text in
        text.padding(toLength: index == 0 ? 3 : 30, withPad: " ", startingAt: 0)
      }.joined().trimmingEnd(" ")
    }
    return (first.text + [""] + map + [""] + legend).joined(separator: "\n") + "\n"
  }
}
