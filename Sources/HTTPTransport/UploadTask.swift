import Foundation
import FoundationNetworking
import Synchronization

/// A URLSession task that libcurl runs.
///
/// Created by `UploadSession`. Its delegate is told the progress and the end, on the transport's thread; the end even
/// after `cancel`. Only the members below are about the request: Foundation's other ones, such as `state` and
/// `response`, keep the values that they have for a task without a session.
///
/// Unchecked, because its superclass is: this class adds only constants and a Mutex.
package final class UploadTask: URLSessionUploadTask, @unchecked Sendable {
  /// A snapshot of the progress, for polling.
  package struct Progress: Sendable {
    /// Whether a connection was established and given the head of the request.
    package var hasBegun = false
    /// How many bytes of the body were handed to the connection, whether or not they have arrived.
    package var handedOver: Int64 = 0
    /// How many bytes of the body the other side has acknowledged.
    package var acknowledged: Int64 = 0
    /// How many seconds the rest of the body takes to leave at the speed so far, once all of it has been handed over; 0
    /// if that is not known.
    package var secondsToLeave = 0.0
    /// The connection's round-trip time in seconds, as the kernel last measured it; nil if that is not known.
    package var roundTrip: Double?
    /// Whether a bandwidth limit or the caller is delaying the body.
    package var isHeldBack = false
    /// The number of bytes of replies so far, including heads and interim replies.
    package var received = 0
    /// Whether the final reply has begun.
    package var hasReplyBegun = false

    /// No progress yet.
    package init() {}

    /// Whether there was any progress since `earlier`, or none was possible because a limit delays everything that is
    /// left to send.
    package func hasMoved(since earlier: Progress) -> Bool {
      isHeldBack && acknowledged >= handedOver || received != earlier.received
        || acknowledged != earlier.acknowledged
        || hasBegun != earlier.hasBegun
    }
  }

  /// The state that the loop writes and others read.
  struct Content {
    var progress = Progress()
    /// How many of the acknowledged bytes were reported to the delegate.
    var reported: Int64 = 0
    var end = ExchangeEnd()
    /// Whether the body is on hold until `releaseBody` is called.
    var isWaiting = false
    /// The recipient of the task's reports, until the task ends.
    var delegate: (any UploadTaskDelegate)?
    /// Once this is `canceling`, nothing more may be sent, and only the end is reported.
    var state = URLSessionTask.State.suspended

    var isStopped: Bool { state == .canceling || state == .completed }
  }

  package let request: ExchangeRequest
  let content: Mutex<Content>
  private let session: UploadSession
  private let identifier: Int

  init(
    _ request: ExchangeRequest, _ identifier: Int, of session: UploadSession,
    _ delegate: any UploadTaskDelegate
  ) {
    self.request = request
    self.identifier = identifier
    self.session = session
    content = Mutex(Content(delegate: delegate))
    super.init()
  }

  // MARK: URLSession task

  /// Begins the request, unless it has begun or was cancelled.
  package override func resume() {
    let isFirst = content.withLock { content in
      guard content.state == .suspended else { return false }
      content.state = .running
      return true
    }
    if isFirst { session.loop.order(.start(self)) }
  }

  /// Cancels the request and closes its connection.
  package override func cancel() {
    let isFirst = content.withLock { content in
      guard !content.isStopped else { return false }
      content.state = .canceling
      return true
    }
    if isFirst { session.loop.order(.stop(self)) }
  }

  /// Cancels the request, unless the server may already have all of it. Then its reply is awaited, since otherwise nobody
  /// could tell what became of it.
  package func cancelUnlessSent() {
    if content.withLock({ $0.state == .suspended }) { return cancel() }
    session.loop.order(.stopUnlessSent(self))
  }

  package override var taskIdentifier: Int { identifier }
  /// How many bytes of the body the other side has acknowledged.
  package override var countOfBytesSent: Int64 { transferProgress.acknowledged }
  /// The body's length. Setting it has no effect.
  package override var countOfBytesExpectedToSend: Int64 {
    get { request.body?.length ?? 0 }
    set {}
  }

  // MARK: Additions

  /// Continues a body that is on hold after an interim reply or before the body's end.
  package func releaseBody() {
    content.withLock { $0.isWaiting = false }
    session.loop.order(.limitsChanged)
  }

  package var transferProgress: Progress { content.withLock { $0.progress } }

  /// Whether the server may have received the whole request.
  package var hasHandedOverAll: Bool {
    let progress = transferProgress
    return progress.hasBegun && progress.handedOver >= (request.body?.length ?? 0)
  }

  package var end: ExchangeEnd { content.withLock { $0.end } }

  // MARK: Reports from the loop, on its thread

  /// Records that nothing more may be sent.
  func recordStop() {
    content.withLock { if !$0.isStopped { $0.state = .canceling } }
  }

  /// Reports the progress, and the reply's head once it has arrived.
  func report(acknowledged: Int64?, head: ReplyHead?) {
    let (delegate, sent) = content.withLock { content in
      defer { content.reported = acknowledged ?? content.reported }
      return (
        content.isStopped ? nil : content.delegate, acknowledged.map { $0 - content.reported }
      )
    }
    if let sent, let acknowledged {
      delegate?.urlSession(
        session, task: self, didSendBodyData: sent, totalBytesSent: acknowledged,
        totalBytesExpectedToSend: countOfBytesExpectedToSend)
    }
    if let head { delegate?.urlSession(session, task: self, didReceive: head) }
  }

  /// Reports an interim reply.
  func report(interim head: ReplyHead) {
    activeDelegate?.urlSession(session, task: self, didReceiveInformationalResponse: head)
  }

  /// Reports that only the body's end is missing.
  func reportEndHeld() { activeDelegate?.urlSessionHoldsEnd(session, task: self) }

  /// Reports that the server ignores `Expect`.
  func reportExpectIgnored() { activeDelegate?.urlSessionExpectIgnored(session, task: self) }

  private var activeDelegate: (any UploadTaskDelegate)? {
    content.withLock { $0.isStopped ? nil : $0.delegate }
  }

  /// Reports the end, unless it has already been reported.
  func finish(_ trouble: TransportError?) {
    let delegate: (any UploadTaskDelegate)? = content.withLock { content in
      guard content.state != .completed else { return nil }
      content.end.trouble = content.state == .canceling ? TransportError(.cancelled) : trouble
      content.state = .completed
      return content.delegate.take()
    }
    delegate?.urlSession(session, task: self, didCompleteWithError: end.trouble)
  }
}

