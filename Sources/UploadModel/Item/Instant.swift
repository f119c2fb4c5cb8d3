/// A point on a monotonic clock, in seconds since an arbitrary origin. The model never reads a clock: the caller passes
/// the time, so that every decision can be tested without waiting.
package struct Instant: Hashable, Comparable, Sendable, Codable {
  /// Seconds since the origin of the clock that made this moment.
  package var seconds: Double

  /// A moment `seconds` after the origin.
  package init(seconds: Double) { self.seconds = seconds }

  /// The earlier moment is the smaller one.
  package static func < (a: Instant, b: Instant) -> Bool { a.seconds < b.seconds }

  /// The moment `seconds` later.
  package static func + (instant: Instant, seconds: Double) -> Instant {
    Instant(seconds: instant.seconds + seconds)
  }

  /// The seconds from `b` to `a`.
  package static func - (a: Instant, b: Instant) -> Double { a.seconds - b.seconds }
}
