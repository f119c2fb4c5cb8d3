/// A user name and a password to answer a server's challenge with. The password itself is never sent (RFC 7616).
package struct DigestCredentials: Hashable, Sendable {
  /// The user name.
  package var user: String
  /// The password.
  package var password: String

  /// Credentials of this user.
  package init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}