/// A task's delegate that receives more reports than URLSession's, on the transport's thread, which must not be
/// blocked. If libcurl could not be set up, the end is reported on the caller's thread.
package protocol UploadTaskDelegate: URLSessionTaskDelegate, Sendable {
  /// The head of an interim reply (RFC 9110 §15.2) has arrived. A 100 is reported only if
  /// `ExchangeRequest.waitsAfterInterim` is set.
  func urlSession(
    _ session: URLSession, task: UploadTask, didReceiveInformationalResponse head: ReplyHead)
  /// The head of the final reply has arrived.
  func urlSession(_ session: URLSession, task: UploadTask, didReceive head: ReplyHead)
  /// All of the body but its end has been handed over, and the request waits for `UploadTask.releaseBody`, as requested
  /// by `ExchangeRequest.holdsEnd`. Called again for each connection on which the request begins.
  func urlSessionHoldsEnd(_ session: URLSession, task: UploadTask)
  /// The server did not answer `Expect: 100-continue` in time (RFC 9110 §10.1.1), or rejected it with 417.
  func urlSessionExpectIgnored(_ session: URLSession, task: UploadTask)
}

extension UploadTaskDelegate {
  package func urlSession(
    _ session: URLSession, task: UploadTask, didReceiveInformationalResponse head: ReplyHead
  ) {}
  package func urlSession(_ session: URLSession, task: UploadTask, didReceive head: ReplyHead) {}
  package func urlSessionExpectIgnored(_ session: URLSession, task: UploadTask) {}
  package func urlSessionHoldsEnd(_ session: URLSession, task: UploadTask) {}
}

/// How a request ended.
package struct ExchangeEnd: Sendable {
  /// The final reply's head, if one arrived.
  package var head: ReplyHead?
  /// The reply's content, decoded, as far as it was kept.
  package var reply = Data()
  /// Whether the content was longer than the part that was kept.
  package var isReplyCut = false
  /// Whether a connection was made for the request, rather than one used that others had been sent on.
  package var isFirstOnConnection = false
  /// Whether the reply is a 401 only because the challenge that the request answered had expired.
  package var hasChallengeExpired = false
  /// Why the request ended early, if it did.
  package var trouble: TransportError?
}
