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
    self.init(unchecked: bindings)
    for name in [Action.Name.close, .quit] where bindings[name]?.isEmpty == true {
      throw .noWayOut(name)
    }
    for mode in Mode.allCases {
      for action in Action.inMode(mode) {
        for key in keys(for: action) {
          if case .character = key, Mode.typing.contains(mode) { throw .typed(key, action.name) }
          if let other = asked(by: key, in: mode), other != action.name {
            throw .ambiguous(key, other, action.name)
          }
        }
      }
    }
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
