import Foundation
import Synchronization

/// Tells a thread that waits for a descriptor that nothing more is wanted, also while it waits.
package final class CancellationToken: Sendable {
  private let value = Atomic(false)
  /// A pipe: what is written to one end can be read at the other, which is what ends a wait.
  private let ends: (read: Int32, write: Int32)

  /// A token that nobody has cancelled.
  package init() {
    var ends: [Int32] = [-1, -1]
    // Without a pipe a cancellation is seen when the next input comes: poll(2) passes over -1.
    _ = pipe(&ends)
    for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    self.ends = (ends[0], ends[1])
  }

  deinit {
    close(ends.read)
    close(ends.write)
  }

  /// Whether it is cancelled.
  package var isCancelled: Bool { value.load(ordering: .acquiring) }

  /// Cancels, and ends every wait.
  package func cancel() {
    guard !value.exchange(true, ordering: .acquiringAndReleasing) else { return }
    _ = write(ends.write, [0], 1)
  }

  /// Waits until a descriptor can be read, or it is cancelled.
  /// - Returns: whether it is cancelled.
  package func isCancelled(waitingFor descriptor: Int32) -> Bool {
    isCancelled(waitingFor: Int16(POLLIN), of: descriptor)
  }

  /// Waits until a descriptor can be written to, or it is cancelled.
  /// - Returns: whether it is cancelled.
  package func isCancelled(waitingForRoomIn descriptor: Int32) -> Bool {
    isCancelled(waitingFor: Int16(POLLOUT), of: descriptor)
  }

  private func isCancelled(waitingFor event: Int16, of descriptor: Int32) -> Bool {
    guard descriptor >= 0 else { return isCancelled }
    var polled = [
      pollfd(fd: descriptor, events: event, revents: 0),
      pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
    ]
    while !isCancelled, poll(&polled, nfds_t(polled.count), -1) < 0, errno == EINTR {}
    return isCancelled
  }
}
