import Foundation
import FoundationNetworking
import Synchronization

/// The process's HTTP client: one URLSession, whose tasks libcurl carries out.
package final class Transport: Sendable {
  /// The transport that the process shares.
  package static let shared = Transport()

  /// The default for `maxIdle`, in seconds. Many servers close idle connections after five. A request sent just
  /// as the server closes the connection is repeated only if the server cannot have seen it; otherwise its
  /// outcome stays unknown.
  package static let usualMaxIdle = 4

  private let loop: TransferLoop
  private let session: URLSession
  private let delegate = SessionDelegate()

  /// A transport with its own connections. It is never freed.
  ///
  /// - Parameter maxIdle: after how many idle seconds a connection is not used again.
  package init(maxIdle: Int = usualMaxIdle) {
    loop = TransferLoop(maxIdle: maxIdle)
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    session = URLSession(
      configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// Creates an exchange, which starts with `resume` and sends its events to `handler`.
  package func exchange(
    _ request: ExchangeRequest, handler: @escaping @Sendable (Exchange.Event) -> Void
  ) -> Exchange {
    let exchange = Exchange(request, on: session, loop, handler: handler)
    exchange.delegate = delegate
    return exchange
  }

  /// Runs `work` once the transport has sent what it can send now: a thread that wakes up earlier takes a
  /// processor that the server may need. Call this from an exchange's handler; anywhere else, `work` runs at once.
  package func postpone(_ work: @escaping @Sendable () -> Void) { loop.postpone(work) }

  /// Creates a limit for exchanges to share.
  package func makeLimit() -> BandwidthLimit {
    BandwidthLimit { [loop] in loop.limitsChanged() }
  }
}

/// Passes callbacks on to the task, which is an exchange.
private final class SessionDelegate: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    (task as? Exchange)?.receive(acknowledged: totalBytesSent)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    (task as? Exchange)?.receiveEnd(error.map { $0 as? TransportError ?? TransportError(.other) })
  }
}
