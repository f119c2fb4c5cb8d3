import FileDiscovery
import Foundation
import Synchronization

/// Writes lines to standard error on a queue of its own. Lines that it cannot write in time are counted and
/// dropped, so that a stopped terminal, or a pipe that nobody reads, delays neither the work nor a signal.
final class BackgroundLines: Sendable {
  private struct State {
    var lines: [String] = []
    var lost = 0
    /// Whether the lines will be written without being asked for again.
    var isDue = false
  }

  /// How many lines may wait to be written.
  private static let most = 1_000

  private let descriptor: Int32
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "hoist.lines")
  private let writes = DispatchGroup()

  init(to descriptor: Int32) { self.descriptor = descriptor }

  /// Adds a line. Does not wait.
  func add(_ line: String) {
    state.withLock { state in
      if state.lines.count < Self.most { state.lines.append(line) } else { state.lost += 1 }
      if state.isDue { return }
      state.isDue = true
      // Under the lock: once it is free, `finish` must know of the write, also from another thread.
      queue.async(group: writes) { [self] in write() }
    }
  }

  /// Writes the pending lines, for at most this many seconds.
  func finish(within seconds: Double) { _ = writes.wait(timeout: .now() + seconds) }

  private func write() {
    var waiting = state.withLock { state in
      defer { state = State() }
      return state
    }
    if waiting.lost > 0 {
      waiting.lines.append(
        "hoist: \(waiting.lost) lines were left out: they were not read in time")
    }
    _ = writeAll(Array(waiting.lines.map { $0 + "\n" }.joined().utf8)[...], to: descriptor)
  }
}
