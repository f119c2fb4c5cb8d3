/// Where a secret that a configuration needs is kept.
package enum SecretPlace: Sendable {
  case variable(String)
  case file(String)
  /// A program that prints the secret, with the program's arguments.
  case command([String])

  /// The placeholder for the secret, called `name` unless it is in a variable.
  package func placeholder(of name: String) -> String {
    if case .variable(let variable) = self { "{env.\(variable)}" } else { "{secret.\(name)}" }
  }

  /// The table of the secret called `name`, after a blank line; empty for a variable.
  package func table(called name: String) -> String {
    line.map { "\n[secrets.\(name)]\n\($0)\n" } ?? ""
  }

  /// The only line of the secret's table in `secrets`; nil for a variable, which needs no table.
  var line: String? {
    switch self {
    case .variable: nil
    case .file(let path): "file = \(TOMLText.string(path))"
    case .command(let words): "command = \(TOMLText.array(words.map(TOMLText.string)))"
    }
  }
}
