/// Keeps uploads from running one after the other into a server that is not there.
///
/// Closed, everything may start. After a few connections in a row that did not come about it opens:
/// nothing starts until a delay is over, and then one upload goes ahead as a probe. The probe's fate
/// closes it or opens it for longer.
public struct Breaker: Hashable, Sendable {
  /// How many failures in a row open it.
  public static let threshold = 3

  private enum State: Hashable, Sendable {
    case closed(failures: Int)
    case open(until: Moment)
    case probing
  }

  private var state = State.closed(failures: 0)
  private let policy: RetryPolicy
  /// How often it has opened without a success since.
  public private(set) var openings = 0

  /// A closed breaker whose delays are those of `policy`.
  public init(policy: RetryPolicy) { self.policy = policy }

  /// What a new upload may do.
  public enum Permission: Hashable, Sendable {
    /// Start.
    case go
    /// Wait; nothing is known before this moment, or, without one, before the probe is back.
    case wait(until: Moment?)
  }

  /// Asks for one start. A yes from an open breaker makes that start the probe.
  public mutating func mayStart(at now: Moment) -> Permission {
    switch state {
    case .closed: return .go
    case .probing: return .wait(until: nil)
    case .open(let until) where now < until: return .wait(until: until)
    case .open:
      state = .probing
      return .go
    }
  }

  /// No connection came about. Returns the moment until which nothing shall start, if there is one.
  ///
  /// - Parameter random: a number in 0..<1 from the caller's generator.
  public mutating func noteUnreachable(at now: Moment, random: Double) -> Moment? {
    switch state {
    case .closed(let failures) where failures + 1 < Self.threshold:
      state = .closed(failures: failures + 1)
      return nil
    case .open(let until): return until
    case .closed, .probing:
      openings += 1
      let until = now + policy.backOff(round: openings, random: random)
      state = .open(until: until)
      return until
    }
  }

  /// The start that was let through did not happen: another may be the probe.
  public mutating func noteNotStarted(at now: Moment) {
    if state == .probing { state = .open(until: now) }
  }
}

extension Failure.Cause {
  /// Whether the server was never spoken to.
  public var isUnreachable: Bool {
    switch self {
    case .nameNotResolved, .connectionRefused, .unreachable: true
    default: false
    }
  }
}
