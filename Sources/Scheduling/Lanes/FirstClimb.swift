import UploadModel

/// The climb from the number of lanes at which the first requests begin, as long as nothing speaks against it. A step is
/// judged by how long requests take rather than by what is done in a time: that shows sooner, since a request on a new
/// lane needs no others beside it to be compared.
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

    /// What a lane does per second while it sends one of these, if each costs this many bytes beside its content.
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

  /// Whether enough requests have ended since the last step, as quickly as the first ones did. `cost` is what each costs
  /// beside its bytes.
  func isQuick(cost: Double) -> Bool {
    isEnough && (!hasStepped || latest.rate(cost: cost) >= Self.asQuick * first.rate(cost: cost))
  }

  /// How many requests must have ended before the first step.
  private static let fewest = 2.0
  /// The requests that tell of other lanes, as a part of their number.
  private static let share = 0.5
  /// A part of the first requests' rate that is as good as theirs.
  private static let asQuick = 0.85
}
