import HTTPTransport
import UploadModel

/// An event in the life of a request.
enum TransportNews: Sendable {
  /// The transport's thread began a request that had waited for a lane.
  case begun(at: Instant)
  /// How many bytes of the body the other side has acknowledged. The number falls when the body starts over on
  /// another connection.
  case acknowledged(Int64)
  /// Everything but the end of the body has been handed over, and the rest waits.
  case endHeld
  /// The server ignores `Expect: 100-continue`.
  case expectIgnored
  /// An interim reply's head.
  case informed(ReplyHead)
  /// The final reply's head.
  case responded(ReplyHead)
  /// The request is over. Includes the content that the target's rules found in the reply.
  case ended(ExchangeEnd, ReplyContent?)
}
