import ScalarText

/// Recognises likely secrets by their names.
package enum SecretName {
  private static let signs = [
    "authorization", "token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey",
    "cookie", "signature", "credential", "privatekey", "authkey", "subscriptionkey", "bearer",
    "jwt", "hmac", "sessionid", "userhash", "userpwd",
  ]

  private static let words: Set<String> = [
    "key", "auth", "pass", "pwd", "pw", "pin", "otp", "session", "sid", "sig",
  ]

  /// Names that only look like those of secrets. Jira's `X-Atlassian-Token: no-check` turns off the check for a token.
  private static let notSecret: Set<String> = ["xatlassiantoken"]

  /// Whether the value of a header field, form field or query item of this name must be hidden.
  package static func matches(_ name: String) -> Bool {
    let letters = String(decoding: name.lowercased().utf8.filter(\.isAlphanumeric), as: UTF8.self)
    if notSecret.contains(letters) { return false }
    return words.contains(letters) || signs.contains { letters.contains($0) }
  }
}
