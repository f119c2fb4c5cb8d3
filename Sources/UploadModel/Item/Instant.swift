/// A point on a monotonic clock, in seconds since an arbitrary origin. The model never reads a clock: the caller passes
/// the time, so that every decision can be tested without waiting.
package struct Instant: Hashable, Comparable, Sendable, Codable {
  package var seconds: Double

  package init(seconds: Double) { self.seconds = seconds }

  package static func < (a: Instant, b: Instant) -> Bool { a.seconds < b.seconds }

  package static func + (instant: Instant, seconds: Double) -> Instant {
    Instant(seconds: instant.seconds + seconds)
  }

  package static func - (a: Instant, b: Instant) -> Double { a.seconds - b.seconds }
}
