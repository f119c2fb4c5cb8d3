import ScalarText

/// The styles of roles, if the terminal's own colours are not wanted.
package struct Theme: Hashable, Sendable {
  /// A colour and attributes. Terminals ignore those that they lack.
  package struct Look: Hashable, Sendable {
    /// The colour of the characters; `nil` for the terminal's own.
    package var color: Color?
    /// Whether it is bold.
    package var isBold = false
    /// Whether it is dim.
    package var isDim = false
    /// Whether it is underlined.
    package var isUnderlined = false
    /// Whether foreground and background change places.
    package var isReversed = false

    /// The terminal's own colour, without attributes.
    package init() {}

    /// A colour, attributes or both, as people write them: "bold red", "bright-blue",
    /// "dim 244", "#ff8800", "plain"; `nil` where a word is neither.
    package init?(_ text: String) {
      let words = text.lowercased().split(whereSeparator: \.isWhitespace)
      guard !words.isEmpty else { return nil }
      for word in words {
        switch word {
        case "plain": break
        case "bold": isBold = true
        case "dim": isDim = true
        case "underline": isUnderlined = true
        case "reverse": isReversed = true
        default:
          guard color == nil, let color = Color(String(word)) else { return nil }
          self.color = color
        }
      }
    }
  }

  /// One of the 256 colours that terminals number: 8 usual ones, 8 bright ones, a cube of 216, and
  /// 24 greys (xterm).
  package struct Color: Hashable, Sendable {
    /// The number.
    package let index: UInt8

    /// The colour with this number.
    package init(index: UInt8) { self.index = index }

    private static let names = [
      "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    ]

    /// A colour by its name, its number, or as `#rrggbb`; `nil` if it is not one.
    init?(_ text: String) {
      if let index = UInt8(text) {
        self.index = index
      } else if let index = Self.names.firstIndex(of: text) {
        self.index = UInt8(index)
      } else if text.hasPrefix(scalars: "bright-"),
        let index = Self.names.firstIndex(of: String(text.dropFirst("bright-".count)))
      {
        self.index = UInt8(index + 8)
      } else if text.hasPrefix(scalars: "#"), text.utf8.count == 7,
        let rgb = UInt32(text.dropFirst(), radix: 16)
      {
        let wanted = (Int(rgb >> 16), Int(rgb >> 8 & 0xFF), Int(rgb & 0xFF))
        index = Self.nearest(to: wanted, among: 16..<256)
      } else {
        return nil
      }
    }

    /// The closest colour of a terminal with `count` colours.
    package func among(_ count: Int) -> Color {
      if Int(index) < count { return self }
      // The bright ones are the usual ones to a terminal with eight.
      if index < 16 { return Color(index: index - 8) }
      return Color(index: Self.nearest(to: Self.rgb(index), among: 0..<max(1, min(count, 16))))
    }

    private static func nearest(to wanted: (Int, Int, Int), among candidates: Range<Int>) -> UInt8 {
      func distance(_ index: Int) -> Int {
        let (r, g, b) = rgb(UInt8(index))
        let d = (r - wanted.0, g - wanted.1, b - wanted.2)
        return d.0 * d.0 + d.1 * d.1 + d.2 * d.2
      }
      return UInt8(candidates.min { distance($0) < distance($1) } ?? 0)
    }

    /// As xterm mixes them.
    private static func rgb(_ index: UInt8) -> (Int, Int, Int) {
      let number = Int(index)
      switch number {
      case 0..<8:
        return (number & 1 != 0 ? 205 : 0, number & 2 != 0 ? 205 : 0, number & 4 != 0 ? 205 : 0)
      case 8..<16:
        return (number & 1 != 0 ? 255 : 0, number & 2 != 0 ? 255 : 0, number & 4 != 0 ? 255 : 0)
      case 16..<232:
        let steps = [0, 95, 135, 175, 215, 255]
        let cube = number - 16
        return (steps[cube / 36], steps[cube / 6 % 6], steps[cube % 6])
      default:
        let grey = 8 + (number - 232) * 10
        return (grey, grey, grey)
      }
    }
  }

  private var looks: [Role: Look]

  /// Colours of the usual eight, which every theme of a terminal maps to something readable.
  package static let usual = Theme([
    .accent: "cyan", .barFull: "bright-cyan", .good: "green", .bad: "bold red", .warning: "yellow",
    .heading: "bold", .dim: "dim", .rule: "dim", .barRest: "dim", .field: "underline",
    .button: "reverse",
  ])

  /// Attributes only.
  package static let plain = Theme([
    .bad: "bold", .heading: "bold", .dim: "dim", .rule: "dim", .barRest: "dim",
    .field: "underline", .button: "reverse",
  ])

  /// 256 colours, for a dark background.
  package static let dark = Theme([
    .accent: "80", .barFull: "74", .good: "114", .bad: "bold 203", .warning: "215",
    .heading: "bold 255", .dim: "245", .rule: "239", .barRest: "239", .field: "underline 253",
    .button: "reverse",
  ])

  /// 256 colours, for a light background.
  package static let light = Theme([
    .accent: "25", .barFull: "31", .good: "28", .bad: "bold 124", .warning: "130",
    .heading: "bold 16", .dim: "242", .rule: "249", .barRest: "250", .field: "underline 16",
    .button: "reverse",
  ])

  /// The themes by name.
  package static let named: [String: Theme] = [
    "default": .usual, "plain": .plain, "dark": .dark, "light": .light,
  ]

  private init(_ words: [Role: String]) {
    looks = words.compactMapValues { Look($0) }
  }

  /// How a role looks.
  package subscript(role: Role) -> Look {
    get { looks[role] ?? Look() }
    set { looks[role] = newValue }
  }
}

extension Role {
  /// Its name in the configuration: `bar-full`.
  package var word: String { "\(self)".dashed }
}

/// The meaning of a cell; the terminal decides how it looks. No information is in the role alone: words and
/// glyphs convey all of it without colours and attributes.
package enum Role: UInt8, Hashable, Sendable, CaseIterable {
  case plain, dim, heading, rule, accent, good, bad, warning, barFull, barRest, field, button
}

/// How a cell is to be drawn.
package struct Style: Hashable, Sendable {
  /// What the cell means.
  package var role: Role
  /// Whether the cell belongs to the row under the cursor.
  package var isSelected: Bool

  /// A style for `role`.
  package init(_ role: Role, isSelected: Bool = false) {
    self.role = role
    self.isSelected = isSelected
  }
}
