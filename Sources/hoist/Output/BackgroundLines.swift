import Foundation
import Synchronization

/// Writes lines to standard error on a thread of its own. Lines that it cannot write in time are counted and
/// dropped, so that a stopped terminal, or a pipe that nobody reads, delays neither the work nor a signal.
final class BackgroundLines: Sendable {
  private struct State {
    var lines: [String] = []
    var lost = 0
    var isEnding = false
  }

  /// How many lines may wait to be written.
  private static let most = 1_000

  private let state = Mutex(State())
  private let news = DispatchSemaphore(value: 0)
  private let end = DispatchSemaphore(value: 0)

  init(to descriptor: Int32) {
    Thread.detachNewThread { [self] in
      while let text = next() { Self.write(text, to: descriptor) }
      end.signal()
    }
  }

  /// Adds a line. Does not wait.
  func add(_ line: String) {
    state.withLock { state in
      if state.lines.count < Self.most { state.lines.append(line) } else { state.lost += 1 }
    }
    news.signal()
  }

  /// Writes the pending lines, for at most this many seconds.
  func finish(within seconds: Double) {
    state.withLock { $0.isEnding = true }
    news.signal()
    _ = end.wait(timeout: .now() + seconds)
  }

  /// Waits for lines and returns their text; nil once all lines are written and no more will come.
  private func next() -> String? {
    while true {
      let (text, isEnding) = state.withLock { state -> (String, Bool) in
        var lines = state.lines
        if state.lost > 0 {
          lines.append("hoist: \(state.lost) lines were left out: they were not read in time")
        }
        (state.lines, state.lost) = ([], 0)
        return (lines.map { $0 + "\n" }.joined(), state.isEnding)
      }
      if !text.isEmpty { return text }
      if isEnding { return nil }
      news.wait()
    }
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // Another process that shares the pipe has made it non-blocking.
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = Foundation.poll(&poll, 1, -1)
        continue
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
