import Foundation
import FoundationNetworking
import Synchronization

// The contract of this room.
//
// The input is the description of a request, an `ExchangeRequest`. The output is a series of events, of which
// `ended` is the last. In between is a URLSession task that libcurl carries out:
//   Exchange.resume ─► TransferLoop ─► libcurl
//      ▲                    │
//      └── SessionDelegate ◄┘ didSendBodyData, didCompleteWithError
//
// Only the loop calls libcurl. Callers do not see libcurl.

/// One HTTP request and its result: a URLSession task that libcurl carries out.
///
/// Foundation's own tasks wake other threads four times, which for a small file costs more than sending it.
/// This subclass overrides everything they do, so that URLSession's machinery is not involved.
///
/// Events come one at a time, on the transport's thread, which must not be blocked. `ended` comes even after
/// `cancel`. If libcurl could not be set up, `ended` comes on the caller's thread.
///
/// Unchecked, because its superclass is: this class adds only constants and a Mutex.
package final class Exchange: URLSessionDataTask, @unchecked Sendable {
  /// An event during an exchange.
  package enum Event: Sendable {
    /// The number of bytes of the body that the other side has acknowledged. It falls when the body is sent
    /// again on another connection.
    case acknowledged(Int64)
    /// The server did not answer `Expect: 100-continue` in time (RFC 9110 §10.1.1), or rejected it with 417.
    case expectIgnored
    /// The head of an interim reply (RFC 9110 §15.2) other than 100.
    case informed(ReplyHead)
    /// The head of the final reply: not of an interim one, nor of a proxy's reply to CONNECT.
    case responded(ReplyHead)
    /// The exchange is over.
    case ended(ExchangeEnd)
  }

  /// A snapshot of the exchange's progress, for polling.
  package struct Progress: Sendable {
    /// Whether a connection was made and given the head of the request.
    package var hasBegun = false
    /// How many bytes of the body were handed to the connection, whether or not they have arrived.
    package var handedOver: Int64 = 0
    /// How many bytes of the body the other side has acknowledged.
    package var acknowledged: Int64 = 0
    /// Whether a bandwidth limit is delaying the body.
    package var isHeldBack = false
    /// The number of bytes of replies so far, including heads and interim replies.
    package var received = 0
    /// Whether the final reply has begun.
    package var hasReplyBegun = false

    /// No progress yet.
    package init() {}

    /// Whether there was any progress since `earlier`, or could be none because a bandwidth limit delays all
    /// that is left.
    package func hasMoved(since earlier: Progress) -> Bool {
      isHeldBack && acknowledged >= handedOver || received != earlier.received
        || acknowledged != earlier.acknowledged
        || hasBegun != earlier.hasBegun
    }
  }

  /// The state that the loop writes and others read.
  struct Content {
    var progress = Progress()
    var head: ReplyHead?
    var reply = Data()
    var isReplyCut = false
    /// Whether the body is on hold until `goOn` is called.
    var isWaiting = false
    /// Once this is `canceling`, nothing more may be sent, and only the end is reported.
    var state = URLSessionTask.State.suspended

    var isStopped: Bool { state == .canceling || state == .completed }
  }

  /// The request.
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

  // MARK: URLSession task

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

  /// Does nothing: servers cut off uploads that stall.
  package override func suspend() {}

  /// The state of the task.
  package override var state: URLSessionTask.State { content.withLock { $0.state } }
  /// The URL and method; the rest is in `request`.
  package override var originalRequest: URLRequest? {
    var head = URLRequest(url: request.url)
    head.httpMethod = request.method
    return head
  }
  /// The same as `originalRequest`, since callers follow redirects themselves.
  package override var currentRequest: URLRequest? { originalRequest }
  /// How many bytes of the body the other side has acknowledged.
  package override var countOfBytesSent: Int64 { content.withLock { $0.progress.acknowledged } }
  /// The body's length. Setting it has no effect.
  package override var countOfBytesExpectedToSend: Int64 {
    get { request.body?.length ?? 0 }
    set {}
  }

  // MARK: Additions

  /// Continues a body that is on hold after an interim reply.
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

  // MARK: Reports from the loop, on its thread

  /// Reports progress, and the head of the reply once it has arrived.
  func tell(acknowledged: Int64?, head: ReplyHead?) {
    guard !content.withLock({ $0.isStopped }) else { return }
    if let acknowledged {
      delegate?.urlSession(
        session, task: self, didSendBodyData: acknowledged, totalBytesSent: acknowledged,
        totalBytesExpectedToSend: countOfBytesExpectedToSend)
    }
    if let head { handler(.responded(head)) }
  }

  /// Reports an ignored `Expect` or an interim reply.
  func tell(_ event: Event) {
    if !content.withLock({ $0.isStopped }) { handler(event) }
  }

  /// Reports the end, unless it has already been reported.
  func finish(_ trouble: TransportError?) {
    let (state, isCancelled) = content.withLock { content in
      defer { content.state = .completed }
      return (content.state, content.state == .canceling)
    }
    guard state != .completed else { return }
    delegate?.urlSession(
      session, task: self, didCompleteWithError: isCancelled ? TransportError(.cancelled) : trouble)
  }

  // MARK: Callbacks of the session's delegate

  func receive(acknowledged: Int64) { handler(.acknowledged(acknowledged)) }

  func receiveEnd(_ trouble: TransportError?) {
    let end = content.withLock { content in
      ExchangeEnd(
        head: content.head, reply: content.reply, isReplyCut: content.isReplyCut, trouble: trouble)
    }
    handler(.ended(end))
  }
}

/// The result of a request.
package struct ExchangeEnd: Sendable {
  /// The final reply's head, if one arrived.
  package var head: ReplyHead?
  /// The reply's decoded content, up to the request's limit.
  package var reply: Data
  /// Whether the reply's content exceeded the limit.
  package var isReplyCut: Bool
  /// Why the request ended early, if it did.
  package var trouble: TransportError?
}
