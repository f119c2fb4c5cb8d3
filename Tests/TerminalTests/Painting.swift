/// What a terminal shows, as tmux captures it: text with SGR sequences in it (ECMA-48 §8.3.117).
struct Painting {
  /// What stands in a cell, and its colour and attributes in words, as a theme names them. The second cell
  /// of a wide character holds no text.
  struct Cell: Hashable {
    var text: String
    var look: String
  }

  let lines: [[Cell]]

  /// The lines without the blanks at their ends.
  var text: [String] {
    lines.map { line in
      let end = (line.lastIndex { $0.text != " " } ?? -1) + 1
      return line[..<end].reduce(into: "") { $0 += $1.text }
    }
  }

  init(_ captured: String) {
    var pen = Pen()
    lines = captured.components(separatedBy: "\n").map { Self.cells(of: $0, &pen) }
  }

  private static func cells(of line: String, _ pen: inout Pen) -> [Cell] {
    var cells: [Cell] = []
    var rest = Substring(line).unicodeScalars
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\u{1B}":
        let sequence = rest.prefix { $0 != "m" }
        rest = rest.dropFirst(sequence.count + 1)
        pen.apply(sequence.dropFirst().split(separator: ";").map { Int(Substring($0)) ?? 0 })
      // tmux turns the alternate set on and off, which is empty in UTF-8.
      case "\u{0E}", "\u{0F}": continue
      default:
        cells.append(Cell(text: String(scalar), look: pen.look(of: scalar)))
        if (0x3000..<0xFF00).contains(scalar.value) {
          cells.append(Cell(text: "", look: pen.look(of: scalar)))
        }
      }
    }
    return cells
  }

  /// How the next character looks.
  private struct Pen {
    private static let names = [
      "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    ]
    private static let attributes = [1: "bold", 2: "dim", 4: "underline", 7: "reverse"]
    private var on: Set<Int> = []
    private var ink = ""
    private var ground = ""
    /// The looks of a blank and of all else, for most cells look like the one before.
    private var looks = (blank: "plain", other: "plain")

    mutating func apply(_ codes: [Int]) {
      defer { looks = (described(isBlank: true), described(isBlank: false)) }
      var codes = codes.isEmpty ? [0] : codes[...]
      while let code = codes.popFirst() {
        switch code {
        case 0: self = Pen()
        case 22: on.subtract([1, 2])
        case 24, 27: on.remove(code - 20)
        case 30..<38: ink = Self.names[code - 30]
        case 90..<98: ink = "bright-\(Self.names[code - 90])"
        case 38: ink = Self.color(&codes)
        case 39: ink = ""
        case 40..<48: ground = " on \(Self.names[code - 40])"
        case 48: ground = " on \(Self.color(&codes))"
        case 49: ground = ""
        case _ where Self.attributes[code] != nil: on.insert(code)
        // Nothing else is ever asked for; if it is, it is to be seen.
        default: ink += " \(code)?"
        }
      }
    }

    /// A colour by its number or by its parts (ISO 8613-6).
    private static func color(_ codes: inout ArraySlice<Int>) -> String {
      let isNumber = codes.popFirst() == 5
      defer { codes = codes.dropFirst(isNumber ? 1 : 3) }
      guard !isNumber else { return "\(codes.first ?? 0)" }
      return "#" + codes.prefix(3).map { String($0 + 256, radix: 16).dropFirst() }.joined()
    }

    func look(of scalar: Unicode.Scalar) -> String {
      scalar == " " ? looks.blank : looks.other
    }

    /// The colour of a blank cannot be seen, and curses leaves it as it comes.
    private func described(isBlank: Bool) -> String {
      let seen = isBlank ? on.intersection([4, 7]) : on
      var words = seen.sorted().compactMap { Self.attributes[$0] }
      if !ink.isEmpty, !isBlank || !seen.isEmpty { words.append(ink) }
      return (words.isEmpty ? "plain" : words.joined(separator: " ")) + ground
    }
  }
}

extension String {
  /// The text without this character at its end.
  func trimmingEnd(_ character: Character) -> String {
    String(reversed().drop { $0 == character }.reversed())
  }
}
