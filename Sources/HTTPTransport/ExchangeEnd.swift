import Foundation

/// How a request ended.
public struct ExchangeEnd: Sendable {
  /// The final reply's head, where there was one.
  public var head: ReplyHead?
  /// The reply's content, decoded, as far as it was taken.
  public var reply: Data
  /// Whether there was more of it than was taken.
  public var isReplyCut: Bool
  /// Why the request ended early, if it did.
  public var trouble: TransportError?
}
