import CNcurses
import Foundation
import TestSupport
import Testing

@testable import Screens
@testable import Terminal

/// What a terminal shows is what the frame says, in each cell: character, colours, attributes and link, and where the cursor
/// is. The session is that of `SessionTests`, and then random keys and sizes.
@MainActor
@Suite struct FramesOnScreenTests {
  /// A terminal that the frames are drawn in.
  struct Kind: Sendable, CustomTestStringConvertible {
    var type: String
    var environment: [String: String] = [:]
    var theme = "default"
    /// How many colours the terminal has; more than 256 are all.
    var colors: Int
    /// The attributes that its description does not have.
    var lacks: Set<Int> = []
    /// Whether it knows all of Unicode, as new terminals do, or only what the C library does.
    var isNew = true

    var testDescription: String {
      "\(type) \(environment) \(theme)\(isNew ? "" : ", an old terminal")"
    }
  }

  nonisolated static let kinds = [
    Kind(
      type: "xterm-256color", environment: ["COLORTERM": "truecolor"], theme: "dark", colors: 257),
    Kind(
      type: "xterm-256color", environment: ["COLORTERM": "truecolor", "VTE_VERSION": "7600"],
      theme: "nord", colors: 257, isNew: false),
    Kind(type: "xterm-256color", theme: "light", colors: 256),
    Kind(type: "xterm-256color", environment: ["VTE_VERSION": "7600"], colors: 256, isNew: false),
    Kind(type: "tmux-256color", environment: ["TMUX": "x"], colors: 256),
    Kind(
      type: "tmux-256color", environment: ["TMUX": "x", "COLORTERM": "truecolor"],
      theme: "dracula", colors: 257, isNew: false),
    Kind(type: "screen", colors: 8), Kind(type: "screen", colors: 8, isNew: false),
    Kind(type: "xterm", colors: 8), Kind(type: "linux", colors: 8, isNew: false),
    Kind(type: "vt100", colors: 0, lacks: [Emulator.Look.dim]),
    Kind(type: "xterm-256color", environment: ["NO_COLOR": "1"], colors: 0),
    Kind(type: "xterm-256color", environment: ["LC_ALL": "C"], colors: 256),
  ]

  private static let names = [
    "F12": "\u{1B}[24~", "Down": "\u{1B}[B", "Up": "\u{1B}[A", "PageDown": "\u{1B}[6~",
    "Enter": "\r", "Space": " ", "Tab": "\t", "BSpace": "\u{7F}", "Escape": "\u{1B}",
    "C-l": "\u{C}",
  ]
  /// Keys that do not lead out.
  private static let harmless =
    ["F12", "Down", "Up", "PageDown", "Enter", "Space", "Tab", "BSpace", "Escape", "C-l"]
    + "jjkkGg12345bb??:/ffthemrdduvaov".map(String.init)
  private static let sizes = ["100x30", "40x12", "80x24", "30x8", "61x17"]

  @Test(arguments: kinds) func eachCellIsAsTheFrameSays(_ kind: Kind) async throws {
    let folder = try ScratchDirectory()
    let file = folder.path("frame")
    let terminal = try Pseudoterminal(
      ["session", kind.theme, file],
      ["TERM": kind.type, "ESCDELAY": "25"].merging(kind.environment) { $1 },
      columns: 80, rows: 24)
    var emulator = Emulator(columns: 80, rows: 24) { Self.width(of: $0, isNew: kind.isNew) }
    var looks = Looks(kind)
    var shown: [(frame: Substring, cells: ArraySlice<Emulator.Cell>)] = []

    func compare(_ number: Int, _ after: String) async throws {
      let title = "drawn \(number) \(emulator.columns)"
      try await wait(for: "\(title), after \(after)", otherwise: { emulator.title }) {
        emulator.take(terminal.take())
        return emulator.title == title ? true : nil
      }
      let written = try String(contentsOfFile: file, encoding: .utf8)
      let lines = written.split(separator: "\n", omittingEmptySubsequences: false)
      let head = lines[0].split(separator: " ")
      looks.use(String(head[0]))
      if shown.count != lines.count - 1 { shown = [] }
      for row in 0..<emulator.rows {
        let (line, cells) = (lines[row + 1], emulator.line(row))
        if shown.indices.contains(row), shown[row] == (line, cells) { continue }
        if let difference = looks.difference(of: cells, from: line) {
          Issue.record("\(number), after \(after), row \(row), \(difference)")
        }
      }
      shown = (0..<emulator.rows).map { (lines[$0 + 1], emulator.line($0)) }
      let cursor = emulator.showsCursor ? "\(emulator.row) \(emulator.column)" : "none"
      // A terminal that cannot hide its cursor has it at the bottom.
      if kind.type != "vt100" || head[1] != "none" {
        #expect(head.dropFirst().joined(separator: " ") == cursor, "\(number), after \(after)")
      }
      #expect(emulator.takeUnknown() == [], "\(number), after \(after)")
    }

    var random = SplitMix64(seed: 1)
    let more = (0..<60).map { number in
      (number % 8 == 7 ? Self.sizes : Self.harmless).randomElement(using: &random) ?? "j"
    }
    try await compare(1, "the start")
    for (number, step) in (SessionTests.session.flatMap(\.self) + more).enumerated() {
      let size = step.split(separator: "x").compactMap { Int($0) }
      if size.count == 2 {
        emulator.resize(columns: size[0], rows: size[1])
        terminal.resize(columns: size[0], rows: size[1])
      } else {
        terminal.say(Self.names[step] ?? step)
      }
      try await compare(number + 2, step)
    }
  }

