import Foundation

/// How a request ended.
package struct ExchangeEnd: Sendable {
  /// The final reply's head, if one arrived.
  package var head: ReplyHead?
  /// The reply's content, decoded, as far as it was kept.
  package var reply: Data
  /// Whether the content was longer than what was kept.
  package var isReplyCut: Bool
  /// Why the request ended early, if it did.
  package var trouble: TransportError?
}
