/// A user name and a password to answer a server's challenge with. The password itself is never sent (RFC 7616).
public struct DigestCredentials: Hashable, Sendable {
  /// The user name.
  public var user: String
  /// The password.
  public var password: String

  /// Credentials of this user.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}
