/// A name and a password with which a server's challenge is answered (RFC 7616).
public struct DigestAuth: Hashable, Sendable {
  /// The name.
  public var user: Template
  /// The password.
  public var password: Template

  /// This name and this password.
  public init(user: Template, password: Template) {
    self.user = user
    self.password = password
  }
}
