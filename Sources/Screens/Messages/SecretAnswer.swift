import ScalarText

/// What a person answers where a token or a password is asked for.
package enum SecretAnswer: Hashable, Sendable {
  /// `$NAME`: the environment variable that holds the secret.
  case variable(String)
  /// `/…` or `~/…`: the file that holds the secret.
  case file(String)
  /// Anything else: the secret itself, which is not shown.
  case value(String)

  /// Nil for an empty text.
  package init?(_ text: String) {
    if text.isEmpty { return nil }
    if let name = text.removingPrefix(scalars: "$"),
      name.wholeMatch(of: #/[A-Za-z_][A-Za-z0-9_]*/#) != nil
    {
      self = .variable(name)
    } else if text.hasPrefix(scalars: "/") || text.hasPrefix(scalars: "~/") {
      self = .file(text)
    } else {
      self = .value(text)
    }
  }
}
