import UploadModel

/// Counts events of the last second, to a tenth of a second.
struct RateMeter: Hashable, Sendable {
  private var counts = [Int](repeating: 0, count: 10)
  /// The number of the tenth of a second that was counted last.
  private var last = 0

  mutating func record(at now: Instant) {
    advance(to: now)
    counts[last % counts.count] += 1
  }

  mutating func count(at now: Instant) -> Int {
    advance(to: now)
    return counts.reduce(0, +)
  }

  private mutating func advance(to now: Instant) {
    let tenth = max(last, Int(now.seconds * 10))
    for passed in (last..<tenth).suffix(counts.count) { counts[(passed + 1) % counts.count] = 0 }
    last = tenth
  }
}
