import CCurl
import Foundation

/// Whether all of a body has arrived. A server may answer well before that, and close.
extension Transfer {
  /// The end of a body whose reply came first.
  final class Arrival {
    private let descriptor: Int32
    /// Where on the connection the body ends, as far as that is known.
    private let end: Int64
    /// Whether the connection was lost before the other side had all of it.
    private(set) var isLost = false

    /// - Parameter socket: still open. nil where the process has no room for another descriptor.
    init?(_ socket: Int32, end: Int64) {
      descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
      guard descriptor >= 0 else { return nil }
      self.end = end
    }

    deinit { close(descriptor) }

    /// Whether that is still open.
    func isOpen() -> Bool {
      let found = hoist_look_at(descriptor)
      guard found.state >= 0, found.acknowledged < end else { return false }
      isLost = found.state == Int32(TCP_CLOSE)
      return !isLost
    }
  }

  /// Notes, once the reply has begun, where on the connection the body ends, unless all has arrived.
  func recordArrival(at socket: Int32, isClosing: Bool = false) {
    guard length > 0, hasGivenAll, !request.offersHTTP2,
      let status = parser.head?.status, (200..<300).contains(status)
    else { return }
    // A closing TLS connection has its own last words in the count, which nobody may acknowledge.
    if isClosing, request.url.scheme == "https" { return }
    guard (SocketTable.unacknowledged(at: socket) ?? 0) > 0, let end = SocketTable.end(of: socket)
    else {
      arrival = nil
      return
    }
    arrival = Arrival(socket, end: end)
  }

  /// Whether a good reply came before all of the body had arrived, and it still may. Until then nobody may take the body
  /// for handed over.
  func awaitsArrival(_ code: CURLcode) -> Bool {
    guard code == CURLE_OK else { return false }
    if arrival == nil, let socket { recordArrival(at: socket) }
    guard let arrival else { return false }
    let isOpen = arrival.isOpen()
    let handedOver = isOpen || arrival.isLost ? min(acknowledged, length - 1) : length
    exchange.content.withLock { if !$0.isStopped { $0.progress.handedOver = handedOver } }
    return isOpen
  }

  /// Keeps what the kernel has taken of the body and not sent from reaching the server: buffers hold megabytes, and the
  /// server would get a whole file that was taken back at its beginning.
  func breakOff() {
    // Over HTTP/2 others share the connection.
    guard length > 0, parser.head == nil, !request.offersHTTP2, let socket,
      SocketTable.discardUnsent(at: socket) >= Self.surelyUnsent
    else { return }
    exchange.content.withLock { content in
      content.progress.handedOver = min(content.progress.handedOver, length - 1)
    }
  }

  /// More than leaves between the look and the reset. Where less is left, the server may get all of it.
  private static let surelyUnsent: Int64 = 64 << 10
}
