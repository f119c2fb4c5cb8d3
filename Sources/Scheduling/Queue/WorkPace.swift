import UploadModel

/// How fast the files of a group are sent, in work per second. Only the time in which any of them is under way counts:
/// files that wait behind others are no slower for that.
struct WorkPace: Hashable, Sendable, Codable {
  /// Gaps between two files count if they are shorter than this, in seconds.
  private static let moment = 1.0
  /// Replies take some time, so the pace stays the same until nothing has been done for this many seconds.
  private static let quiet = 2.0
  /// After this many seconds without files under way, the target counts as held up.
  private static let gap = 3.0
  /// If something was done in each of this many seconds, the last few seconds tell the speed.
  private static let even = 3
  /// Otherwise, it takes the time back to the last seconds in which something was done: this many of them.
  private static let events = 4
  /// Thirty years in seconds: no computer has been running for longer.
  private static let longest = 1e9

  /// How many files are under way.
  private(set) var active = 0
  /// When any of them was last under way.
  private var last: Instant
  /// For how many seconds any was under way until then. The estimate and the graph go by this clock.
  private var clock = Instant(seconds: 0)
  /// Whether anything has been done since files were last put under way. A server that is away is tried now and then.
  private var getsThrough = false
  /// The work that has been done.
  private var work: Int64 = 0
  private var estimate = ThroughputEstimate(start: Instant(seconds: 0))
  /// The work that was done in each of the last few seconds of the clock.
  private var graph = Sparkline()

  init(at now: Instant) { last = now }

  /// Whether it can have come about by measuring. One that another process has sent may be anything.
  var isSound: Bool {
    active >= 0 && work >= 0 && estimate.isSound && graph.isSound
      && [clock, last].allSatisfy { (0...Self.longest).contains($0.seconds) }
  }

  /// Counts files that are under way now, or no longer.
  mutating func count(_ step: Int, at now: Instant) {
    goOn(to: now)
    active = max(0, active + step)
  }

  /// Forgets a file that is under way.
  mutating func leave() { active = max(0, active - 1) }

  /// Records work that has been done.
  mutating func record(_ done: Int64, at now: Instant) {
    goOn(to: now)
    if done > 0 { getsThrough = true }
    work &+= max(0, done)
    graph.record(done, at: clock)
  }

  private mutating func goOn(to now: Instant) {
    if !isInUse(at: now) { getsThrough = false }
    guard now > last else { return }
    if active > 0 || now - last < Self.moment { clock = clock + (now - last) }
    last = now
  }

  /// Ends a batch of records.
  mutating func settle() { estimate.record(total: work, at: clock) }

  /// Discards what was measured.
  mutating func startOver() {
    estimate = estimate.restarted(at: clock)
    graph = Sparkline()
  }

  /// Whether any file has been under way lately.
  func isInUse(at now: Instant) -> Bool { active > 0 || now - last < Self.gap }

  /// Whether any has been under way lately, and something was done.
  func isGoing(at now: Instant) -> Bool { getsThrough && isInUse(at: now) }

  /// Work per second as of `now`; nil while there is too little to go by, and if nothing is done.
  func speed(at now: Instant) -> Double? {
    let isQuiet = active > 0 && now - last > Self.quiet
    let end = isQuiet ? clock + (now - last) : clock
    let past = graph.values(Int.max, at: end)
    let isEven = !past.suffix(Self.even).contains(0)
    guard let speed = isEven ? estimate.speed(at: end) : Self.mean(of: past),
      speed > ThroughputEstimate.leastSpeed
    else { return nil }
    return speed
  }

  /// Where something is done only now and then, such as when replies take long, it takes a longer time to tell.
  private static func mean(of past: [Int64]) -> Double? {
    var seen = 0
    let lately = past.reversed().prefix { count in
      defer { seen += count > 0 ? 1 : 0 }
      return seen < events
    }
    guard lately.count > 1 else { return nil }
    return ThroughputEstimate.mean(of: lately.reduce(0, &+), in: Double(lately.count))
  }
}
