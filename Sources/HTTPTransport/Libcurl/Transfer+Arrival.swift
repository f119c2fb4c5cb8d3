import CCurl
import Foundation

/// Detects whether the whole body has arrived. A server may reply long before it has, and close the connection.
extension Transfer {
  /// Tracks the end of a body whose reply came before all of the body had arrived.
  final class Arrival {
    private let descriptor: Int32
    /// The position on the connection at which the body ends.
    private let end: Int64
    /// Whether the connection was lost before the other side had the whole body.
    private(set) var isLost: Bool

    /// Duplicates the socket, which must still be open. Fails if the process cannot open another descriptor.
    init?(_ socket: Int32, end: Int64) {
      descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
      self.end = end
      isLost = false
      guard descriptor >= 0 else { return nil }
    }

    /// The arrival on a connection that was reset before everything had arrived.
    init() { (descriptor, end, isLost) = (-1, 0, true) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether the rest of the body may still arrive.
    func isOpen() -> Bool {
      if isLost { return false }
      let found = hoist_look_at(descriptor)
      guard found.state >= 0, found.acknowledged < end else { return false }
      isLost = found.state == TCP_CLOSE
      return !isLost
    }
  }

  /// After the reply has begun, records the position at which the body ends, unless all of the body has arrived.
  /// `slack` is how many of the last bytes written may not be the body's.
  func recordArrival(at socket: Int32, isClosing: Bool = false, slack: Int64 = 0) {
    guard length > 0, hasGivenAll, !request.offersHTTP2, parser.head?.saysArrived == true
    else { return }
    if arrival?.isLost == true { return }
    // After a reset, the kernel has discarded the unacknowledged bytes, so only its count of acknowledged bytes tells
    // how much arrived.
    if wholeBody == nil, SocketTable.isClosed(socket), let arrived = arrived(at: socket),
      arrived + imprecision < length
    {
      arrival = Arrival()
      return
    }
    // When a TLS connection is closed, the unacknowledged bytes include the closing alert, which may never be
    // acknowledged.
    if isClosing, request.url.scheme == "https" { return }
    guard (SocketTable.unacknowledged(at: socket) ?? 0) > slack,
      let end = SocketTable.end(of: socket)
    else {
      arrival = nil
      return
    }
    arrival = Arrival(socket, end: end)
  }

  /// Once the head of the final reply is there, records whether the server gave it before it had the whole body. Its
  /// reply would have acknowledged that. A success is another matter: what is on its way may still arrive.
  func recordEarlyReply(at socket: Int32) {
    guard length > 0, let head = parser.head, !head.saysArrived else { return }
    let isOnItsWay =
      !request.offersHTTP2 && (SocketTable.unacknowledged(at: socket) ?? 0) > 0
    wasRepliedEarly = !hasGivenAll || isUnwritten || isOnItsWay
  }

  /// Whether the request succeeded before all of its body had arrived, and the rest may still arrive. Until the rest
  /// has arrived, the body does not count as handed over.
  func awaitsArrival(_ code: CURLcode) -> Bool {
    if code == CURLE_OK, arrival == nil, let socket {
      // From 8.12 on, libcurl has already sent the closing alert of TLS if the connection is to be closed.
      recordArrival(at: socket, slack: closingSlack)
    }
    guard let arrival else { return false }
    // After an error, nothing more can arrive.
    let isOpen = arrival.isOpen() && code == CURLE_OK
    let handedOver = isOpen || arrival.isLost ? min(acknowledged, length - 1) : length
    task.content.withLock { if !$0.isStopped { $0.progress.handedOver = handedOver } }
    return isOpen
  }

  /// Whether the server may have the whole request: all of it has been written, and the kernel keeps no part of the body
  /// that would not leave if the connection were reset now.
  var isSent: Bool {
    guard hasGivenAll, !isAsking, task.transferProgress.hasBegun else { return false }
    if parser.head != nil { return true }
    guard !isUnwritten else { return false }
    guard !request.offersHTTP2, let socket else { return true }
    return !SocketTable.isHeldUp(at: socket, slack: closingSlack, speed: speed)
  }

  /// Discards the part of the body that the kernel has not sent yet. The kernel's buffers can contain megabytes, so the
  /// server could otherwise receive a whole file whose upload was cancelled near its beginning.
  func breakOff() {
    // Over HTTP/2, other requests share the connection.
    guard length > 0, parser.head == nil, let socket else { return }
    let isLost =
      !request.offersHTTP2 && SocketTable.reset(socket, slack: closingSlack, speed: speed)
    if isLost || isUnwritten { recordIncomplete() }
  }

  /// Records that the server cannot have the whole body.
  func recordIncomplete() {
    task.content.withLock { content in
      content.progress.handedOver = min(content.progress.handedOver, length - 1)
    }
  }

  /// How many of the last bytes that were written may not be the body's when a connection is closed: an alert of TLS.
  var closingSlack: Int64 { request.url.scheme == "https" ? 512 : 0 }

  /// The possible error in the count of arrived bytes, which includes the overhead of TLS records.
  private var imprecision: Int64 { request.url.scheme == "https" ? length / 100 + (32 << 10) : 0 }
}

extension ReplyHead {
  /// Whether the server says that it has carried out the request.
  var saysArrived: Bool { (200..<300).contains(status) || status == 303 }
}
