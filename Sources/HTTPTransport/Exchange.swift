import Foundation
import FoundationNetworking
import Synchronization

// The contract of this room.
//
// In goes one description of a request: `ExchangeRequest`. Out come events, in order, of which `ended` is
// the last. In between stands a URLSession task that is carried by libcurl:
//
//   Exchange.resume ─► TransferLoop ─► libcurl
//      ▲                    │
//      └── SessionDelegate ◄┘ didSendBodyData, didCompleteWithError
//
// The loop is the only place that calls libcurl. Whoever asks does not know it.

/// One HTTP request and what becomes of it: a task of URLSession's that libcurl carries.
///
/// Foundation's own tasks wake other threads four times, which for a small file costs more than sending
/// it. This one overrides what they do, and URLSession's machinery never sees it.
///
/// Events come one at a time, on the transport's thread, which must not be kept waiting. After `cancel`
/// there is still an `ended`, as for any other exchange. Only where libcurl could not be set up, the end comes
/// on the caller's thread.
///
/// Unchecked, for its superclass is: all that is added here is constants and a Mutex.
public final class Exchange: URLSessionDataTask, @unchecked Sendable {
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
    /// Where it is in its life. Once it is cancelled nothing more may leave, and only the end is told.
    var state = URLSessionTask.State.suspended

    var isStopped: Bool { state == .canceling || state == .completed }
  }

  /// What is asked.
  public let request: ExchangeRequest
  let content = Mutex(Content())
  private let session: URLSession
  private let loop: TransferLoop
  private let handler: @Sendable (Event) -> Void

  init(
    _ request: ExchangeRequest, on session: URLSession, _ loop: TransferLoop,
    handler: @escaping @Sendable (Event) -> Void
  ) {
    self.request = request
    self.session = session
    self.loop = loop
    self.handler = handler
    super.init()
  }

  // MARK: What a task of URLSession's does

  /// Begins.
  public override func resume() {
    let isFirst = content.withLock { content in
      guard content.state == .suspended else { return false }
      content.state = .running
      return true
    }
    if isFirst { loop.start(self) }
  }

  /// Cancels the exchange and closes its connection.
  public override func cancel() {
    let isFirst = content.withLock { content in
      guard !content.isStopped else { return false }
      content.state = .canceling
      return true
    }
    if isFirst { loop.stop(self) }
  }

  /// Does nothing: a server cuts off an upload that stands still.
  public override func suspend() {}

  /// Where it is in its life.
  public override var state: URLSessionTask.State { content.withLock { $0.state } }
  /// Its URL and method; the rest is in `request`.
  public override var originalRequest: URLRequest? {
    var head = URLRequest(url: request.url)
    head.httpMethod = request.method
    return head
  }
  /// The same: redirects are followed by whoever asked.
  public override var currentRequest: URLRequest? { originalRequest }
  /// The body's bytes that the other side has acknowledged.
  public override var countOfBytesSent: Int64 { content.withLock { $0.progress.acknowledged } }
  /// The body's length. It cannot be set.
  public override var countOfBytesExpectedToSend: Int64 {
    get { request.body?.length ?? 0 }
    set {}
  }

  // MARK: What the transport adds

  /// Lets a body go that waits after an interim reply.
  public func goOn() {
    content.withLock { $0.isWaiting = false }
    loop.limitsChanged()
  }

  /// How far it is at this moment.
  public var transferProgress: Progress { content.withLock { $0.progress } }

  /// Whether the server may have the whole request.
  public var hasHandedOverAll: Bool {
    let progress = transferProgress
    return progress.hasBegun && progress.handedOver >= (request.body?.length ?? 0)
  }

  // MARK: What the loop tells, on its thread

  /// Tells how far it is, and the reply's head once it is there.
  func tell(acknowledged: Int64?, head: ReplyHead?) {
    guard !content.withLock({ $0.isStopped }) else { return }
    if let acknowledged {
      delegate?.urlSession(
        session, task: self, didSendBodyData: acknowledged, totalBytesSent: acknowledged,
        totalBytesExpectedToSend: countOfBytesExpectedToSend)
    }
    if let head { handler(.responded(head)) }
  }

  /// Tells that the server does not heed `Expect`, or of an interim reply.
  func tell(_ event: Event) {
    if !content.withLock({ $0.isStopped }) { handler(event) }
  }

  /// Tells that it is over, unless that was told before.
  func finish(_ trouble: TransportError?) {
    let (state, isCancelled) = content.withLock { content in
      defer { content.state = .completed }
      return (content.state, content.state == .canceling)
    }
    guard state != .completed else { return }
    delegate?.urlSession(
      session, task: self, didCompleteWithError: isCancelled ? TransportError(.cancelled) : trouble)
  }

  // MARK: What the session's delegate hears

  func receive(acknowledged: Int64) { handler(.acknowledged(acknowledged)) }

  func receiveEnd(_ trouble: TransportError?) {
    let end = content.withLock { content in
      ExchangeEnd(
        head: content.head, reply: content.reply, isReplyCut: content.isReplyCut, trouble: trouble)
    }
    handler(.ended(end))
  }
}
