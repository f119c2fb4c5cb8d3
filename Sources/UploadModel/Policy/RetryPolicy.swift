import Foundation

/// When a failed attempt is repeated: capped exponential back-off with full jitter, or the delay that the server asks
/// for. Attempts are counted, but a server that is busy also gets a few minutes.
package struct RetryPolicy: Hashable, Sendable {
  /// How many attempts an upload gets in all, from 1. If its server is busy, it may get more.
  package var attempts: Int
  /// The upper bound of the first delay, in seconds; it doubles with every attempt.
  package var base: Double
  /// The longest delay, in seconds. If the server asks for a longer one, there is no other attempt.
  package var cap: Double
  /// Whether a second copy on the server does no harm, so that an unknown outcome may be retried; nil
  /// if the configuration does not say. `Target.isIdempotent` then decides.
  package var isIdempotent: Bool?
  /// Statuses that, according to the configuration, mean that nothing was stored and that a later attempt may succeed.
  /// They are in addition to those of `StatusMeaning`.
  package var statuses: Set<Int>
  /// The replies that mean the same, whatever their status.
  package var signs = ReplySign.temporary
  /// Where a reply says how many seconds to wait; nil for the usual places.
  package var waitPlace: ReplyPlace?

  /// The default policy of a target.
  package init(
    attempts: Int = 5, base: Double = 1, cap: Double = 60, isIdempotent: Bool? = nil,
    statuses: Set<Int> = []
  ) {
    (self.attempts, self.base, self.cap) = (attempts, base, cap)
    (self.isIdempotent, self.statuses) = (isIdempotent, statuses)
  }

  /// The longest wait, in seconds, that a server may ask of those who wait for servers anyway.
  private static let longestPatience = 86_400.0

  /// The longest wait, in seconds, that a server may ask for. `isPatient` says whether servers are waited for anyway.
  package func longestWait(isPatient: Bool) -> Double {
    isPatient ? max(cap, Self.longestPatience) : cap
  }

  /// How many seconds a server may go on being busy before the attempts count: two minutes by default, or a quarter of
  /// an hour if servers are waited for anyway. Where there are fewer attempts than usual, or only short delays, nobody
  /// wants to wait long either.
  private func patience(isPatient: Bool) -> Double {
    attempts < Self.usualAttempts ? 0 : min(cap, Self.steepest * base) * (isPatient ? 15 : 2)
  }

  private static let usualAttempts = 5

  /// How many times longer than the first delay the longest one may be for all of it to count.
  private static let steepest = 60.0

  /// How many nonces a file is sent with at most. A server may accept none for as long as an upload takes.
  package static let mostNonces = 3

  /// Whether attempts count. `busyFor` is how many seconds the server has been busy, infinite if it is not.
  private func isCounted(busyFor: Double, isPatient: Bool) -> Bool {
    busyFor >= patience(isPatient: isPatient)
  }

  /// How many attempts a file gets if they fail like this.
  private func limit(after failure: Failure) -> Int {
    failure.cause == .nonceExpired ? min(attempts, Self.mostNonces) : attempts
  }

  /// The same for the attempt that comes after `busyFor` seconds; nil if more follow in any case when it fails, since its
  /// server is busy.
  func limit(after failure: Failure, busyFor: Double, isPatient: Bool) -> Int? {
    isCounted(busyFor: busyFor, isPatient: isPatient) ? limit(after: failure) : nil
  }

  /// Seconds to wait before the next attempt; `nil` if there is no next one. `failure.attempts` includes the last
  /// attempt, `busyFor` is how many seconds ago the server was first busy, infinite if it was not, and `random` is a
  /// number in 0..<1.
  func delay(
    after failure: Failure, isPatient: Bool = false, busyFor: Double = .infinity, random: Double
  ) -> Double? {
    // A shortage on this machine is always retried.
    if case .shortage = failure.cause {
      return 0.5 + backOff(round: min(failure.attempts, 3), random: random)
    }
    let isLast = failure.attempts >= limit(after: failure)
    guard !isLast || !isCounted(busyFor: busyFor, isPatient: isPatient), mayRepeat(failure) else {
      return nil
    }
    // A server that says that it is busy stays busy for a while: wait at least half of the bound.
    let isSaid = failure.isTemporary == true || failure.isOfBusyServer
    let pause = backOff(round: failure.attempts, random: isSaid ? (1 + random) / 2 : random)
    if let wish = failure.retryAfter {
      // The server is never asked earlier than it says.
      guard wish <= longestWait(isPatient: isPatient) else { return nil }
      let delay = Self.delay(asked: wish, random: random)
      // Nor is it asked often if it goes on asking for short waits.
      return isLast ? max(delay, pause) : delay
    }
    return pause
  }

  /// The delay if a server asks for this many seconds: a little longer, so that clients that were told the same do not
  /// all return at once.
  package static func delay(asked seconds: Double, random: Double) -> Double { seconds + random }

  /// The delay in seconds after the `round`th failure, from 1: anything up to a bound that doubles
  /// with every round ("full jitter").
  package func backOff(round: Int, random: Double) -> Double {
    var bound = min(base, cap)
    // The bound does not grow beyond the cap. If the base is zero, the bound stays zero.
    for _ in 1..<max(1, min(round, 31)) where bound < cap { bound *= 2 }
    return random * min(bound, cap)
  }

  private func mayRepeat(_ failure: Failure) -> Bool {
    if case .outcomeUnknown = failure.cause { return isIdempotent ?? false }
    return failure.isTransient
  }
}

extension Target {
  /// Whether a second copy on the server does no harm: the configuration says so, or, if it says
  /// nothing, the file is PUT as it is (RFC 9110 §9.2.2), or each file carries a key by which the server
  /// recognises a repetition (the `Idempotency-Key` header field, draft-ietf-httpapi-idempotency-key-header).
  package var isIdempotent: Bool { isIdempotent(at: url) }

  /// Whether a second copy does no harm if the request goes to `url`. A key counts only at the target's own origin,
  /// since header fields are sent only there.
  package func isIdempotent(at url: URL) -> Bool {
    // The server is asked how much it has before anything is sent again. All rules would be copied for `createsFirst`.
    if resume.mode == .tus { return true }
    if let isIdempotent = retry.isIdempotent { return isIdempotent }
    // Whether the usual request is idempotent says nothing about the request that joins the pieces.
    // A comparison with nil would copy all rules about the pieces.
    if case .some = resume.pieces { return false }
    if method == "PUT", body == .binary { return true }
    let hasKey = headers.contains { field in
      field.name.lowercased() == "idempotency-key" && field.value.asks(for: .uuid)
    }
    return hasKey && (url == self.url || Origin(url) == origin)
  }

  /// The same as `RetryPolicy.delay`, for an attempt whose request went to `url`.
  package func delay(
    after failure: Failure, at url: URL, isPatient: Bool = false, busyFor: Double = .infinity,
    random: Double
  ) -> Double? {
    var policy = retry
    policy.isIdempotent = isIdempotent(at: url)
    return policy.delay(
      after: failure, isPatient: isPatient, busyFor: busyFor, random: random)
  }
}
