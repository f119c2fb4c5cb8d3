import CCurl
import Foundation

/// A connection that libcurl has closed under a request, kept open beside it until the kernel knows whether the other
/// side has seen anything of that request.
final class ClosedConnection {
  private let descriptor: Int32
  /// Where on it the request begins.
  private let mark: Int64
  /// Until when an answer is waited for, in seconds of ``Clock``.
  private let deadline: Double
  private var known: SocketTable.Sight?
  /// Whether nothing of the request had been acknowledged when it was closed.
  let wasUnacknowledged: Bool

  /// Beyond the round trip: acknowledgements may be delayed, and a lost packet is sent again.
  private static let patience = 1.0

  /// - Parameter socket: still open. nil where the process has no room for another descriptor.
  init?(_ socket: Int32, mark: Int64) {
    descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    let found = hoist_look_at(socket)
    self.mark = mark
    wasUnacknowledged = found.acknowledged <= mark
    deadline = Clock.now + Self.patience + 4 * found.round_trip
  }

  deinit { close(descriptor) }

  /// What is known by now. It does not change any more once it is not open.
  func sight(at now: Double = Clock.now) -> SocketTable.Sight {
    if let known { return known }
    var sight = SocketTable.sight(of: descriptor, after: mark)
    if case .open = sight {
      guard now >= deadline else { return .open }
      sight = .uncertain
    }
    known = sight
    return sight
  }
}
