import Foundation
import Synchronization

/// A cancellation flag that also wakes threads that are waiting for a descriptor.
package final class CancellationToken: Sendable {
  private let value = Atomic(false)
  /// A pipe. Once it contains a byte, its read end is readable, which ends every wait.
  private let ends: (read: Int32, write: Int32)

  package init() {
    var ends: [Int32] = [-1, -1]
    // Without a pipe, a cancellation is noticed only when the descriptor becomes ready, since poll(2) ignores -1.
    _ = pipe(&ends)
    for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    self.ends = (ends[0], ends[1])
  }

  deinit {
    close(ends.read)
    close(ends.write)
  }

  package var isCancelled: Bool { value.load(ordering: .acquiring) }

  /// Cancels the token and ends every wait.
  package func cancel() {
    guard !value.exchange(true, ordering: .acquiringAndReleasing) else { return }
    _ = write(ends.write, [0], 1)
  }

  /// Waits until the descriptor is ready for an event of poll(2), or the token is cancelled. Returns whether it is.
  package func isCancelled(waitingFor descriptor: Int32, _ event: Int32 = POLLIN) -> Bool {
    guard descriptor >= 0 else { return isCancelled }
    var polled = [
      pollfd(fd: descriptor, events: Int16(event), revents: 0),
      pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
    ]
    while !isCancelled, poll(&polled, nfds_t(polled.count), -1) < 0, errno == EINTR {}
    return isCancelled
  }
}
