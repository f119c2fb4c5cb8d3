import Screens

/// How styles look on this terminal: the sequences that switch to them. Without colours, only attributes distinguish
/// them.
struct Palette {
  let theme: Theme
  let background: Theme.Background
  let colors: Colors
  private var sequences: [Style: [UInt8]] = [:]

  /// The colours of a terminal.
  struct Colors {
    /// The number of indexed colours; 0 if the terminal has no colours or none are allowed.
    var count = 0
    /// Whether any colour can be given as red, green and blue.
    var isDirect = false

    /// The colours that terminfo and the environment claim for the terminal.
    init(environment: [String: String]) {
      // A non-empty NO_COLOR turns colours off.
      guard (environment["NO_COLOR"] ?? "").isEmpty,
        !ControlSequences.capability("setaf").isEmpty, !ControlSequences.capability("setab").isEmpty
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

  /// The sequence that switches from any style to this one.
  mutating func sequence(_ style: Style) -> [UInt8] {
    var style = style
    style.link = 0
    if let known = sequences[style] { return known }
    var look = look(of: style)
    // Terminals with eight colours have no bright ones; bold stands in for them.
    if colors.count == 8, case .index(8..<16) = look.color { look.isBold = true }
    var text = ControlSequences.capability("sgr0")
    if look.isBold { text += ControlSequences.capability("bold") }
    if look.isDim { text += ControlSequences.capability("dim") }
    if look.isUnderlined { text += ControlSequences.capability("smul") }
    if look.isReversed { text += ControlSequences.capability("rev") }
    if let color = look.color { text += sequence(color, "setaf", direct: 38) }
    if let ground = look.ground { text += sequence(ground, "setab", direct: 48) }
    let bytes = Array(text.utf8)
    sequences[style] = bytes
    return bytes
  }

  /// The whole look of a style. What the style's role leaves open comes from its background and from plain text.
  private func look(of style: Style) -> Theme.Look {
    var look = look(style.role)
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
        }
      }
    }
    look.color = look.color ?? plain.color
    look.ground = look.ground ?? plain.ground
    return look
  }

  private func look(_ role: Role) -> Theme.Look {
    theme.look(role, colors: colors.count, on: background)
  }

  /// `direct` is the SGR parameter that precedes the components of a colour (ISO 8613-6).
  private func sequence(_ color: Theme.Color, _ capability: String, direct: Int) -> String {
    guard colors.count > 0 else { return "" }
    if colors.isDirect, case .rgb(let r, let g, let b) = color {
      return "\u{1B}[\(direct);2;\(r);\(g);\(b)m"
    }
    let index = Int(color.among(colors.count))
    return ControlSequences.filled(ControlSequences.capability(capability), index)
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
