/// One key press, as the terminal reported it.
public enum Key: Hashable, Sendable {
  /// A character that was typed, shifted or not: `a`, `R`, `é`, a space.
  case character(Character)
  /// A letter with Control, in lower case.
  case control(Character)
  /// A function key, from 1.
  case function(Int)
  case up, down, left, right
  case home, end, pageUp, pageDown
  case enter, escape, tab, backTab, backspace, delete, insert

  /// What the help overlay and the footer call the key.
  func label(ascii: Bool) -> String {
    switch self {
    case .character(" "): "Space"
    case .character(let character): String(character)
    case .control(let letter): "^\(letter)"
    case .function(let number): "F\(number)"
    case .up: ascii ? "Up" : "↑"
    case .down: ascii ? "Down" : "↓"
    case .left: ascii ? "Left" : "←"
    case .right: ascii ? "Right" : "→"
    case .home: "Home"
    case .end: "End"
    case .pageUp: "PgUp"
    case .pageDown: "PgDn"
    case .enter: "Enter"
    case .escape: "Esc"
    case .tab: "Tab"
    case .backTab: "Shift-Tab"
    case .backspace: "Backspace"
    case .delete: "Del"
    case .insert: "Ins"
    }
  }
}