  /// The columns that a terminal gives a character.
  private static func width(of scalar: Unicode.Scalar, isNew: Bool) -> Int {
    if DisplayWidth.isSpacingMark(scalar) { return isNew ? 0 : 1 }
    return !isNew && unknown.contains(scalar) ? 1 : DisplayWidth.of(scalar)
  }

  /// Pictographs that the C library does not know.
  private static let unknown: Set<Unicode.Scalar> = {
    // Of LC_CTYPE alone, and for this thread alone.
    let locale = newlocale(1, "C.UTF-8", nil)
    let before = uselocale(locale)
    defer {
      uselocale(before)
      freelocale(locale)
    }
    return Set(
      (0x1F000...0x1FAFF).filter { curses_columns($0) < 0 }.compactMap {
        Unicode.Scalar(UInt32($0))
      })
  }()

  /// How the cells of a frame look in a terminal.
  @MainActor
  private struct Looks {
    private let kind: Kind
    private let showsLinks: Bool
    private var palette: Palette
    private var known: [Substring: Emulator.Look] = [:]

    init(_ kind: Kind) {
      self.kind = kind
      let environment = kind.environment.merging(["TERM": kind.type]) { $1 }
      showsLinks = TerminalFeatures(environment: environment).showsLinks
      palette = Palette(.usual, colors: .none, background: .unknown)
    }

    mutating func use(_ theme: String) {
      guard theme != palette.theme.name || known.isEmpty else { return }
      var colors = Palette.Colors.none
      (colors.count, colors.isDirect) = (min(kind.colors, 256), kind.colors > 256)
      palette = Palette(Theme.named(theme) ?? .usual, colors: colors, background: .unknown)
      known = [:]
    }

    /// Where a row of the terminal is not as the frame's.
    mutating func difference(
      of cells: ArraySlice<Emulator.Cell>, from line: Substring
    ) -> String? {
      var column = 0
      let written = line.split(separator: "\u{1F}", omittingEmptySubsequences: false)
      guard written.count == cells.count else { return "\(written.count) cells" }
      while column < written.count {
        let parts = written[column].split(separator: "\u{1E}", omittingEmptySubsequences: false)
        let width = max(1, Int(parts[1]) ?? 1)
        let look = look(parts[2], parts[3], parts[4])
        let place = cells.startIndex + column
        let all = cells[place..<min(place + width, cells.endIndex)]
        let text = all.map(\.text).joined()
        // A character that this terminal shows in fewer columns has blanks beside it.
        let blanks = String(repeating: " ", count: width)
        let isText =
          text == parts[0] || text == parts[0] + blanks.dropFirst()
          || text == blanks && parts[0] == " "
        guard isText else {
          return "column \(column): \(text.debugDescription), not \(parts[0].debugDescription)"
        }
        for cell in all {
          let isBlank = cell.text == " "
          guard seen(cell.look, isBlank) == seen(look, isBlank) else {
            return "column \(column) \(text.debugDescription): \(cell.look), not \(look)"
          }
          let address = showsLinks ? parts[5] : ""
          guard cell.text.isEmpty || isBlank || cell.address == address else {
            return "column \(column): leads to \(cell.address), not \(address)"
          }
        }
        column += width
      }
      return nil
    }

    private mutating func look(
      _ role: Substring, _ ground: Substring, _ shade: Substring
    ) -> Emulator.Look {
      let name = role + " " + ground + " " + shade
      if let look = known[name] { return look }
      var style = Style(
        Role(rawValue: UInt8(role) ?? 0) ?? .plain,
        on: Style.Ground(rawValue: UInt8(ground) ?? 0) ?? .plain)
      style.shade = UInt8(shade) ?? 0
      let themed = palette.look(of: style)
      var look = Emulator.Look()
      let attributes = [
        (themed.isBold, Emulator.Look.bold), (themed.isDim, Emulator.Look.dim),
        (themed.isUnderlined, Emulator.Look.underline), (themed.isReversed, Emulator.Look.reverse),
      ]
      look.attributes = Set(attributes.filter(\.0).map(\.1)).subtracting(kind.lacks)
      if kind.colors > 0 {
        look.color = themed.color.map(color)
        look.ground = themed.ground.map(color)
      }
      known[name] = look
      return look
    }

    private func color(_ color: Theme.Color) -> Emulator.Color {
      if kind.colors > 256, case .rgb(let red, let green, let blue) = color {
        return .rgb(Int(red), Int(green), Int(blue))
      }
      return .index(Int(color.among(min(kind.colors, 256))))
    }

    /// What can be seen of it: of a blank, neither its colour nor its weight.
    private func seen(_ look: Emulator.Look, _ isBlank: Bool) -> Emulator.Look {
      guard isBlank else { return look }
      var seen = look
      seen.attributes.formIntersection([Emulator.Look.underline, Emulator.Look.reverse])
      if seen.attributes.isEmpty { seen.color = nil }
      return seen
    }
  }
}
