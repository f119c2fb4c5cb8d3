import Foundation

/// How a request ended.
public struct ExchangeEnd: Sendable {
  /// The final reply's head, if one arrived.
  public var head: ReplyHead?
  /// The reply's content, decoded, as far as it was kept.
  public var reply: Data
  /// Whether the content was longer than what was kept.
  public var isReplyCut: Bool
  /// Why the request ended early, if it did.
  public var trouble: TransportError?
}
