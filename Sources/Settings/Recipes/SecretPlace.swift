/// Where a secret is kept that a configuration needs.
package enum SecretPlace: Sendable {
  case variable(String)
  case file(String)
  /// A program that prints it, and its arguments.
  case command([String])

  /// What a table of `secrets` says about it; nil for a variable, which needs none.
  var line: String? {
    switch self {
    case .variable: nil
    case .file(let path): "file = \(TOMLText.string(path))"
    case .command(let words): "command = \(TOMLText.array(words.map(TOMLText.string)))"
    }
  }
}
