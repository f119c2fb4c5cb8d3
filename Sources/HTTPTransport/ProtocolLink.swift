import CCurl
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Brings what the loop has to tell to the queue on which URLSession wants to hear it.
///
/// URLSession reads its registry of tasks without a lock, on each task's work queue: a protocol that
/// answered from elsewhere would crash the process.
///
/// Unchecked: `exchange`, `loader`, `task` and `queue` are constants; `loader`, `task` and `isStopped`
/// are used on the work queue alone.
final class ProtocolLink: @unchecked Sendable {
  let exchange: Exchange
  private let loader: CurlProtocol
  private let task: URLSessionTask
  /// Lives as long as its task, which `task` keeps.
  private let queue: UnsafeMutableRawPointer
  /// Whether URLSession wants to hear no more.
  var isStopped = false

  init(
    _ loader: CurlProtocol, _ exchange: Exchange, _ task: URLSessionTask,
    queue: UnsafeMutableRawPointer
  ) {
    self.loader = loader
    self.exchange = exchange
    self.task = task
    self.queue = queue
  }

  /// Tells how far it is, and the reply's head once it is there.
  func tell(acknowledged: Int64?, head: ReplyHead?) {
    onQueue { link in
      link.report(acknowledged)
      link.report(head)
    }
  }

  /// Tells what is left to be told, and that it is over.
  func finish(acknowledged: Int64?, head: ReplyHead?, reply: Data, _ trouble: TransportError?) {
    onQueue { link in
      link.report(acknowledged)
      link.report(head)
      link.loader.letGo()
      guard let client = link.loader.client else { return }
      if !reply.isEmpty { client.urlProtocol(link.loader, didLoad: reply) }
      if let trouble {
        client.urlProtocol(link.loader, didFailWithError: trouble)
      } else {
        client.urlProtocolDidFinishLoading(link.loader)
      }
    }
  }

  /// Tells that the server does not heed `Expect`.
  func tellExpectIgnored() { onQueue { $0.exchange.tell(.expectIgnored) } }

  /// Tells of an interim reply.
  func tell(interim head: ReplyHead) { onQueue { $0.exchange.tell(.informed(head)) } }

  /// Tells that it did not even begin.
  func fail(_ trouble: TransportError) {
    finish(acknowledged: nil, head: nil, reply: Data(), trouble)
  }

  /// URLProtocolClient has no upload-progress callback, so this calls the delegate directly, as Foundation's
  /// own protocol does.
  private func report(_ acknowledged: Int64?) {
    guard let acknowledged else { return }
    let (session, task, body) = (exchange.session, task, exchange.request.body)
    session.delegateQueue.addOperation {
      (session.delegate as? any URLSessionTaskDelegate)?.urlSession(
        session, task: task, didSendBodyData: acknowledged, totalBytesSent: acknowledged,
        totalBytesExpectedToSend: body?.length ?? 0)
    }
  }

  private func report(_ head: ReplyHead?) {
    guard let head else { return }
    // The header fields go another way (`Exchange.content`). From here URLSession would raise a challenge at a
    // 401, with no way on but Foundation's own transport.
    guard
      let response = HTTPURLResponse(
        url: exchange.request.url, statusCode: head.status, httpVersion: "HTTP/1.1",
        headerFields: nil)
    else { return }
    loader.client?.urlProtocol(loader, didReceive: response, cacheStoragePolicy: .notAllowed)
  }

  private func onQueue(_ work: @escaping @Sendable (ProtocolLink) -> Void) {
    let call = Unmanaged.passRetained(Call { if !self.isStopped { work(self) } })
    hoist_run_on_queue(queue, call.toOpaque()) { context in
      guard let context else { return }
      Unmanaged<Call>.fromOpaque(context).takeRetainedValue().run()
    }
  }

  private final class Call: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
