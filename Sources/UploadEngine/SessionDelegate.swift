import Foundation
import MultipartForm
import Synchronization
import UploadModel

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What URLSession tells of one task.
enum TaskEvent: Sendable {
  /// So many bytes of the body have been handed over since the task began.
  case sent(total: Int64)
  /// The connection had gone stale, and the body starts over on a new one.
  case bodyRestarted
  /// The reply's head.
  case responded(status: Int, headers: [String: String])
  /// A piece of the reply's body.
  case received(Data)
  /// The task is over. The reply's head, where it has not been told before: that of a redirect.
  case ended((any Error & Sendable)?, status: Int?, headers: [String: String])
}

/// Turns URLSession's callbacks into events, in order, on the session's queue. It decides nothing but
/// the three answers that URLSession wants at once, and those are always the same.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
  private struct Body {
    let body: FormBody
    let fate: BodyFate
    var hasReply = false
  }

  /// A closure needs a wrapping to live in a `Mutex`: bare, every access would wrap it once more.
  private struct Handler {
    let take: @Sendable (Int, TaskEvent) -> Void
  }

  private let now: @Sendable () -> Moment
  private let handler = Mutex<Handler?>(nil)
  private let bodies = Mutex<[Int: Body]>([:])

  init(now: @escaping @Sendable () -> Moment) { self.now = now }

  /// Events go to `handler` from now on.
  func attach(_ handler: @escaping @Sendable (Int, TaskEvent) -> Void) {
    self.handler.withLock { $0 = Handler(take: handler) }
  }

  /// Remembers the body of a task, should it have to be sent again.
  func remember(_ body: FormBody, fate: BodyFate, for task: Int) {
    bodies.withLock { $0[task] = Body(body: body, fate: fate) }
  }

  private func tell(_ task: URLSessionTask, _ event: TaskEvent) {
    handler.withLock { $0 }?.take(task.taskIdentifier, event)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    tell(task, .sent(total: totalBytesSent))
  }

  /// Called on URLSession's own queue, unlike everything else here. What a new stream does not give
  /// any more, its first read says: that fails the task.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
  ) {
    let body = bodies.withLock { $0[task.taskIdentifier] }
    if body?.fate.isOver != true {
      session.delegateQueue.addOperation { self.tell(task, .bodyRestarted) }
    }
    completionHandler(body.map { BodyStream($0.body, fate: $0.fate, now: now) })
  }

  /// A redirect that URLSession follows loses the body and answers 200 all the same. The 3xx reply
  /// itself goes to the engine.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Credentials are sent with the request or not at all. Without an answer here, a 401 with a
  /// challenge hangs for ever.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    completionHandler(.rejectProtectionSpace, nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if let http = response as? HTTPURLResponse {
      bodies.withLock { $0[dataTask.taskIdentifier]?.hasReply = true }
      tell(dataTask, .responded(status: http.statusCode, headers: Self.headers(of: http)))
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    tell(dataTask, .received(data))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let body = bodies.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    let http = body?.hasReply == true ? nil : task.response as? HTTPURLResponse
    tell(
      task,
      .ended(
        error.map { $0 as NSError }, status: http?.statusCode,
        headers: http.map(Self.headers) ?? [:]))
  }

  private static func headers(of response: HTTPURLResponse) -> [String: String] {
    var headers: [String: String] = [:]
    for case (let name as String, let value as String) in response.allHeaderFields {
      headers[name.lowercased()] = value
    }
    return headers
  }
}
