/// The head of a reply (RFC 9112 §4, §5).
package struct ReplyHead: Hashable, Sendable {
  /// The status code.
  package var status: Int
  /// The header fields, with names in lower case. The values of a field that comes more than once are joined
  /// with commas (RFC 9110 §5.3).
  package var headers: [String: String] = [:]
}
