/// A user name and a password to answer a server's challenge with (RFC 7616).
package struct DigestAuth: Hashable, Sendable {
  /// The user name.
  package var user: Template
  /// The password.
  package var password: Template

  /// Credentials of this user.
  package init(user: Template, password: Template) {
    self.user = user
    self.password = password
  }
}
