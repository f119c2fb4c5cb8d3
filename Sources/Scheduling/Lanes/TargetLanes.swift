import UploadModel

/// The lanes of a target: how many it has, and how many its requests take.
struct TargetLanes: Sendable {
  let name: String
  var configured = Concurrency.fixed(1) { didSet { if configured != oldValue { renewTuner() } } }
  /// What the user has chosen instead.
  var wish: Concurrency? { didSet { renewTuner() } }
  /// Finds the number, if that is what is configured or chosen.
  @Boxed private(set) var tuner: ConcurrencyTuner?
  /// What it had found when the user set a number.
  @Boxed private var found: ConcurrencyTuner?
  /// Why there are fewer than before; nil if that is not for what the server answered.
  @Boxed private(set) var fall: LaneFall?
  /// How many lanes the target takes.
  private(set) var underWay = 0
  /// Whether the target's files must not start, except `key`.
  var isShut = false
  /// The only file that may start while `isShut` is set.
  var key: ItemID?
  /// How many requests are given out before lanes are free for them, for each lane.
  private(set) var aheadOfEach = 0
  /// A bound on `aheadOfEach`, which rises step by step after it was 0; nil if it never was.
  private var mostAheadOfEach: Int?
  /// How many requests wait for a lane.
  private(set) var ahead = 0
  /// Until when the pace holds back files, as it was last reported.
  private(set) var reportedHold: Instant?
  /// How long requests take, in seconds: a mean in which recent ones count for more.
  private var requestSeconds: Double?

  init(name: String) { self.name = name }

  /// The most lanes that the target may take.
  var most: Int { max(1, tuner?.lanes ?? (wish ?? configured).most) }

  /// Whether the number of lanes is being found.
  var isTuned: Bool {
    // A comparison with nil would copy all of it, several times for each request.
    if case .some = tuner { true } else { false }
  }

  /// Whether all lanes that the target takes are sending, and it may take more.
  var hasIdleLanes: Bool { ahead == 0 && underWay > 0 && underWay < most }

  /// Sets how many requests are given out ahead of each lane. After 0, the number rises by one at most with each call:
  /// each refusal sets it to 0 and sends what was given out ahead back into the line, so where files are refused now
  /// and then, much would be prepared in vain.
  mutating func setAhead(_ count: Int) {
    mostAheadOfEach = count == 0 ? 0 : mostAheadOfEach.map { min(count, $0 + 1) }
    aheadOfEach = min(count, mostAheadOfEach ?? count)
  }

  /// Counts requests that take lanes, or wait for one.
  mutating func count(_ requests: Int, isAhead: Bool) {
    if isAhead { ahead += requests } else { underWay += requests }
  }

  /// Records that a request begins, which `count` has counted already.
  mutating func recordBegin(at now: Instant) {
    let isAlone = underWay + ahead == 1
    tune { $0.recordBegin(isAlone: isAlone, at: now) }
  }

  /// Whether one more request can be given out before there is a lane for it: some for each lane, and one for each lane
  /// that is free, which those that were given out take as soon as they can begin. Other targets leave `free` lanes.
  ///
  /// There are `lanes` in all, and requests to other targets that wait for one are `others`. Altogether, no more wait
  /// than there are lanes, although each target may have one for each of its own: what waits has its first bytes in
  /// memory, and is in doubt after a crash.
  func hasRoomAhead(of lanes: Int, free: Int, others: Int) -> Bool {
    let own = min(most, lanes)
    return aheadOfEach > 0 && tuner?.pace == nil && underWay <= most
      && ahead < max(own, min(own * aheadOfEach, lanes - others))
        + max(0, min(most - underWay, free))
  }

  /// Records how long a request took, in seconds. Returns how long they take on average.
  mutating func recordRequest(taking seconds: Double) -> Double {
    let before = requestSeconds ?? seconds
    let mean = before + (seconds - before) / 8
    requestSeconds = mean
    return mean
  }

  /// The moment before which no request may begin; nil if one may begin now.
  func nextBegin(at now: Instant) -> Instant? { tuner?.nextBegin(at: now) }

  /// Whether the pace may hold files back, or was reported to do so.
  var mayBeHeld: Bool { tuner?.pace != nil || reportedHold != nil }

  /// Notes until when the pace holds back files; nil if it does not. Returns whether that is to be reported: holds that
  /// nobody would notice are not.
  mutating func noteHold(until next: Instant?, at now: Instant) -> Bool {
    let wasHeld = reportedHold.map { now < $0 } ?? false
    let isLong = next.map { $0 - now > Self.noticeableHold } ?? false
    guard next != reportedHold, wasHeld || isLong else { return false }
    reportedHold = next
    return true
  }

  /// In seconds.
  private static let noticeableHold = 1.5

  mutating func tune(_ event: (inout ConcurrencyTuner) -> Void) {
    guard isTuned, var tuned = tuner.take() else { return }
    event(&tuned)
    tuner = tuned
  }

  /// Passes an event to the tuner. If the event is an answer that speaks against the number of lanes, `why` is what the
  /// server answered.
  mutating func tune(
    because why: String?, at now: Instant, _ event: (inout ConcurrencyTuner) -> Void
  ) {
    let before = most
    tune(event)
    if most < before, fall == nil, let why {
      fall = LaneFall(before: before, since: now, why: why)
    } else if most > before {
      fall = nil
    }
  }

  private mutating func renewTuner() {
    fall = nil
    found = tuner ?? found
    switch wish ?? configured {
    case .fixed: tuner = nil
    case .auto(let range):
      guard tuner?.range != range else { return }
      tuner =
        found.map { ConcurrencyTuner(range: range, after: $0) } ?? ConcurrencyTuner(range: range)
    }
  }
}
