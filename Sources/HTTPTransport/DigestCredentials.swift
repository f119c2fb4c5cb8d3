/// A name and a password that answer a server's challenge, so that the password itself is never sent (RFC 7616).
public struct DigestCredentials: Hashable, Sendable {
  /// The name.
  public var user: String
  /// The password.
  public var password: String

  /// This name and this password.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}
