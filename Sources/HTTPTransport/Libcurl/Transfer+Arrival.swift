import CCurl
import Foundation

/// Whether all of a body has arrived. A server may answer long before that, and close.
extension Transfer {
  /// The end of a body whose reply came before all of it had arrived.
  final class Arrival {
    private let descriptor: Int32
    /// Where on the connection the body ends.
    private let end: Int64
    /// Whether the connection was lost before the other side had all of it.
    private(set) var isLost: Bool

    /// Fails if the process cannot open another descriptor.
    ///
    /// - Parameter socket: still open.
    init?(_ socket: Int32, end: Int64) {
      descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
      self.end = end
      isLost = false
      guard descriptor >= 0 else { return nil }
    }

    /// Of a connection that was reset before all had arrived.
    init() { (descriptor, end, isLost) = (-1, 0, true) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether it is still undecided.
    func isOpen() -> Bool {
      if isLost { return false }
      let found = hoist_look_at(descriptor)
      guard found.state >= 0, found.acknowledged < end else { return false }
      isLost = found.state == Int32(TCP_CLOSE)
      return !isLost
    }
  }

  /// Notes, once the reply has begun, where on the connection the body ends, unless all of it has arrived.
  func recordArrival(at socket: Int32, isClosing: Bool = false) {
    guard length > 0, hasGivenAll, !request.offersHTTP2,
      let status = parser.head?.status, (200..<300).contains(status)
    else { return }
    if arrival?.isLost == true { return }
    // After a reset the kernel has thrown away what was waiting: only its count of what arrived tells.
    if SocketTable.isClosed(socket), wholeBody == nil, let arrived = arrived(at: socket),
      arrived + slack < length
    {
      arrival = Arrival()
      return
    }
    // When a TLS connection closes, the count includes its closing alert, which may never be acknowledged.
    if isClosing, request.url.scheme == "https" { return }
    guard (SocketTable.unacknowledged(at: socket) ?? 0) > 0, let end = SocketTable.end(of: socket)
    else {
      arrival = nil
      return
    }
    arrival = Arrival(socket, end: end)
  }

  /// Whether a success came before all of the body had arrived, and the rest still may. Until it has, the body does not
  /// count as handed over.
  func awaitsArrival(_ code: CURLcode) -> Bool {
    if code == CURLE_OK, arrival == nil, let socket { recordArrival(at: socket) }
    guard let arrival else { return false }
    // After an error nothing more can arrive.
    let isOpen = arrival.isOpen() && code == CURLE_OK
    let handedOver = isOpen || arrival.isLost ? min(acknowledged, length - 1) : length
    task.content.withLock { if !$0.isStopped { $0.progress.handedOver = handedOver } }
    return isOpen
  }

  /// Keeps what the kernel has taken of the body and not sent from reaching the server: buffers hold megabytes, and the
  /// server would get a whole file that was taken back at its beginning.
  func breakOff() {
    // Over HTTP/2 others share the connection.
    guard length > 0, parser.head == nil, !request.offersHTTP2, let socket,
      SocketTable.discardUnsent(at: socket) >= Self.surelyUnsent
    else { return }
    task.content.withLock { content in
      content.progress.handedOver = min(content.progress.handedOver, length - 1)
    }
  }

  /// How far off the count of what has arrived may be: TLS records have an overhead of their own.
  private var slack: Int64 { request.url.scheme == "https" ? length / 100 + (32 << 10) : 0 }

  /// More than leaves between the look and the reset. Where less is left, the server may get all of it.
  private static let surelyUnsent: Int64 = 64 << 10
}
