/// The head of a reply (RFC 9112 §4, §5).
public struct ReplyHead: Hashable, Sendable {
  /// The status code.
  public var status: Int
  /// The header fields, with names in lower case. The values of a field that comes more than once are joined
  /// with commas (RFC 9110 §5.3).
  public var headers: [String: String] = [:]
}
