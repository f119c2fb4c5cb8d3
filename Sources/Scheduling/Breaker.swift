import UploadModel

/// A circuit breaker: keeps uploads from failing one by one at a server that cannot be reached.
package struct Breaker: Hashable, Sendable {
  /// How many failures in a row open the breaker if attempts are counted.
  static let threshold = 3
  /// The longest delay before a probe, in seconds, whatever the policy says.
  static let longestDelay = 60.0

  private enum State: Hashable, Sendable {
    /// Every upload may start. Goes to `open` after enough failures in a row.
    case closed(failures: Int)
    /// Nothing starts before this time. Goes to `probing` when an upload starts after it.
    case open(until: Instant)
    /// One upload is under way and decides for all. Goes to `open`, for longer than before, if this upload does not
    /// reach the server either. (If it reaches the server, the breaker is removed.)
    case probing(since: Instant)
  }

  private var state = State.closed(failures: 0)
  private var policy: RetryPolicy
  private let threshold: Int
  /// How often the breaker has opened.
  private(set) var openings = 0

  /// A closed breaker whose delays are those of `policy`. If the server is waited for indefinitely, the first failure
  /// opens it, since attempts are not counted, and it opens for at least an eighth of a second.
  init(policy: RetryPolicy, isPatient: Bool) {
    self.policy = policy
    threshold = isPatient ? 1 : Self.threshold
    guard isPatient else { return }
    self.policy.base = max(policy.base, 0.25)
    self.policy.cap = max(policy.cap, 0.25)
  }

  package enum Permission: Hashable, Sendable {
    case go
    /// Start, as the only upload.
    case probe
    /// Wait until this moment or, if it is nil, until the probe has ended.
    case wait(until: Instant?)
  }

  func permission(at now: Instant) -> Permission {
    switch state {
    case .closed: .go
    case .probing: .wait(until: nil)
    case .open(let until): now < until ? .wait(until: until) : .probe
    }
  }

  /// Records that an upload that was permitted to start has started.
  mutating func recordStarted(at now: Instant) {
    if case .open = state { state = .probing(since: now) }
  }

  /// Records a failure to connect; `random` is in 0..<1. Returns the time before which nothing may start, if any.
  mutating func recordUnreachable(at now: Instant, random: Double) -> Instant? {
    switch state {
    case .closed(let failures) where failures + 1 < threshold:
      state = .closed(failures: failures + 1)
      return nil
    case .open(let until): return until
    case .closed, .probing:
      openings += 1
      // The delay is at least half of its maximum, so that the delays that the user sees grow.
      let delay = min(policy.backOff(round: openings, random: (1 + random) / 2), Self.longestDelay)
      let until = now + delay
      state = .open(until: until)
      return until
    }
  }

  /// Records that the probe said nothing about the server, so that another probe may follow at once.
  mutating func recordUnanswered() {
    if case .probing(let since) = state { state = .open(until: since) }
  }

  /// Lets an upload try the server now, since the user does not want to wait.
  mutating func tryNow(at now: Instant) {
    if case .open(let until) = state, now < until { state = .open(until: now) }
  }
}

/// What holds back the files for a server, or does so no longer.
package enum Reachability: Hashable, Sendable, Codable {
  /// The server cannot be reached, for this reason. The next upload tries it at `nextTry`; nil if an upload is trying
  /// it now.
  case away(Failure, nextTry: Instant?)
  /// The server can be reached. By this failure of an item, it has asked not to be sent anything before a moment, which
  /// may be over.
  case asksToWait(Failure, until: Instant, by: ItemID? = nil)
  /// The server answers again.
  case back
  /// Nothing waits for the server, so it is not tried.
  case unneeded
}
