import CCurl
import Foundation
import FoundationNetworking
import Synchronization

/// A URLSession task that libcurl runs.
///
/// Created by `UploadSession`. Progress and end are reported to its delegate: to an `UploadTaskDelegate` directly, on
/// the transport's thread; to any other delegate, or to a completion handler, on the session's delegate queue. The end
/// is reported even after `cancel`.
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
    /// Whether a bandwidth limit or `suspend` is delaying the body.
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
    /// Whether the task was suspended after it had begun.
    var isSuspended = false
    /// Whether the delegate declined the reply's content.
    var isRefused = false
    /// The recipient of the task's reports, until the task ends.
    var listener: Listener?
    /// Once this is `canceling`, nothing more may be sent, and only the end is reported.
    var state = URLSessionTask.State.suspended

    var isStopped: Bool { state == .canceling || state == .completed }
    var holdsBody: Bool { isWaiting || isSuspended }
  }

  /// Called with the reply's content and head, or with why the task failed.
  package typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

  /// The recipient of a task's reports.
  enum Listener: Sendable {
    /// A delegate that is called on the transport's thread.
    case transport(any UploadTaskDelegate)
    /// The task's own delegate or its session's, called on the session's delegate queue.
    case delegate
    /// Called on the session's delegate queue with the task's result.
    case completion(Completion)
  }

  package let request: ExchangeRequest
  let content = Mutex(Content())
  private let session: UploadSession
  private let identifier: Int
  private let original: URLRequest?

  init(
    _ request: ExchangeRequest, _ identifier: Int, of session: UploadSession, _ listener: Listener,
    original: URLRequest?
  ) {
    self.request = request
    self.identifier = identifier
    self.session = session
    self.original = original
    super.init()
    content.withLock { $0.listener = listener }
  }

  // MARK: URLSession task

  /// Begins the request, or lets it continue after `suspend`.
  package override func resume() {
    let order: TransferLoop.Order? = content.withLock { content in
      guard content.state == .suspended else { return nil }
      if content.isSuspended {
        (content.isSuspended, content.state) = (false, .running)
        return .limitsChanged
      }
      let isWelcome = session.remember(self)
      content.state = isWelcome ? .running : .canceling
      return isWelcome ? .start(self) : .stop(self)
    }
    if let order { session.loop.order(order) }
  }

  /// Puts the rest of the body on hold. Bytes that were already handed to a connection are still sent; if the body is
  /// sent together with the request's head, that is the whole body. Suspending twice has the same effect as once.
  package override func suspend() {
    content.withLock { content in
      guard content.state == .running else { return }
      (content.isSuspended, content.state) = (true, .suspended)
    }
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

  package override var taskIdentifier: Int { identifier }
  package override var state: URLSessionTask.State { content.withLock { $0.state } }
  /// The URL, method and header fields; the rest is in `request`.
  package override var originalRequest: URLRequest? {
    if let original { return original }
    var head = URLRequest(url: request.url)
    head.httpMethod = request.method
    for (name, value) in request.headers { head.addValue(value, forHTTPHeaderField: name) }
    return head
  }
  /// The same as `originalRequest`, since callers follow redirects themselves.
  package override var currentRequest: URLRequest? { originalRequest }
  package override var response: URLResponse? {
    end.head.flatMap { head in
      HTTPURLResponse(
        url: request.url, statusCode: head.status, httpVersion: "HTTP/1.1",
        headerFields: head.headers)
    }
  }
  /// A `URLError` once the task has failed.
  package override var error: (any Error)? { end.trouble?.urlError(for: request.url) }
  /// How many bytes of the body the other side has acknowledged.
  package override var countOfBytesSent: Int64 { content.withLock { $0.progress.acknowledged } }
  /// The body's length. Setting it has no effect.
  package override var countOfBytesExpectedToSend: Int64 {
    get { request.body?.length ?? 0 }
    set {}
  }
  /// How many bytes of the reply's content have arrived.
  package override var countOfBytesReceived: Int64 { Int64(end.reply.count) }
  /// The length that the reply announced. Setting it has no effect.
  package override var countOfBytesExpectedToReceive: Int64 {
    get { response?.expectedContentLength ?? NSURLSessionTransferSizeUnknown }
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

  /// Reports the progress, and the reply's head once it has arrived.
  func tell(acknowledged: Int64?, head: ReplyHead?) {
    let (listener, sent) = content.withLock { content in
      defer { content.reported = acknowledged ?? content.reported }
      return (
        content.isStopped ? nil : content.listener, acknowledged.map { $0 - content.reported }
      )
    }
    @Sendable func tellSent(_ delegate: any URLSessionTaskDelegate) {
      guard let sent, let acknowledged else { return }
      delegate.urlSession(
        session, task: self, didSendBodyData: sent, totalBytesSent: acknowledged,
        totalBytesExpectedToSend: countOfBytesExpectedToSend)
    }
    switch listener {
    case .transport(let delegate):
      tellSent(delegate)
      if let head { delegate.urlSession(session, task: self, didReceive: head) }
    case .delegate:
      if sent != nil { onDelegateQueue(tellSent) }
      if head != nil { tellResponse() }
    case .completion, nil: break
    }
  }

  private func tellResponse() {
    guard let response else { return }
    onDelegateQueue { [self] delegate in
      (delegate as? any URLSessionDataDelegate)?.urlSession(
        session, dataTask: self, didReceive: response
      ) { answer in
        guard answer == .cancel else { return }
        self.content.withLock { $0.isRefused = true }
        self.cancel()
      }
    }
  }

  /// Reports an interim reply.
  func tell(interim head: ReplyHead) {
    transportListener?.urlSession(session, task: self, didReceiveInformationalResponse: head)
  }

  /// Reports that only the body's end is missing.
  func tellEndHeld() { transportListener?.urlSessionHoldsEnd(session, task: self) }

  /// Reports that the server ignores `Expect`.
  func tellExpectIgnored() { transportListener?.urlSessionExpectIgnored(session, task: self) }

  private var transportListener: (any UploadTaskDelegate)? {
    guard case .transport(let delegate)? = content.withLock({ $0.isStopped ? nil : $0.listener })
    else { return nil }
    return delegate
  }

  /// Reports the end, unless it has already been reported.
  func finish(_ trouble: TransportError?) {
    let listener: Listener? = content.withLock { content in
      guard content.state != .completed else { return nil }
      content.end.trouble = content.state == .canceling ? TransportError(.cancelled) : trouble
      let seesCut = if case .transport? = content.listener { true } else { false }
      if !seesCut, content.end.trouble == nil, content.end.isReplyCut {
        content.end.trouble = TransportError(
          .other, code: CURLE_FILESIZE_EXCEEDED, words: "The reply is too long")
      }
      content.state = .completed
      return content.listener.take()
    }
    guard let listener else { return }
    switch listener {
    case .transport(let delegate):
      delegate.urlSession(session, task: self, didCompleteWithError: end.trouble)
    case .delegate:
      let (end, error) = (end, error)
      onDelegateQueue { [self] delegate in
        let isRefused = content.withLock { $0.isRefused }
        let error = isRefused ? URLError(.cancelled) : error
        if !end.reply.isEmpty, (error as? URLError)?.code != .cancelled {
          (delegate as? any URLSessionDataDelegate)?.urlSession(
            session, dataTask: self, didReceive: end.reply)
        }
        delegate.urlSession(session, task: self, didCompleteWithError: error)
      }
    case .completion(let handler):
      let (end, response, error) = (end, response, error)
      session.delegateQueue.addOperation {
        handler(error == nil ? end.reply : nil, response, error)
      }
    }
    session.forget(self)
  }

  private func onDelegateQueue(_ call: @escaping @Sendable (any URLSessionTaskDelegate) -> Void) {
    session.delegateQueue.addOperation { [self] in
      guard let delegate = delegate ?? session.delegate as? any URLSessionTaskDelegate
      else { return }
      call(delegate)
    }
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
  /// Why the request ended early, if it did.
  package var trouble: TransportError?
}
