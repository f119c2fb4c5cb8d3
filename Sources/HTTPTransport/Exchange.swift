import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The contract of this room.
//
// In goes one description of a request: `ExchangeRequest`. Out come events, in order, of which `ended` is
// the last. In between stands a URLSession task whose protocol is ours:
//
//   Exchange.resume ─► URLSessionTask ─► CurlProtocol ─► TransferLoop ─► libcurl
//        ▲                                                    │
//        └── SessionDelegate ◄── didSendBodyData, response, data, end
//
// The loop is the only place that calls libcurl. Whoever asks knows neither it nor URLSession's rules.

/// One HTTP request and what becomes of it.
///
/// Events come one at a time, on a queue of URLSession's that must not be kept waiting: whoever begins
/// another exchange because of one does that on a queue of their own. After `cancel` there is still an
/// `ended`, as for any other exchange.
public final class Exchange: NSObject, URLSessionTaskDelegate {
  /// What happens on the way.
  public enum Event: Sendable {
    /// The other side has acknowledged so many bytes of the body. Less than before where the body
    /// started over on another connection.
    case acknowledged(Int64)
    /// The server did not answer `Expect: 100-continue` in time (RFC 9110 §10.1.1), or refused it with
    /// 417.
    case expectIgnored
    /// An interim reply's head (RFC 9110 §15.2), other than that of 100.
    case informed(ReplyHead)
    /// The final reply's head. Interim replies and what a proxy says of a tunnel are none.
    case responded(ReplyHead)
    /// It is over.
    case ended(ExchangeEnd)
  }

  /// A snapshot of the exchange's progress, for polling.
  public struct Progress: Sendable {
    /// Whether a connection was made and the request's head handed to it.
    public var hasBegun = false
    /// The body's bytes that were handed to the connection, whether or not they arrived.
    public var handedOver: Int64 = 0
    /// The body's bytes that the other side has acknowledged.
    public var acknowledged: Int64 = 0
    /// Whether a limit keeps it waiting at this moment.
    public var isHeldBack = false
    /// The bytes of replies so far, heads and interim ones among them.
    public var received = 0
    /// Whether the final reply has begun.
    public var hasReplyBegun = false

    /// Nothing yet.
    public init() {}

    /// Whether anything has moved since, or there is nothing on its way that could for a limit of ours.
    public func hasMoved(since earlier: Progress) -> Bool {
      isHeldBack && acknowledged >= handedOver || received != earlier.received
        || acknowledged != earlier.acknowledged
        || hasBegun != earlier.hasBegun
    }
  }

  /// What the loop writes and others read.
  struct Content {
    var progress = Progress()
    var head: ReplyHead?
    var reply = Data()
    var isReplyCut = false
    /// Whether the body waits for `goOn`.
    var isWaiting = false
    /// Whether URLSession has told the end already: nothing more may leave.
    var isStopped = false
  }

  /// What is asked.
  public let request: ExchangeRequest
  let content = Mutex(Content())
  let session: URLSession
  let loop: TransferLoop
  private let handler: @Sendable (Event) -> Void
  private let task = Mutex<URLSessionTask?>(nil)

  init(
    _ request: ExchangeRequest, on session: URLSession, _ loop: TransferLoop,
    handler: @escaping @Sendable (Event) -> Void
  ) {
    self.request = request
    self.session = session
    self.loop = loop
    self.handler = handler
  }

  func attach(_ task: URLSessionTask) { self.task.withLock { $0 = task } }

  /// Begins.
  public func resume() { task.withLock { $0 }?.resume() }

  /// Cancels the exchange and closes its connection.
  public func cancel() { task.withLock { $0 }?.cancel() }

  /// Lets a body go that waits after an interim reply.
  public func goOn() {
    content.withLock { $0.isWaiting = false }
    loop.limitsChanged()
  }

  /// How far it is at this moment.
  public var progress: Progress { content.withLock { $0.progress } }

  /// Whether the server may have the whole request.
  public var hasHandedOverAll: Bool {
    let progress = progress
    return progress.hasBegun && progress.handedOver >= (request.body?.length ?? 0)
  }

  func tell(_ event: Event) { handler(event) }

  func tellHead() {
    if let head = content.withLock({ $0.head }) { handler(.responded(head)) }
  }

  func end(_ error: (any Error)?) {
    let task = task.withLock { task in
      defer { task = nil }
      return task
    }
    guard task != nil else { return }
    // A cancelled task fails with an error of URLSession's own.
    let trouble = error.map { $0 as? TransportError ?? TransportError(.cancelled) }
    let end = content.withLock { content in
      ExchangeEnd(
        head: content.head, reply: content.reply, isReplyCut: content.isReplyCut, trouble: trouble)
    }
    handler(.ended(end))
  }
}
