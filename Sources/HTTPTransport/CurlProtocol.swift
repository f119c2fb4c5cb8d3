import CCurl
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Plugs libcurl into URLSession: a session that lists this class in `protocolClasses` hands it every
/// request. It takes what an exchange needs from the task's delegate, which is that
/// exchange.
final class CurlProtocol: URLProtocol {
  private var link: ProtocolLink?

  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  /// Runs on the task's work queue, where all of URLSession's own state is at home.
  override func startLoading() {
    guard let task, let exchange = task.delegate as? Exchange, let queue = hoist_current_queue()
    else {
      client?.urlProtocol(self, didFailWithError: TransportError(.other, words: "no exchange"))
      return
    }
    let link = ProtocolLink(self, exchange, task, queue: queue)
    self.link = link
    exchange.loop.start(link)
  }

  /// Runs on the same queue. After it, URLSession tells the end by itself.
  override func stopLoading() {
    guard let link else { return }
    letGo()
    link.isStopped = true
    link.exchange.content.withLock { $0.isStopped = true }
    link.exchange.loop.stop(link)
  }

  /// The link knows its protocol as well: one of them has to forget the other.
  func letGo() { link = nil }
}
