import Foundation
import FoundationNetworking
import Synchronization

// The contract of this room.
//
// In goes one description of a request: `ExchangeRequest`. Out come events, in order, of which `ended` is
// the last. In between is a URLSession task that libcurl carries:
//
//   Exchange.resume ─► TransferLoop ─► libcurl
//      ▲                    │
//      └── SessionDelegate ◄┘ didSendBodyData, didCompleteWithError
//
// The loop is the only place that calls libcurl. Callers know nothing of libcurl.

/// One HTTP request and what becomes of it: a URLSession task that libcurl carries.
///
/// Foundation's own tasks wake other threads four times, which for a small file costs more than sending
/// it. This one overrides what they do, and URLSession's machinery never sees it.
///
/// Events come one at a time, on the transport's thread, which must not be kept waiting. After `cancel`
/// there is still an `ended`, as for any other exchange. Only if libcurl could not be set up, the end comes
/// on the caller's thread.
///
/// Unchecked, because its superclass is: this class adds only constants and a Mutex.
package final class Exchange: URLSessionDataTask, @unchecked Sendable {
  /// What happens on the way.
  package enum Event: Sendable {
    /// How many bytes of the body the other side has acknowledged. The number falls when the body
    /// starts over on another connection.
    case acknowledged(Int64)
    /// The server did not answer `Expect: 100-continue` in time (RFC 9110 §10.1.1), or refused it with
    /// 417.
    case expectIgnored
    /// An interim reply's head (RFC 9110 §15.2), other than that of 100.
    case informed(ReplyHead)
    /// The final reply's head; neither an interim reply's nor a proxy's reply to CONNECT.
    case responded(ReplyHead)
    /// The exchange is over.
    case ended(ExchangeEnd)
  }

  /// A snapshot of the exchange's progress, for polling.
  package struct Progress: Sendable {
    /// Whether a connection was made and the request's head handed to it.
    package var hasBegun = false
    /// How many bytes of the body were handed to the connection, whether or not they arrived.
    package var handedOver: Int64 = 0
    /// How many bytes of the body the other side has acknowledged.
    package var acknowledged: Int64 = 0
    /// Whether a limit is holding it back.
    package var isHeldBack = false
    /// The bytes of replies so far, including heads and interim replies.
    package var received = 0
    /// Whether the final reply has begun.
    package var hasReplyBegun = false

    /// No progress yet.
    package init() {}

    /// Whether anything has moved since, or nothing could have, because a limit of ours holds back the rest.
    package func hasMoved(since earlier: Progress) -> Bool {
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
    /// Once it is cancelled, nothing more may leave, and only the end is reported.
    var state = URLSessionTask.State.suspended

    var isStopped: Bool { state == .canceling || state == .completed }
  }

  /// The request that it makes.
  package let request: ExchangeRequest
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

  // MARK: What a URLSession task does

  /// Begins the exchange.
  package override func resume() {
    let isFirst = content.withLock { content in
      guard content.state == .suspended else { return false }
      content.state = .running
      return true
    }
    if isFirst { loop.start(self) }
  }

  /// Cancels the exchange and closes its connection.
  package override func cancel() {
    let isFirst = content.withLock { content in
      guard !content.isStopped else { return false }
      content.state = .canceling
      return true
    }
    if isFirst { loop.stop(self) }
  }

  /// Does nothing: a server cuts off an upload that stands still.
  package override func suspend() {}

  /// The state of the task.
  package override var state: URLSessionTask.State { content.withLock { $0.state } }
  /// Its URL and method; the rest is in `request`.
  package override var originalRequest: URLRequest? {
    var head = URLRequest(url: request.url)
    head.httpMethod = request.method
    return head
  }
  /// The same, since callers follow redirects themselves.
  package override var currentRequest: URLRequest? { originalRequest }
  /// How many bytes of the body the other side has acknowledged.
  package override var countOfBytesSent: Int64 { content.withLock { $0.progress.acknowledged } }
  /// The body's length. It cannot be set.
  package override var countOfBytesExpectedToSend: Int64 {
    get { request.body?.length ?? 0 }
    set {}
  }

  // MARK: What the transport adds

  /// Releases a body that waits after an interim reply.
  package func goOn() {
    content.withLock { $0.isWaiting = false }
    loop.limitsChanged()
  }

  /// The current progress.
  package var transferProgress: Progress { content.withLock { $0.progress } }

  /// Whether the server may have received the whole request.
  package var hasHandedOverAll: Bool {
    let progress = transferProgress
    return progress.hasBegun && progress.handedOver >= (request.body?.length ?? 0)
  }

  // MARK: What the loop reports, on its thread

  /// Reports the progress, and the reply's head once it has arrived.
  func tell(acknowledged: Int64?, head: ReplyHead?) {
    guard !content.withLock({ $0.isStopped }) else { return }
    if let acknowledged {
      delegate?.urlSession(
        session, task: self, didSendBodyData: acknowledged, totalBytesSent: acknowledged,
        totalBytesExpectedToSend: countOfBytesExpectedToSend)
    }
    if let head { handler(.responded(head)) }
  }

  /// Reports that the server ignores `Expect`, or an interim reply.
  func tell(_ event: Event) {
    if !content.withLock({ $0.isStopped }) { handler(event) }
  }

  /// Reports the end, unless that has been done.
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
