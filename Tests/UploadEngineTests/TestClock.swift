import Dispatch
import Foundation
import Synchronization
import UploadEngine
import UploadModel

/// A clock that stands until the test lets time go by, so that what takes minutes is tested in milliseconds.
final class TestClock: Sendable {
  private struct Content {
    var now = Instant(seconds: 1000)
    var timers: [Int: Timer] = [:]
    var lastTimer = 0
  }

  private struct Timer {
    let due: Instant
    let queue: DispatchQueue
    let body: @Sendable () -> Void
  }

  private let content = Mutex(Content())
  private let start = Date()

  /// What an engine goes by.
  var time: TimeSource {
    TimeSource(
      now: { self.now }, date: { self.start + (self.now.seconds - 1000) }, random: { 0.5 },
      after: { seconds, queue, body in
        let number = self.content.withLock { content in
          content.lastTimer += 1
          content.timers[content.lastTimer] = Timer(
            due: content.now + seconds, queue: queue, body: body)
          return content.lastTimer
        }
        return TimeSource.Timer {
          self.content.withLock { _ = $0.timers.removeValue(forKey: number) }
        }
      })
  }

  var now: Instant { content.withLock { $0.now } }

  /// Lets time go by. What is due is done, in order, before this returns.
  func advance(by seconds: Double) {
    let end = now + seconds
    while true {
      let next = content.withLock { content -> Timer? in
        let due = content.timers.filter { $0.value.due <= end }
        guard let first = due.min(by: { ($0.value.due, $0.key) < ($1.value.due, $1.key) }) else {
          content.now = end
          return nil
        }
        content.now = max(content.now, first.value.due)
        return content.timers.removeValue(forKey: first.key)
      }
      guard let next else { return }
      next.queue.sync(execute: next.body)
    }
  }

  /// Lets time pass as if somebody had worked for so long. What is due stays due.
  func work(for seconds: Double) { content.withLock { $0.now = $0.now + seconds } }

  /// Lets time go by, a quarter of a second at a time, until the task is cancelled. Between two steps everybody else
  /// gets a turn, so that what can happen without a delay happens before the next one.
  func run() async {
    while !Task.isCancelled {
      advance(by: 0.25)
      try? await Task.sleep(for: .milliseconds(1))
    }
  }
}
