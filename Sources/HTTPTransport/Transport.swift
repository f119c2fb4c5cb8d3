import Foundation
import FoundationNetworking
import Synchronization

/// HTTP for the process: one URLSession, whose tasks are carried by libcurl.
public final class Transport: Sendable {
  /// The process's own.
  public static let shared = Transport()

  /// How many seconds a connection may have been idle and is used again, unless said otherwise. Many
  /// servers close idle connections after five. A request that crosses that on its way is repeated where
  /// the server cannot have seen it, and leaves a doubt otherwise.
  public static let usualMaxIdle = 4

  private let loop: TransferLoop
  private let session: URLSession
  private let delegate = SessionDelegate()

  /// A transport with connections of its own. It is never freed.
  ///
  /// - Parameter maxIdle: how many seconds a connection may have been idle and is used again.
  public init(maxIdle: Int = usualMaxIdle) {
    loop = TransferLoop(maxIdle: maxIdle)
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    session = URLSession(
      configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// A request that begins with `resume`. Its events go to `handler`.
  public func exchange(
    _ request: ExchangeRequest, handler: @escaping @Sendable (Exchange.Event) -> Void
  ) -> Exchange {
    let exchange = Exchange(request, on: session, loop, handler: handler)
    exchange.delegate = delegate
    return exchange
  }

  /// Does something that an event gives rise to, and that can wait until the transport has sent what it can send now. A
  /// thread that is woken up before that takes a processor that the server may need. Where it is called by anybody but an
  /// exchange's handler, `work` is done at once.
  public func postpone(_ work: @escaping @Sendable () -> Void) { loop.postpone(work) }

  /// A bound for exchanges to share.
  public func makeLimit() -> BandwidthLimit {
    BandwidthLimit { [loop] in loop.limitsChanged() }
  }
}

/// Hands a task's callbacks to the exchange that it is.
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
