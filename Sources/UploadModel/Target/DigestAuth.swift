/// A user name and a password to answer a server's challenge with (RFC 7616).
public struct DigestAuth: Hashable, Sendable {
  /// The user name.
  public var user: Template
  /// The password.
  public var password: Template

  /// Credentials of this user.
  public init(user: Template, password: Template) {
    self.user = user
    self.password = password
  }
}
