import UploadModel

/// How fast the files of a group go, in work per second. Only the time counts in which any of them is under way: what
/// waits behind others is no slower for that.
struct WorkPace: Hashable, Sendable, Codable {
  /// A shorter time than this between two files counts as well.
  private static let moment = 1.0
  /// For so many seconds, that nothing more is done changes nothing: replies take some time.
  private static let quiet = 2.0
  /// After this many seconds without files under way, the target counts as held up.
  private static let gap = 3.0
  /// If something was done in each of this many seconds, the last few seconds tell the speed.
  private static let even = 3
  /// Otherwise, as many as have this many seconds in which something was done.
  private static let events = 4
  /// No computer has been running for so many seconds, which are thirty years.
  private static let longest = 1e9

  /// How many files are under way.
  private(set) var active = 0
  /// When any was under way last.
  private var last: Instant
  /// For how long any was under way until then: the clock of what follows.
  private var clock = Instant(seconds: 0)
  /// Whether anything has been done since files are under way again. A server that is away is tried now and then.
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

  /// Whether any has been under way lately, and not in vain.
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
