import Dispatch
import Foundation
import UploadModel

/// The clocks, timers and randomness that the engine uses.
package struct TimeSource: Sendable {
  /// The monotonic clock.
  package var now: @Sendable () -> Instant
  /// The wall clock.
  package var date: @Sendable () -> Date
  /// A number in 0..<1.
  package var random: @Sendable () -> Double
  /// Runs the body on a queue after this many seconds, unless the timer is cancelled first.
  package var after:
    @Sendable (_ seconds: Double, _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void)
      -> Timer

  /// A scheduled action.
  package struct Timer: Sendable {
    package let cancel: @Sendable () -> Void

    package init(cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }
  }

  package init(
    now: @escaping @Sendable () -> Instant, date: @escaping @Sendable () -> Date,
    random: @escaping @Sendable () -> Double,
    after: @escaping @Sendable (Double, DispatchQueue, @escaping @Sendable () -> Void) -> Timer
  ) {
    (self.now, self.date, self.random, self.after) = (now, date, random, after)
  }

  /// The system's clocks, timers and randomness.
  package static let system = TimeSource(
    now: { Instant(seconds: Double(DispatchTime.now().uptimeNanoseconds) / 1e9) },
    date: { Date() },
    random: {
      var pool = PooledRandomNumberGenerator()
      return Double.random(in: 0..<1, using: &pool)
    },
    after: { seconds, queue, body in
      // `cancel` may be called from any thread, and nothing else touches the item.
      nonisolated(unsafe) let item = DispatchWorkItem(block: body)
      queue.asyncAfter(deadline: .now() + seconds, execute: item)
      return Timer { item.cancel() }
    })

  /// Returns after this many seconds, or as soon as the task is cancelled.
  func sleep(_ seconds: Double) async {
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    let timer = after(seconds, .global()) { continuation.finish() }
    // Cancelling the task ends the stream it waits for.
    for await _ in ends {}
    timer.cancel()
  }
}
