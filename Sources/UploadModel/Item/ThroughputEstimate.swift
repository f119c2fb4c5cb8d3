import Foundation

/// An estimate of throughput from the bytes counted so far.
///
/// It is an exponential average weighted by time and smoothed twice, since a single smoothing would follow every burst
/// of a buffer. The result is divided by the weight of the time measured so far, so that the first seconds are not
/// biased towards zero. The very beginning does not count: buffers on the way, and the allowance that a speed limit has
/// saved up, take bytes faster than the connection can sustain. Time without bytes counts as zero speed, so that a
/// stall shows as a falling estimate and a growing ETA.
package struct ThroughputEstimate: Hashable, Sendable {
  /// Seconds after which a sample counts half as much.
  static let halfLife = 4.0
  /// Seconds before the estimate is worth showing.
  static let settlingTime = 2.0
  /// Seconds at the beginning in which buffers fill.
  static let leadIn = 0.5

  private var start: Instant
  /// When the lead-in was over, and the measurement began.
  private var begin: Instant?
  private var last: Instant
  private var count: Int64
  private var once = 0.0
  private var twice = 0.0

  /// An estimate that begins at `start` with `count` bytes already moved.
  package init(start: Instant, count: Int64 = 0) {
    self.start = start
    self.last = start
    self.count = count
  }

  /// An estimate that begins at `instant` with the same byte count, but without the speed measured so far.
  package func restarted(at instant: Instant) -> ThroughputEstimate {
    ThroughputEstimate(start: max(instant, last), count: count)
  }

  /// Notes that `total` bytes have moved in all by `instant`. If the total has gone down (the body had to be sent
  /// again), counting continues from the new total, and the speed counts as zero rather than negative.
  package mutating func record(total: Int64, at instant: Instant) {
    let elapsed = instant - last
    guard elapsed > 0 else { return }
    if begin != nil {
      let speed = Double(max(0, total - count)) / elapsed
      (once, twice) = smoothed(speed: speed, elapsed: elapsed)
    } else if instant - start >= Self.leadIn {
      begin = instant
    }
    (count, last) = (total, instant)
  }

  /// Bytes per second as of `instant`; `nil` while there is too little to go by.
  package func speed(at instant: Instant) -> Double? {
    guard instant - start >= Self.settlingTime, let begin else { return nil }
    // A pause since the last sample lowers the estimate, but a normal gap between samples must not.
    let silence = instant - last
    let value = silence > 1 ? smoothed(speed: 0, elapsed: silence).twice : twice
    let weight = Self.weight(of: (silence > 1 ? instant : last) - begin)
    return weight > 0 ? value / weight : nil
  }

  /// The mean speed of one attempt or of several, in bytes per second; nil if nothing moved. All means are computed
  /// here.
  package static func mean(of bytes: Int64, in seconds: Double) -> Double? {
    bytes > 0 && seconds > 0 ? Double(bytes) / seconds : nil
  }

  /// Seconds until `remaining` more bytes have moved; `nil` while there is too little to go by.
  package func eta(remaining: Int64, at instant: Instant) -> Double? {
    guard let speed = speed(at: instant), speed > 0.5 else { return nil }
    return Double(remaining) / speed
  }

  /// Both averages after `elapsed` seconds at `speed`: a first-order low-pass filter, twice in a row.
  private func smoothed(speed: Double, elapsed: Double) -> (once: Double, twice: Double) {
    let keep = exp2(-elapsed / Self.halfLife)
    let lag = Self.rate * elapsed * (once - speed)
    return (speed + (once - speed) * keep, speed + (twice - speed + lag) * keep)
  }

  /// The part of a steady speed that the second average has reached after `seconds`, from 0 to 1.
  private static func weight(of seconds: Double) -> Double {
    1 - (1 + rate * seconds) * exp2(-seconds / halfLife)
  }

  private static let rate = log(2) / halfLife
}
