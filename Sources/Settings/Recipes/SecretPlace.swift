/// Where a secret that a configuration needs is kept.
package enum SecretPlace: Sendable {
  case variable(String)
  case file(String)
  /// A program that prints it, and its arguments.
  case command([String])

  /// The line of its table in `secrets`; nil for a variable, which needs no table.
  var line: String? {
    switch self {
    case .variable: nil
    case .file(let path): "file = \(TOMLText.string(path))"
    case .command(let words): "command = \(TOMLText.array(words.map(TOMLText.string)))"
    }
  }
}
