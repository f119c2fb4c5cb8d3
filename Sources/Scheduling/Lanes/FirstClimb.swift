import UploadModel

/// The climb from the number of lanes at which the first requests begin, as long as nothing speaks against it. A step
/// is judged by how long requests take rather than by the work done in a given time. That is known sooner: it takes the
/// ends of a few requests on the new lanes, not a whole round.
struct FirstClimb: Hashable, Sendable {
  /// Requests that have ended.
  private struct Requests: Hashable {
    private(set) var count = 0.0
    private var bytes = 0.0
    private var seconds = 0.0

    mutating func record(bytes: Double, seconds: Double) {
      count += 1
      self.bytes += bytes
      self.seconds += seconds
    }

    /// The bytes per second of a lane that sends these requests. Each costs as much as `cost` bytes in addition to its
    /// content.
    func rate(cost: Double) -> Double { (bytes + cost * count) / max(seconds, .ulpOfOne) }
  }

  private var firstStep: Instant?
  private var lastStep: Instant?
  /// Those that began before the first step, and those that began after the last one.
  private var first = Requests()
  private var latest = Requests()
  /// Whether enough requests have ended since the last step to judge it.
  private var isEnough = false

  var hasStepped: Bool { firstStep != nil }

  mutating func recordStep(at now: Instant) {
    firstStep = firstStep ?? now
    (lastStep, latest, isEnough) = (now, Requests(), false)
  }

  mutating func recordEnd(of bytes: Double, began: Instant, lanes: Int, at now: Instant) {
    if began >= firstStep ?? now {
      guard began >= lastStep ?? now else { return }
      latest.record(bytes: bytes, seconds: now - began)
      isEnough = latest.count >= Self.share * Double(lanes)
    } else {
      first.record(bytes: bytes, seconds: now - began)
      if !hasStepped { isEnough = first.count >= Self.fewest }
    }
  }

  /// Whether enough requests have ended since the last step, about as quickly as the first ones did. `cost` is what
  /// each costs in addition to its content, in bytes.
  func isQuick(cost: Double) -> Bool {
    isEnough && (!hasStepped || latest.rate(cost: cost) >= Self.asQuick * first.rate(cost: cost))
  }

  /// How many requests must have ended before the first step.
  private static let fewest = 2.0
  /// How many requests must have ended to judge a later step, as a fraction of the number of lanes.
  private static let share = 0.5
  /// Requests are as quick as the first ones if they reach this fraction of their rate.
  private static let asQuick = 0.85
}
