import UploadModel

/// Keeps requests below a rate that a server has refused. Without a refusal, it holds nothing back.
struct RequestPacer: Hashable, Sendable {
  /// The most requests per second; nil for no limit.
  private(set) var pace: Double?
  /// Nothing begins before this moment.
  private var next = Instant(seconds: 0)
  private var accepted = RateMeter()
  private var answered = RateMeter()
  /// The lowest rate that the server has refused, in requests per second. It is not asked for again.
  private var refusedRate = Double.infinity
  /// The pace does not grow before this moment.
  private var heldUntil = Instant(seconds: 0)
  private var lastGrowth = Instant(seconds: 0)
  /// Whether the server has not said that the rate is too high.
  private var isGuess = false
  /// How many refusals came in a row.
  private var refusals = 0
  /// How many requests were accepted since the pace was lowered.
  private var acceptedSince = 0
  /// How often in a row a lower pace was refused as well, after little had been accepted.
  private var inVain = 0
  /// Until this moment the rate is not what the server refuses, so far as is known.
  private var uselessUntil = Instant(seconds: 0)

  /// The moment before which no request may begin; nil if one may begin now.
  func nextBegin(at now: Instant) -> Instant? { now < next ? next : nil }

  /// Lets one request begin now, as the user wants. Those after it keep the pace.
  mutating func tryNow(at now: Instant) { next = min(next, now) }

  mutating func recordBegin(at now: Instant) {
    guard let pace else { return }
    // Timers are late. What was missed can be made up for, as long as it is little.
    next = max(next, now + -Self.slack) + 1 / pace
  }

  mutating func recordAccepted(at now: Instant) {
    accepted.record(at: now)
    answered.record(at: now)
    refusals = 0
    acceptedSince += 1
    guard let pace, now >= heldUntil else { return }
    let grown =
      isGuess
      ? pace * Self.growthOfGuess
      : pace * (1 + Self.growth * (now - max(lastGrowth, heldUntil)))
    self.pace = max(pace, min(grown, Self.margin * refusedRate))
    lastGrowth = now
  }

  /// Whether the server has accepted anything lately, or since the pace was lowered.
  mutating func takesSome(at now: Instant) -> Bool {
    accepted.count(at: now) > 0 || pace != nil && acceptedSince > 0
  }

  /// Counts a refusal that says nothing about the rate, or nothing new.
  mutating func recordRefusal(at now: Instant) { answered.record(at: now) }

  /// Finds a lower pace, and waits until the server has forgotten what it accepted. Unless the server has said that
  /// the rate is too high (`isTold`), that is only a guess: a server that fails over every sixth request does so at any
  /// pace, and then none is kept.
  mutating func slowDown(isTold: Bool, at now: Instant) {
    guard isTold || now >= uselessUntil else { return }
    if pace != nil, acceptedSince > 0 { inVain = acceptedSince < Self.little ? inVain + 1 : 0 }
    acceptedSince = 0
    if !isTold, inVain > Self.mostInVain {
      (pace, next, inVain, refusals) = (nil, now, 0, 0)
      (refusedRate, uselessUntil) = (.infinity, now + Self.hold)
      return
    }
    refusals += 1
    let taken = Double(accepted.count(at: now))
    let rate = Double(answered.count(at: now))
    // What fails far below a rate that was refused does not fail because of the rate.
    if taken > 0, isTold || refusedRate == .infinity || rate > refusedRate / 2 {
      refusedRate = min(refusedRate, rate)
    }
    isGuess = !isTold
    let isNew = pace == nil || now >= heldUntil
    let known = pace ?? max(1, rate)
    pace = max(
      Self.least,
      taken > 0 ? min(known, taken) * (isNew ? Self.firstStep : Self.laterStep) : known / 2)
    next = now + min(Self.period * Double(1 << min(refusals - 1, 6)), Self.longestWait)
    heldUntil = now + (isTold ? Self.hold : Self.holdOfGuess)
  }

  /// The seconds in which a server is assumed to count requests.
  private static let period = 1.0
  private static let longestWait = 60.0
  /// For how many seconds a pace is kept after a refusal.
  private static let hold = 60.0
  /// The same if the server has not said that the rate is too high: what it had may be over.
  private static let holdOfGuess = 5.0
  /// By how much such a pace grows with each request that is accepted after that.
  private static let growthOfGuess = 1.25
  /// By which part another pace grows each second.
  private static let growth = 0.01
  /// How close to a refused rate it may come.
  private static let margin = 0.95
  private static let firstStep = 0.9
  private static let laterStep = 0.75
  private static let least = 0.1
  private static let slack = 0.05
  // At a pace below its limit, a server accepts all. Steps of a quarter from any rate that it accepted lead there soon.
  private static let little = 20
  private static let mostInVain = 3
}
