/// Which key asks for which action: the table of actions, with the keys that the user has rebound.
package struct Keymap: Sendable {
  /// Keys for actions, in place of those in the table. With an empty list, an action has no keys.
  package typealias Bindings = [Action.Name: [Key]]

  /// Why keys cannot be bound as asked.
  package enum BindingError: Error, Equatable, CustomStringConvertible {
    /// One key would do two things in one place.
    case ambiguous(Key, Action.Name, Action.Name)
    /// A character would be bound where characters are typed.
    case typed(Key, Action.Name)
    /// There would be no way to leave a dialog, or the program.
    case noWayOut(Action.Name)

    package var description: String {
      switch self {
      case .ambiguous(let key, let one, let other):
        "\(key.label(ascii: true)) cannot mean both \(one.word) and \(other.word); bind one of them to another key"
      case .typed(let key, let name):
        "\(name.word) works where text is typed, so \(key.label(ascii: true)) cannot be its key; use a control or function key"
      case .noWayOut(let name): "\(name.word) needs a key"
      }
    }
  }

  package static let usual = Keymap(unchecked: [:])

  private let bindings: Bindings
  private let asked: [Mode: [Key: Action.Name]]

  /// The table of actions with other keys for some.
  package init(_ bindings: Bindings) throws(BindingError) {
    if let first = Self.mistakes(in: bindings).first { throw first }
    self.init(unchecked: bindings)
  }

  /// All reasons why keys cannot be bound as asked.
  package static func mistakes(in bindings: Bindings) -> [BindingError] {
    let keymap = Keymap(unchecked: bindings)
    var mistakes = [Action.Name.close, .quit].filter { bindings[$0]?.isEmpty == true }
      .map(BindingError.noWayOut)
    for mode in Mode.allCases {
      for action in Action.inMode(mode) {
        for key in keymap.keys(for: action) {
          if case .character = key, Mode.typing.contains(mode) {
            let typed = BindingError.typed(key, action.name)
            if !mistakes.contains(typed) { mistakes.append(typed) }
          } else if let other = keymap.asked(by: key, in: mode), other != action.name {
            // The same two may meet elsewhere, in either order.
            let both = [
              BindingError.ambiguous(key, other, action.name),
              .ambiguous(key, action.name, other),
            ]
            if !mistakes.contains(where: both.contains) { mistakes.append(both[0]) }
          }
        }
      }
    }
    return mistakes
  }

  private init(unchecked bindings: Bindings) {
    self.bindings = bindings
    asked = Mode.allCases.reduce(into: [:]) { asked, mode in
      let pairs = Action.inMode(mode).flatMap { action in
        (bindings[action.name] ?? action.keys).map { ($0, action.name) }
      }
      asked[mode] = Dictionary(pairs) { first, _ in first }
    }
  }

  package func keys(for action: Action) -> [Key] { bindings[action.name] ?? action.keys }

  /// The action that `key` asks for in `mode`; `nil` if it asks for none.
  func asked(by key: Key, in mode: Mode) -> Action.Name? { asked[mode]?[key] }

  /// The name of an action's first key; empty if it has no key.
  func label(_ action: Action, ascii: Bool) -> String {
    keys(for: action).first?.label(ascii: ascii) ?? ""
  }
}

extension AppState {
  /// The name of the key for an action, for a sentence that mentions it.
  package func keyLabel(_ name: Action.Name, in mode: Mode = .queue) -> String {
    Action.inMode(mode).first { $0.name == name }.map { keymap.label($0, ascii: isASCII) } ?? "?"
  }
}
