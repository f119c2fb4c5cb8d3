import HTTPTransport
import Synchronization
import UploadModel

/// Requests that are prepared before a lane is free for them, in order.
///
/// Two thread switches and a turn of the engine's queue lie between a reply and its lane's next request. With small
/// files, that is much of the time. So the transport's thread begins the next request itself, but only after a 2xx
/// reply: after any other end, the waiting requests are taken back, and the scheduler decides again. Until its request
/// begins, a file is reported as waiting, and the attempt does not count. In a queue that is kept, it has been claimed.
final class RequestsAhead: Sendable {
  struct Request: Sendable {
    let item: ItemID
    let route: Route
    let task: UploadTask
  }

  private let line = Mutex<[Request]>([])

  var all: [Request] { line.withLock { $0 } }

  func append(_ request: Request) { line.withLock { $0.append(request) } }

  /// Removes the next request of a route and returns it, with the number of requests left. The caller must begin it.
  func takeNext(on route: Route) -> (request: Request, left: Int)? {
    line.withLock { line in
      line.firstIndex { $0.route == route }.map { (line.remove(at: $0), line.count) }
    }
  }

  /// Removes requests and returns them. Only the caller may begin them or put them back in line.
  @discardableResult
  func remove(where isMeant: (Request) -> Bool) -> [Request] {
    line.withLock { line in
      defer { line.removeAll(where: isMeant) }
      return line.filter(isMeant)
    }
  }
}
