import ScalarText

/// How roles look.
///
/// A theme gives each role a look, which is used on terminals with 256 colours or more. On terminals with fewer, all
/// themes but `plain` look alike, since the few colours are the terminal's own and known to be readable.
package struct Theme: Hashable, Sendable {
  package private(set) var name: String
  private var looks: [Role: Look]
  /// The looks for a light background, if the theme depends on the terminal's background.
  private var lightLooks: [Role: Look]?
  /// The looks that the user has set for every theme.
  private var wishes: [Role: Look] = [:]

  /// What is known about the terminal's background.
  package enum Background: Sendable { case dark, light, unknown }

  /// How a role looks in a terminal with this many colours, and on the background of a row.
  package func look(
    _ role: Role, colors: Int, on background: Background, in ground: Style.Ground = .plain
  ) -> Look {
    if colors >= 256, background == .unknown, lightLooks != nil, wishes[role] == nil,
      [.selected, .marked].contains(ground), let look = Self.onDarkRow[role]
    {
      return look
    }
    let themed =
      switch background {
      case _ where colors < 256 && name != Self.plain.name: Self.few
      case .unknown where lightLooks != nil: Self.anywhere
      case .light: lightLooks ?? looks
      case .dark, .unknown: looks
      }
    return wishes[role] ?? themed[role] ?? Look()
  }

  /// Sets the look of a role in this theme and in any other that takes its place.
  package mutating func wish(_ role: Role, _ look: Look) { wishes[role] = look }

  /// The theme with this name, with the looks that the configuration has set; nil if there is no such theme.
  package func changed(to name: String) -> Theme? {
    guard var theme = Self.named(name) else { return nil }
    theme.wishes = wishes
    return theme
  }

  package static var names: String { all.map(\.name).joined(separator: ", ") }

  package static func named(_ name: String) -> Theme? { all.first { $0.name == name } }

  init(_ name: String, _ looks: [Role: String]) {
    self.name = name
    self.looks = looks.compactMapValues { Look($0) }
  }

  init(_ name: String, dark: Theme, light: Theme) {
    (self.name, looks, lightLooks) = (name, dark.looks, light.looks)
  }

  /// Colours by their names, which every terminal shows in a readable way.
  private static let few = Theme(
    "",
    [
      .accent: "cyan", .barFull: "bright-cyan", .good: "green", .bad: "bold red",
      .warning: "yellow", .heading: "bold", .dim: "dim", .rule: "dim", .barRest: "dim",
      .field: "underline", .button: "reverse", .selection: "reverse", .media: "magenta",
      .archive: "yellow", .match: "bold underline yellow",
    ]
  ).looks

  /// Looks that can be read on white and on black, with row backgrounds that stand out from both. Of the terminal's own
  /// colours, red, green and magenta are such: yellow and cyan, the bright ones above all, fade on white, and blue on
  /// black. What matters most, bars and the names of keys, has the colour of plain text.
  private static let anywhere = Theme(
    "",
    [
      .accent: "bold", .good: "green", .bad: "bold red", .warning: "magenta", .heading: "bold",
      .dim: "dim", .rule: "dim", .barRest: "dim", .field: "underline", .button: "reverse",
      .match: "bold underline", .selection: "255 on 18", .marked: "255 on 53",
    ]
  ).looks

  /// The looks on the backgrounds of rows in `anywhere`, which are dark whatever the terminal's background is.
  private static let onDarkRow = Theme(
    "",
    [
      .accent: "123", .barFull: "123", .good: "120", .bad: "bold 217", .warning: "222",
      .heading: "bold 255", .dim: "250", .rule: "250", .barRest: "146", .media: "219",
      .archive: "222", .match: "bold underline 222",
    ]
  ).looks

  /// A colour, a background and attributes. Terminals ignore those that they do not support.
  package struct Look: Hashable, Sendable {
    /// The colour of the characters; `nil` for that of plain text.
    package var color: Color?
    /// The background; `nil` for that of plain text.
    package var ground: Color?
    package var isBold = false
    package var isDim = false
    package var isUnderlined = false
    /// Whether foreground and background change places.
    package var isReversed = false

    package init() {}

    /// A colour, a background, attributes or several of these, as people write them: "bold red", "bright-blue",
    /// "dim 244", "#ff8800 on 236", "plain"; nil if it contains any other word.
    package init?(_ text: String) {
      var words = text.lowercased().split(whereSeparator: \.isWhitespace)[...]
      guard !words.isEmpty else { return nil }
      while let word = words.popFirst() {
        switch word {
        case "plain": break
        case "bold": isBold = true
        case "dim": isDim = true
        case "underline": isUnderlined = true
        case "reverse": isReversed = true
        case "on" where ground == nil:
          ground = words.popFirst().flatMap { Color(String($0)) }
          if ground == nil { return nil }
        default:
          guard color == nil, let named = Color(String(word)) else { return nil }
          color = named
        }
      }
    }
  }
}

extension Role {
  /// Its name in the configuration: `bar-full`.
  package var word: String { "\(self)".dashed }
}

/// The meaning of a cell; the theme and the terminal decide how it looks. No information is in the role alone: words
/// and glyphs convey all of it without colours and attributes.
package enum Role: UInt8, Hashable, Sendable, CaseIterable {
  case plain, dim, heading, rule, accent, good, bad, warning, barFull, barEnd, barRest, field,
    button
  /// Text that matches a search or a filter.
  case match
  /// Names of pictures, films and sound, and of archives.
  case media, archive
  /// The backgrounds of the row under the cursor and of marked rows. No cell has these roles.
  case selection, marked
}

/// How a cell is drawn.
package struct Style: Hashable, Sendable {
  /// What the cell belongs to.
  package enum Ground: UInt8, Sendable {
    case plain
    /// The row under the cursor.
    case selected
    case marked
    /// The highlighted choice.
    case lit
  }

  package var role: Role
  package var ground: Ground
  /// The step of its colour on the way from `barFull` to `barEnd`, out of `Style.shades`.
  package var shade: UInt8 = 0
  /// Which of the frame's links the cell is part of, counted from 1; 0 for none.
  package var link: UInt8 = 0

  /// How many shades there are from one end of a bar to the other.
  package static let shades: UInt8 = 32

  package init(_ role: Role, on ground: Ground = .plain) {
    self.role = role
    self.ground = ground
  }
}
