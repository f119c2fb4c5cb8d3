/// An estimate of throughput from the bytes counted so far: the mean speed of the last few seconds.
///
/// The very beginning does not count: buffers on the way, and the allowance that a speed limit has saved up, take bytes
/// faster than the connection can sustain. Time without bytes counts as zero speed, so that a stall shows as a falling
/// estimate and a growing ETA.
package struct ThroughputEstimate: Hashable, Sendable, Codable {
  /// How many seconds count. A buffer's bursts disappear in them.
  static let window = 4.0
  /// Seconds before the estimate is worth showing.
  static let settlingTime = 1.0
  /// Seconds at the beginning in which buffers fill.
  static let leadIn = 0.5
  /// Lower speeds, in bytes per second, count as standing still: nothing would ever end.
  package static let leastSpeed = 0.5
  /// The least time between two samples, in seconds.
  private static let grain = 0.2

  /// How many bytes had moved by an instant, since the lead-in.
  private struct Sample: Hashable, Codable {
    var time: Instant
    var moved: Int64
  }

  private var start: Instant
  private var last: Instant
  private var count: Int64
  /// The bytes that have moved since the lead-in.
  private var moved: Int64 = 0
  /// Samples of the last few seconds, of which the first is no later than the beginning of the window, or is the end of
  /// the lead-in; empty during the lead-in.
  private var samples: [Sample] = []

  /// An estimate that begins at `start` with `count` bytes already moved.
  package init(start: Instant, count: Int64 = 0) {
    self.start = start
    self.last = start
    self.count = count
  }

  /// Whether it can have come about by measuring. One that another process has sent may be anything.
  package var isSound: Bool {
    let all = samples + [Sample(time: last, moved: moved)]
    return start <= last && samples.allSatisfy { $0.moved >= 0 }
      && zip(all, all.dropFirst()).allSatisfy { $0.time <= $1.time && $0.moved <= $1.moved }
      && zip(samples, samples.dropFirst()).allSatisfy { $0.time < $1.time }
  }

  /// An estimate that begins at `instant` with the same byte count, but without the speed measured so far.
  package func restarted(at instant: Instant) -> ThroughputEstimate {
    ThroughputEstimate(start: max(instant, last), count: count)
  }

  /// Notes that `total` bytes have moved in all by `instant`. If the total has gone down (the body had to be sent
  /// again), counting continues from the new total, and the speed counts as zero rather than negative.
  package mutating func record(total: Int64, at instant: Instant) {
    guard instant > last else { return }
    if !samples.isEmpty { moved &+= max(0, total &- count) }
    (count, last) = (total, instant)
    let isDue =
      samples.last.map { instant - $0.time >= Self.grain } ?? (instant - start >= Self.leadIn)
    guard isDue else { return }
    samples.append(Sample(time: instant, moved: moved))
    let old = samples.dropFirst().prefix { instant - $0.time >= Self.window }.count
    samples.removeFirst(old)
  }

  /// Bytes per second as of `instant`; `nil` while there is too little to go by.
  package func speed(at instant: Instant) -> Double? {
    guard instant - start >= Self.settlingTime, let first = samples.first else { return nil }
    // A break since the last sample lowers the estimate, but a normal gap between samples must not.
    let end = instant - last > 1 ? instant : last
    let seconds = min(end - first.time, Self.window)
    guard seconds > 0 else { return nil }
    return max(0, Double(moved) - movedBytes(at: end, before: seconds)) / seconds
  }

  /// The bytes that had moved `seconds` before `end`, assuming a steady speed between two samples.
  private func movedBytes(at end: Instant, before seconds: Double) -> Double {
    let all = samples + [Sample(time: last, moved: moved)]
    guard let index = all.firstIndex(where: { end - $0.time < seconds }) else {
      return Double(moved)
    }
    guard index > 0 else { return Double(all[0].moved) }
    let (from, to) = (all[index - 1], all[index])
    let share = ((end - from.time) - seconds) / (to.time - from.time)
    return Double(from.moved) + share * Double(to.moved - from.moved)
  }

  /// The mean speed of one attempt or of several, in bytes per second; nil if nothing moved. All means are computed
  /// here.
  package static func mean(of bytes: Int64, in seconds: Double) -> Double? {
    bytes > 0 && seconds > 0 ? Double(bytes) / seconds : nil
  }

  /// Seconds until `remaining` more bytes have moved; `nil` while there is too little to go by.
  package func eta(remaining: Int64, at instant: Instant) -> Double? {
    guard let speed = speed(at: instant), speed > Self.leastSpeed else { return nil }
    return Double(remaining) / speed
  }
}
