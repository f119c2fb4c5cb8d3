import ScalarText

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

extension Key {
  private static let named: [String: Key] = [
    "space": .character(" "), "up": .up, "down": .down, "left": .left, "right": .right,
    "home": .home, "end": .end, "pgup": .pageUp, "pageup": .pageUp, "pgdn": .pageDown,
    "pagedown": .pageDown, "enter": .enter, "esc": .escape, "escape": .escape, "tab": .tab,
    "shift-tab": .backTab, "backspace": .backspace, "del": .delete, "delete": .delete,
    "ins": .insert, "insert": .insert,
  ]

  /// The key that a person means by `text`: a character as it is typed, `^a` or `Ctrl-a`, `F5`, or
  /// a name such as `Space`, `PgDn`, `Shift-Tab`; `nil` where it is none.
  public init?(named text: String) {
    let lower = text.lowercased()
    if text.count == 1, let character = text.first, !character.isWhitespace {
      self = .character(character)
    } else if let key = Self.named[lower] {
      self = key
    } else if let letter = Self.letter(lower, after: ["^", "ctrl-", "c-"]) {
      self = .control(letter)
    } else if lower.first == "f", let number = Int(lower.dropFirst()), (1...12).contains(number) {
      self = .function(number)
    } else {
      return nil
    }
  }

  private static func letter(_ text: String, after prefixes: [String]) -> Character? {
    for prefix in prefixes where text.hasPrefix(scalars: prefix) {
      let rest = text.dropFirst(prefix.count)
      // Control with these three is Tab and Enter to every terminal.
      if rest.count == 1, let letter = rest.first, ("a"..."z").contains(letter),
        !["i", "j", "m"].contains(letter)
      {
        return letter
      }
    }
    return nil
  }
}
