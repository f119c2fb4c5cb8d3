import UploadModel

/// The waits that servers have asked for, as by `Retry-After` (RFC 9110 §10.2.3). Each holds back all files for its
/// server.
struct ServerWaits: Sendable {
  private struct Wait: Sendable {
    /// Nothing starts before this moment.
    let until: Instant
    /// What the server asked for, in seconds.
    let seconds: Double
    /// The failure with which it did.
    let failure: Failure
  }

  private var waits: [Origin: Wait] = [:]

  var isEmpty: Bool { waits.isEmpty }

  /// Records that a server has asked, by a failure that says how long, not to be asked again before a moment. Returns
  /// whether that is later than what it had asked for before.
  mutating func record(_ origin: Origin, until: Instant, _ failure: Failure) -> Bool {
    guard let seconds = failure.retryAfter, waits[origin].map({ $0.until < until }) ?? true else {
      return false
    }
    waits[origin] = Wait(until: until, seconds: seconds, failure: failure)
    return true
  }

  /// Ends a wait before its time. Returns the failure with which the server asked for it; nil if there was none.
  mutating func remove(_ origin: Origin) -> Failure? { waits.removeValue(forKey: origin)?.failure }

  /// Ends all waits. Returns the servers, each with the failure with which it had asked.
  mutating func removeAll() -> [(Origin, Failure)] {
    defer { waits = [:] }
    return waits.map { ($0, $1.failure) }
  }

  /// Forgets the waits that are over.
  mutating func prune(at now: Instant) {
    if !waits.isEmpty { waits = waits.filter { now < $0.value.until } }
  }

  /// The moment before which nothing goes to a server; nil if something may go now.
  func until(_ origin: Origin?, at now: Instant) -> Instant? {
    guard !waits.isEmpty, let until = origin.flatMap({ waits[$0]?.until }), now < until else {
      return nil
    }
    return until
  }

  /// The failure with which a server asked for a wait that goes on and is longer than `most` seconds; nil if there is no
  /// such wait.
  func failure(for origin: Origin?, longerThan most: Double, at now: Instant) -> Failure? {
    guard !waits.isEmpty, let wait = origin.flatMap({ waits[$0] }), now < wait.until,
      most < wait.seconds
    else { return nil }
    return wait.failure
  }
}
