/// The head of a reply (RFC 9112 §4, §5).
public struct ReplyHead: Hashable, Sendable {
  /// The status code.
  public var status: Int
  /// The header fields, names in lower case. Of a field that comes more than once, all values, with a
  /// comma between them (RFC 9110 §5.3).
  public var headers: [String: String] = [:]
}
