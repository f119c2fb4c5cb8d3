/// Why the screen cannot be opened. Uploads are possible without it.
package nonisolated enum TerminalError: Error, Equatable, CustomStringConvertible {
  /// Standard output is not a terminal.
  case notATerminal
  /// Standard input is not a terminal, and the process has none to read keys from. The text is the system's reason.
  case noKeyboard(String)
  /// The terminal type is not in terminfo.
  case unknownType(String)
  /// Terminals of this type cannot move their cursor.
  case cannotMoveCursor(String)
  /// The system refused an operation: which one, and the reason.
  case refused(String, String)

  /// What failed and what can be done.
  package var description: String {
    switch self {
    case .notATerminal:
      "cannot open the screen: standard output is not a terminal"
    case .noKeyboard(let why):
      "cannot open the screen: there is no terminal to read keys from (\(why))"
    case .unknownType(let type):
      "cannot open the screen: nothing is known about a terminal of type \"\(type)\"; "
        + "set TERM to your terminal's type, for example xterm-256color"
    case .cannotMoveCursor(let type):
      "cannot open the screen: a terminal of type \"\(type)\" cannot move its cursor"
    case .refused(let what, let why):
      "cannot open the screen: \(what): \(why)"
    }
  }
}
