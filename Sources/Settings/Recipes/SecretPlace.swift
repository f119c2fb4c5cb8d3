/// Where a secret that a configuration needs is kept.
package enum SecretPlace: Sendable {
  case variable(String)
  case file(String)
  /// A program that prints the secret, with the program's arguments.
  case command([String])

  /// The only line of the secret's table in `secrets`; nil for a variable, which needs no table.
  var line: String? {
    switch self {
    case .variable: nil
    case .file(let path): "file = \(TOMLText.string(path))"
    case .command(let words): "command = \(TOMLText.array(words.map(TOMLText.string)))"
    }
  }
}
