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

  /// The end of a request that nobody watches. Cancelling the task that waits ends it.
  ///
  /// - Parameter stallTimeout: after how many seconds without a byte in either direction it is ended.
  public func end(of request: ExchangeRequest, stallTimeout: Double) async -> ExchangeEnd {
    let (ends, continuation) = AsyncStream.makeStream(of: ExchangeEnd.self)
    let exchange = exchange(request) { event in
      guard case .ended(let end) = event else { return }
      continuation.yield(end)
      continuation.finish()
    }
    let watch = Task {
      try await exchange.waitForStall(of: stallTimeout)
      exchange.cancel()
    }
    defer { watch.cancel() }
    exchange.resume()
    let waiting = Task { await ends.first { _ in true } }
    let told = await withTaskCancellationHandler {
      await waiting.value
    } onCancel: {
      exchange.cancel()
    }
    guard var end = told else {
      return ExchangeEnd(
        head: nil, reply: Data(), isReplyCut: false, trouble: TransportError(.cancelled))
    }
    if case .cancelled? = end.trouble?.kind, !Task.isCancelled {
      end.trouble = TransportError(.stalled(seconds: stallTimeout))
    }
    return end
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

extension Exchange {
  /// Returns when nothing has moved for so many seconds.
  fileprivate func waitForStall(of timeout: Double) async throws {
    var (last, since, look) = (transferProgress, Clock.now, Clock.now)
    while Clock.now - since < timeout {
      try await Task.sleep(for: .seconds(min(0.25, timeout)))
      let (current, now) = (transferProgress, Clock.now)
      // Nobody can be blamed for the time for which the process was stopped or the machine slept.
      if current.hasMoved(since: last) || now - look > 2 { since = now }
      (last, look) = (current, now)
    }
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
