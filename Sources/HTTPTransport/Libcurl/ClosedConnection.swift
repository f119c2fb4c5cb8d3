import CCurl
import Foundation

/// A connection that libcurl has closed in the middle of a request. It is kept open here until the kernel knows
/// whether the other side has seen any of that request.
final class ClosedConnection {
  private let descriptor: Int32
  /// The position on the connection at which the request begins.
  private let mark: Int64
  /// When to stop waiting for an acknowledgement or a reset, in seconds of ``Clock``.
  private let deadline: Double
  private var known: SocketTable.Sight?
  /// Known for good once the connection has been reset: the kernel then no longer knows anything about it.
  private var knownLoss: SocketTable.Loss?
  /// Whether no other request shared the connection.
  private let isAlone: Bool
  /// Whether no part of the request had been acknowledged when the connection was closed.
  let wasUnacknowledged: Bool

  /// Seconds to wait beyond four round trips, to allow for delayed acknowledgements and retransmissions.
  private static let patience = 1.0

  /// Duplicates the socket, which must still be open. Fails if the process cannot open another descriptor.
  init?(_ socket: Int32, mark: Int64, isAlone: Bool = true) {
    descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    let found = hoist_look_at(socket)
    (self.mark, self.isAlone) = (mark, isAlone)
    wasUnacknowledged = found.acknowledged <= mark
    deadline = Clock.now + Self.patience + 4 * found.round_trip
  }

  deinit { close(descriptor) }

  /// The current verdict. Any verdict but `open` is final.
  func sight(at now: Double = Clock.now) -> SocketTable.Sight {
    if let known { return known }
    let sight = SocketTable.sight(of: descriptor, after: mark)
    if sight == .open, now < deadline { return .open }
    let verdict = sight == .open ? .uncertain : sight
    known = verdict
    return verdict
  }

  /// Whether a part of what was written will never arrive, beyond the last `slack` bytes; `open` only for as long as
  /// that is worth waiting for. `speed` is how many bytes a second the other side has taken so far.
  func loss(slack: Int64, speed: Double, at now: Double = Clock.now) -> SocketTable.Loss {
    guard isAlone else { return .none }
    if let knownLoss { return knownLoss }
    let loss = SocketTable.loss(of: descriptor, slack: slack)
    guard loss == .open, now >= deadline else { return loss }
    // The other side takes no more, and no longer answers.
    let verdict: SocketTable.Loss =
      SocketTable.reset(descriptor, slack: slack, speed: speed) ? .some : .none
    knownLoss = verdict
    return verdict
  }
}
