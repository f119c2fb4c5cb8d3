import UploadModel

/// Whether more requests could only wait: the line is full, or a bandwidth limit is reached.
struct LineFill: Hashable, Sendable {
  /// The shortest round-trip time so far, in seconds.
  private var least = Double.infinity
  /// The round-trip time of late, smoothed, and when it was last asked for.
  private var recent: Double?
  private var last = Instant(seconds: 0)
  /// The longest round-trip time since the last start.
  private var longest = 0.0
  /// How often a limit was looked for, and how often one held.
  private var looks = 0
  private var limited = 0

  mutating func record(roundTrip: Double?, isLimited: Bool, at now: Instant) {
    looks += 1
    if isLimited { limited += 1 }
    guard let roundTrip, roundTrip > 0 else { return }
    least = min(least, roundTrip)
    longest = max(longest, roundTrip)
    // After a loss, a queue is shorter for a moment.
    let weight = min(1, (now - last) / Self.memory)
    recent = recent.map { $0 + weight * (roundTrip - $0) } ?? roundTrip
    last = now
  }

  /// The round-trip time without a queue, in seconds, if it is known.
  var leastRoundTrip: Double? { least.isFinite ? least : nil }

  /// Forgets how often a limit held so far, and how long round trips were.
  mutating func startAnew() { (looks, limited, longest) = (0, 0, 0) }

  /// A queue in front of the line makes the round-trip time grow.
  var isFull: Bool {
    if looks > 0, 2 * limited >= looks { return true }
    guard let recent else { return false }
    return recent > Self.multiple * least && recent - least > Self.leastQueue
  }

  /// Whether it is known that hardly any queue has built up since the last start.
  var isClear: Bool { !isFull && longest > 0 && longest < Self.clear * least }

  /// Whether it is known that there is no queue.
  var hasNoQueue: Bool { recent.map { $0 < Self.noise * least } ?? false }

  /// Multiples of the least round-trip time: above `multiple`, the line is full; below `noise`, there is no queue, and
  /// below `clear` hardly any. The queue in front of a line is often not much longer than the line itself.
  private static let multiple = 2.0
  private static let noise = 1.1
  private static let clear = 1.5
  /// Over how many seconds the round-trip time is smoothed.
  private static let memory = 0.5
  /// Seconds. A shorter queue holds nobody up.
  private static let leastQueue = 0.03
}
