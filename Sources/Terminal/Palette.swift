import CNcurses
import Screens

/// How styles look on this terminal: the attributes and the pair of colours that ncurses draws them with. Without
/// colours, only attributes distinguish them.
struct Palette {
  let theme: Theme
  let background: Theme.Background
  let colors: Colors
  private var inks: [Style: Ink] = [:]
  private var pairs: [Pair: Int32] = [:]

  /// What ncurses draws a cell with.
  struct Ink {
    var attributes: attr_t
    var pair: Int32
  }

  /// Colours that ncurses has a number for together; nil is the terminal's own.
  private struct Pair: Hashable {
    var color: Theme.Color?
    var ground: Theme.Color?
  }

  /// The colours of a terminal.
  struct Colors {
    /// The number of indexed colours; 0 if the terminal has no colours or none are allowed.
    var count = 0
    /// Whether any colour can be given as red, green and blue.
    var isDirect = false

    static let none = Colors()

    private init() {}

    /// The colours that terminfo and the environment claim for the terminal.
    init(environment: [String: String]) {
      // A non-empty NO_COLOR turns colours off.
      guard (environment["NO_COLOR"] ?? "").isEmpty,
        ["setaf", "setab", "op"].allSatisfy({ !ControlSequences.capability($0).isEmpty })
      else { return }
      let number = ControlSequences.number("colors")
      count = number >= 256 ? 256 : max(0, number)
      let says = ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "")
      // GNU Screen passes on the outer terminal's COLORTERM, but not its direct colours.
      let isScreen = environment["STY"] != nil && environment["TMUX"] == nil
      isDirect =
        count > 0 && !isScreen
        && (says || number > 256 || ControlSequences.flag("RGB") || ControlSequences.flag("Tc"))
      if isDirect { count = 256 }
    }
  }

  init(_ theme: Theme, colors: Colors, background: Theme.Background) {
    (self.theme, self.colors, self.background) = (theme, colors, background)
  }

  /// The same terminal's palette in other colours, in which all cells must be put anew.
  func changed(to theme: Theme, on background: Theme.Background) -> Palette {
    var palette = Palette(theme, colors: colors, background: background)
    // Pairs stay, unless there could be too few for another theme.
    if pairs.count < ControlSequences.number("pairs") / 2 { palette.pairs = pairs }
    return palette
  }

  /// What cells of this style are drawn with.
  mutating func ink(_ style: Style) -> Ink {
    var style = style
    style.link = 0
    if let known = inks[style] { return known }
    let look = look(of: style)
    var attributes: attr_t = 0
    if look.isBold { attributes |= curses_bold() }
    if look.isDim { attributes |= curses_dim() }
    if look.isUnderlined { attributes |= curses_underline() }
    if look.isReversed { attributes |= curses_reverse() }
    let ink = Ink(
      attributes: attributes, pair: number(of: Pair(color: look.color, ground: look.ground)))
    inks[style] = ink
    return ink
  }

  /// ncurses' number of a pair of colours. Those of `alloc_pair` would not all be usable again.
  private mutating func number(of pair: Pair) -> Int32 {
    guard colors.count > 0, pair.color != nil || pair.ground != nil else { return 0 }
    if let known = pairs[pair] { return known }
    let next = Int32(pairs.count + 1)
    guard
      init_extended_pair(next, pair.color.map(number) ?? -1, pair.ground.map(number) ?? -1) == OK
    else { return 0 }
    pairs[pair] = next
    return next
  }

  private func number(_ color: Theme.Color) -> Int32 {
    if colors.isDirect, case .rgb(let r, let g, let b) = color {
      return TerminalDescription.firstDirectColor | Int32(r) << 16 | Int32(g) << 8 | Int32(b)
    }
    return Int32(color.among(colors.count))
  }

  /// The whole look of a style. What the style's role leaves open comes from its background and from plain text.
  func look(of style: Style) -> Theme.Look {
    var look = theme.look(
      style.role, colors: colors.count, on: background, in: style.ground)
    if style.shade > 0, colors.count >= 256, let from = look.color,
      let to = self.look(.barEnd).color
    {
      look.color = from.mixed(with: to, Double(style.shade) / Double(Style.shades))
    }
    let plain = self.look(.plain)
    if style.ground != .plain {
      var under = self.look(style.ground.role)
      // If rows have no background colour, the row is shown in reverse, without colours.
      if under.isReversed {
        under.isUnderlined = look.isUnderlined
        return under
      }
      if under.ground != nil {
        look.ground = under.ground
        if style.role == .plain || style.ground == .lit || look.color == nil {
          look.color = under.color ?? look.color
          // Dimmed, the colour of the row's text would be close to that of the row.
          if under.color != nil { look.isDim = false }
        }
      }
    }
    look.color = look.color ?? plain.color
    look.ground = look.ground ?? plain.ground
    // Terminals with eight colours have no bright ones; bold stands in for them.
    if colors.count == 8, case .index(8..<16) = look.color { look.isBold = true }
    return look
  }

  private func look(_ role: Role) -> Theme.Look {
    theme.look(role, colors: colors.count, on: background)
  }
}

extension Style.Ground {
  /// The role whose background this ground has.
  fileprivate var role: Role {
    switch self {
    case .plain: .plain
    case .selected: .selection
    case .marked: .marked
    case .lit: .button
    }
  }
}
