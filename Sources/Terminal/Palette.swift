import CNcurses
import Screens

/// How roles look: colours of the basic eight, which every theme of a terminal maps to something
/// readable, and attributes. Without colours the attributes alone remain.
struct Palette {
  private var usesColor = false

  /// Sets the colour pairs up; must be called once ncurses runs.
  init(allowsColor: Bool) {
    guard allowsColor, has_colors(), start_color() == OK else { return }
    usesColor = true
    let background: Int16 = use_default_colors() == OK ? -1 : Int16(COLOR_BLACK)
    for role in Role.allCases {
      if let color = Self.color(role) { init_pair(Int16(role.rawValue) + 1, color, background) }
    }
  }

  func look(_ style: Style) -> (attributes: attr_t, pair: Int16) {
    let isBar = style.role == .barFull || style.role == .barRest
    // A row under the cursor is reversed as a whole; its bar would be inside out.
    if style.isSelected, !isBar { return (curses_reverse(), 0) }
    let pair = usesColor && Self.color(style.role) != nil ? Int16(style.role.rawValue) + 1 : 0
    return (Self.attributes(style.role), pair)
  }

  /// The same look as parameters of SGR (ECMA-48 §8.3.117), each after a semicolon.
  func codes(_ style: Style) -> String {
    let (attributes, pair) = look(style)
    let codes: [(attr_t, String)] = [
      (curses_bold(), ";1"), (curses_dim(), ";2"), (curses_underline(), ";4"),
      (curses_reverse(), ";7"),
    ]
    let color = pair > 0 ? Self.color(style.role).map { ";3\($0)" } ?? "" : ""
    return codes.filter { attributes & $0.0 != 0 }.map(\.1).joined() + color
  }

  private static func color(_ role: Role) -> Int16? {
    switch role {
    case .accent, .barFull: Int16(COLOR_CYAN)
    case .good: Int16(COLOR_GREEN)
    case .bad: Int16(COLOR_RED)
    case .warning: Int16(COLOR_YELLOW)
    case .plain, .dim, .heading, .rule, .barRest, .field, .button: nil
    }
  }

  private static func attributes(_ role: Role) -> attr_t {
    switch role {
    case .heading: curses_bold()
    case .dim, .rule, .barRest: curses_dim()
    case .field: curses_underline()
    case .button: curses_reverse()
    case .bad: curses_bold()
    case .plain, .accent, .good, .warning, .barFull: 0
    }
  }
}
