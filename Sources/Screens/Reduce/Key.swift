/// One key press, as the terminal reported it.
package enum Key: Hashable, Sendable {
  /// A character that was typed, shifted or not: `a`, `R`, `é`, a space.
  case character(Character)
  /// A letter with Control, in lower case.
  case control(Character)
  /// A function key, from 1.
  case function(Int)
  case up, down, left, right
  case home, end, pageUp, pageDown
  case enter, escape, tab, backTab, backspace, delete, insert

  /// The key's name in the help overlay and the footer.
  func label(ascii: Bool) -> String {
    switch self {
    case .character(let character) where character != " ": String(character)
    case .control(let letter): "^\(letter)"
    case .function(let number): "F\(number)"
    default: Self.named.first { $0.key == self }.map { ascii ? $0.plainLabel : $0.label } ?? ""
    }
  }

  /// Keys with names, and alternative names that people may use.
  private static let named: [(key: Key, label: String, plainLabel: String, others: [String])] = [
    (.up, "↑", "Up", []), (.down, "↓", "Down", []), (.left, "←", "Left", []),
    (.right, "→", "Right", []), (.home, "Home", "Home", []), (.end, "End", "End", []),
    (.pageUp, "PgUp", "PgUp", ["pageup"]), (.pageDown, "PgDn", "PgDn", ["pagedown"]),
    (.enter, "Enter", "Enter", []), (.escape, "Esc", "Esc", ["escape"]), (.tab, "Tab", "Tab", []),
    (.backTab, "Shift-Tab", "Shift-Tab", []), (.backspace, "Backspace", "Backspace", []),
    (.delete, "Del", "Del", ["delete"]), (.insert, "Ins", "Ins", ["insert"]),
    (.character(" "), "Space", "Space", []),
  ]

  /// The key that `text` names: a character as it is typed, `^a` or `Ctrl-a`, `F5`, or a name such as `Space`, `PgDn`,
  /// `Shift-Tab`; `nil` if it names no key.
  package init?(named text: String) {
    let lower = text.lowercased()
    if text.count == 1, let character = text.first, !character.isWhitespace {
      self = .character(character)
    } else if let row = Self.named.first(where: {
      $0.plainLabel.lowercased() == lower || $0.others.contains(lower)
    }) {
      self = row.key
    } else if let letter = Self.controlLetters.first(where: { letter in
      ["^\(letter)", "ctrl-\(letter)", "c-\(letter)"].contains(lower)
    }) {
      self = .control(letter)
    } else if lower.first == "f", let number = Int(lower.dropFirst()), (1...12).contains(number) {
      self = .function(number)
    } else {
      return nil
    }
  }

  /// All but i, j and m, which terminals send with Control as Tab or Enter.
  private static let controlLetters = "abcdefghklnopqrstuvwxyz"
}
