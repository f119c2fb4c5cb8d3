import CNcurses
import Screens

/// How roles look on this terminal. Without colours, only attributes distinguish them.
struct Palette {
  private let theme: Theme
  /// The number of colours; 0 if the terminal has none or none are allowed.
  private var colors = 0

  /// Sets the colour pairs up. ncurses must already be running.
  init(_ theme: Theme, allowsColor: Bool) {
    self.theme = theme
    guard allowsColor, has_colors(), start_color() == OK else { return }
    colors = Int(curses_colors())
    let background: Int16 = use_default_colors() == OK ? -1 : Int16(COLOR_BLACK)
    for role in Role.allCases {
      if let color = color(role) { init_pair(Int16(role.rawValue) + 1, Int16(color), background) }
    }
  }

  func look(_ style: Style) -> (attributes: attr_t, pair: Int16) {
    let isBar = style.role == .barFull || style.role == .barRest
    // The row under the cursor is shown in reverse, except for its progress bar, which would look inverted.
    if style.isSelected, !isBar { return (curses_reverse(), 0) }
    return (attributes(style.role), color(style.role) == nil ? 0 : Int16(style.role.rawValue) + 1)
  }

  /// The same look as SGR parameters (ECMA-48 §8.3.117; 38;5 as in xterm), each preceded by a semicolon.
  func codes(_ style: Style) -> String {
    let (attributes, pair) = look(style)
    let codes: [(attr_t, String)] = [
      (curses_bold(), ";1"), (curses_dim(), ";2"), (curses_underline(), ";4"),
      (curses_reverse(), ";7"),
    ]
    let words = codes.filter { attributes & $0.0 != 0 }.map(\.1).joined()
    guard pair > 0, let color = color(style.role) else { return words }
    switch color {
    case 0..<8: return words + ";3\(color)"
    case 8..<16: return words + ";9\(color - 8)"
    default: return words + ";38;5;\(color)"
    }
  }

  private func color(_ role: Role) -> Int? {
    guard colors > 0, let color = theme[role].color else { return nil }
    return Int(color.among(colors).index)
  }

  private func attributes(_ role: Role) -> attr_t {
    let look = theme[role]
    var attributes: attr_t = 0
    // Bold stands in for bright colours on terminals with eight.
    let isBright = look.color.map { colors == 8 && (8..<16).contains($0.index) } ?? false
    if look.isBold || isBright { attributes |= curses_bold() }
    if look.isDim { attributes |= curses_dim() }
    if look.isUnderlined { attributes |= curses_underline() }
    if look.isReversed { attributes |= curses_reverse() }
    return attributes
  }
}
