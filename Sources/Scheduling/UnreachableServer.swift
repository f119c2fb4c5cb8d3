import UploadModel

/// A server that could not be reached: the breaker that keeps its files from failing one by one, and the file that
/// tries it next.
struct UnreachableServer: Sendable {
  private var breaker: Breaker
  /// Why it could not be reached.
  private(set) var failure: Failure
  /// The lane of the request that tries it.
  private var lane: Int?
  /// The file that the user has chosen to try it next.
  private(set) var chosen: ItemID?

  init(_ failure: Failure, policy: RetryPolicy, isPatient: Bool) {
    (self.failure, breaker) = (failure, Breaker(policy: policy, isPatient: isPatient))
  }

  /// How often the breaker has opened.
  var openings: Int { breaker.openings }
  /// Whether it has been reported that the server cannot be reached.
  var isTold: Bool { openings > 0 }

  func permission(at now: Instant) -> Breaker.Permission { breaker.permission(at: now) }

  /// Records that a request starts on a lane. Returns whether it is the one that tries the server.
  mutating func recordStarted(on lane: Int, at now: Instant) -> Bool {
    guard breaker.permission(at: now) == .probe else { return false }
    breaker.recordStarted(at: now)
    (self.lane, chosen) = (lane, nil)
    return true
  }

  /// Records that a request has left its lane. If it was the one that tried the server, its result may have said nothing
  /// about that: then the next one tries it.
  mutating func recordLeft(_ lane: Int) {
    guard self.lane == lane else { return }
    self.lane = nil
    breaker.recordUnanswered()
  }

  /// Records another failure to reach it; `random` is in 0..<1. Returns the time before which nothing may start, if any.
  mutating func recordUnreachable(_ failure: Failure, at now: Instant, random: Double) -> Instant? {
    self.failure = failure
    guard let until = breaker.recordUnreachable(at: now, random: random) else { return nil }
    lane = nil
    return until
  }

  /// Lets it be tried now.
  mutating func tryNow(at now: Instant) { breaker.tryNow(at: now) }

  /// Has a file try it next that the user has chosen, unless another one that the user has chosen still waits.
  mutating func choose(_ id: ItemID, isWaiting: (ItemID) -> Bool) {
    if chosen.map(isWaiting) != true { chosen = id }
  }
}
