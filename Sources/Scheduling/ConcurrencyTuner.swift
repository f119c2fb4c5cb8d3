import UploadModel

/// Finds how many requests a target should be sent at once, and how many each second: what happens to them in, a number
/// of lanes and a pace out. It reads no clock.
///
/// It climbs: twice the lanes are tried, and kept if they bring at least a fifth of the growth in work done per second.
/// Otherwise it goes back; after a while, it tries half the lanes, then twice as many, and so on, ever more rarely.
/// Time is counted in rounds, in which as many requests end as there are lanes: what a change does shows after one of
/// them. Where requests take long, a round is a second in which each lane has had enough acknowledged.
///
/// It gives way when the server asks for it: with half the lanes at once and, if the server counts requests or fewer
/// lanes do not help, with a pace.
package struct ConcurrencyTuner: Hashable, Sendable {
  /// What a request's end says about the number of requests.
  package enum Outcome: Hashable, Sendable {
    /// Nothing against it.
    case fine
    /// The server takes no more requests at once, or does not answer.
    case overloaded
    /// The server takes no more requests in this time (429).
    case rateLimited
    /// The server failed over the request (500).
    case broken
  }

  package private(set) var range: ClosedRange<Int>
  /// How many requests may be under way at once.
  package private(set) var lanes: Int
  private var pacer = RequestPacer()

  private enum Phase: Hashable, Sendable {
    /// The number of lanes has just changed. Goes to `measuring` after a round.
    case settling
    /// Goes to `settling` once the number of lanes changes.
    case measuring
  }

  private var phase = Phase.measuring
  /// When the phase began; nil before the first request.
  private var start: Instant?
  /// How many requests have ended since then, how many bytes were acknowledged, and how much was done.
  private var ends = 0
  private var bytes = 0.0
  private var work: Double { bytes + Self.workOfRequest * Double(ends) }
  /// How long the request took that ended last; nil before the first end.
  private var lengthOfLast: Double?
  /// Whether nothing has been measured yet.
  private var isFirst = true
  /// What the present number of lanes is compared with: the one before, and what was done per second then.
  private var baseline: Baseline?
  /// Whether more lanes that did not seem to pay were kept, to be measured again.
  private var hasDoubted = false
  /// Whether the next trial is one of more lanes.
  private var triesMore = true
  /// There is no trial before this moment.
  private var restUntil = Instant(seconds: 0)
  private var rest = Self.shortestRest

  /// When lanes were last given up. The refusals of requests that began before say nothing new.
  private var gaveWay: Instant?
  /// The most lanes that may be tried.
  private var ceiling: Int
  /// When one more may be tried.
  private var ceilingUntil = Instant(seconds: 0)
  private var ceilingHold = Self.firstHold
  /// The number of lanes to which the last refusal led.
  private var refuge: Int?

  private var line = LineFill()

  package init(range: ClosedRange<Int>) {
    self.range = range
    lanes = min(max(Self.first, range.lowerBound), range.upperBound)
    ceiling = range.upperBound
  }

  /// Goes on from what was found before a person set a number.
  package init(range: ClosedRange<Int>, after earlier: ConcurrencyTuner) {
    self = earlier
    if range != earlier.range {
      self.range = range
      ceiling = range.upperBound
    }
    lanes = min(max(lanes, range.lowerBound), ceiling)
    (phase, start, ends, bytes) = (.settling, nil, 0, 0)
    baseline = nil
  }

  /// The moment before which no request may begin; nil if one may begin now.
  package func nextBegin(at now: Instant) -> Instant? { pacer.nextBegin(at: now) }

  /// The most requests that may begin each second; nil for no limit.
  package var pace: Double? { pacer.pace }

  // MARK: Events

  package mutating func recordBegin(at now: Instant) {
    start = start ?? now
    pacer.recordBegin(at: now)
  }

  /// Records that the other side has acknowledged more bytes, on a connection with this round-trip time in seconds, if
  /// it is known. `isLimited` says whether a bandwidth limit holds the request back.
  package mutating func recordAcknowledged(
    _ bytes: Int64, roundTrip: Double?, isLimited: Bool, underWay: Int, at now: Instant
  ) {
    self.bytes += Double(bytes)
    line.record(roundTrip: roundTrip, isLimited: isLimited, at: now)
    goOn(underWay: underWay, at: now)
  }

  /// Records that a request has ended, after which others are still under way.
  package mutating func recordEnd(
    _ outcome: Outcome, began: Instant, underWay: Int, at now: Instant
  ) {
    switch outcome {
    case .fine:
      pacer.recordAccepted(at: now)
      ends += 1
      lengthOfLast = now - began
      goOn(underWay: underWay, at: now)
    case .overloaded, .rateLimited: giveWay(outcome, began: began, at: now)
    case .broken:
      guard lanes > range.lowerBound else { return }
      ceiling = range.lowerBound
      ceilingUntil = Instant(seconds: .infinity)
      set(range.lowerBound, at: now)
    }
  }

  /// Records that lanes are free, but no request is there for them. What is measured then says nothing.
  package mutating func recordIdleLanes(at now: Instant) {
    if let baseline, baseline.lanes < lanes { lanes = baseline.lanes }
    baseline = nil
    begin(.measuring, at: now)
  }

  // MARK: Giving way

  private mutating func giveWay(_ outcome: Outcome, began: Instant, at now: Instant) {
    pacer.recordRefusal(at: now)
    // Until the transport knows of it, it begins requests that belong to the same burst.
    if let gaveWay, began < gaveWay + Self.grace { return }
    let isSecond = gaveWay.map { now - $0 < Self.longestRound } ?? false
    gaveWay = now
    // Where nothing is taken, no pace helps, and each file's own delays say when it is tried again.
    let isTooFast = (isSecond || lanes == range.lowerBound) && pacer.takesSome(at: now)
    if outcome == .rateLimited || isTooFast {
      pacer.slowDown(isTold: outcome == .rateLimited, at: now)
    }
    guard lanes > range.lowerBound else { return }
    // After a try of more lanes than those that were known to be good, these are good enough.
    let half = max(range.lowerBound, lanes / 2)
    let fewer = refuge.map { $0 < lanes ? max($0, half) : half } ?? half
    if refuge != nil { ceilingHold = min(2 * ceilingHold, Self.longestHold) }
    (refuge, ceiling, ceilingUntil) = (fewer, fewer, now + ceilingHold)
    set(fewer, at: now)
  }

  // MARK: Climbing

  private mutating func begin(_ phase: Phase, at now: Instant) {
    (self.phase, start, ends, bytes) = (phase, now, 0, 0)
    line.startAnew()
  }

  private mutating func set(_ lanes: Int, at now: Instant) {
    (self.lanes, baseline) = (lanes, nil)
    begin(.settling, at: now)
  }

  private mutating func goOn(underWay: Int, at now: Instant) {
    guard let start else { return }
    let seconds = now - start
    switch phase {
    case .settling:
      // Requests under way are not broken off, so fewer lanes take time.
      if underWay > lanes { return begin(.settling, at: now) }
      let isRound = ends >= lanes || isLong(seconds, roundTrips: Self.roundTripsToSettle)
      guard isRound || seconds >= Self.longestSettling else { return }
      // New lanes make their connections in this round. If each does as much as before all the same, that is enough.
      if isRound, let baseline, pays(rate(over: seconds), beside: baseline, worth: Self.fullWorth) {
        return conclude(over: seconds, at: now)
      }
      begin(.measuring, at: now)
    case .measuring:
      let isRound = ends >= lanes && seconds >= Self.shortestRound
      guard
        isRound || isLong(seconds, roundTrips: Self.roundTripsToMeasure)
          || seconds >= Self.longestRound
      else { return }
      conclude(over: seconds, at: now)
    }
  }

  private mutating func conclude(over seconds: Double, at now: Instant) {
    let (rate, mayClimb) = (rate(over: seconds), !line.isFull)
    isFirst = false
    begin(.measuring, at: now)
    judge(rate, mayClimb: mayClimb, at: now)
  }

  /// What was done per second since the phase began.
  private func rate(over seconds: Double) -> Rate {
    guard ends >= lanes else { return Rate(work: work / seconds, requests: nil) }
    // The first requests also make their connections.
    let share = isFirst ? Self.shareOfConnecting : 1
    return Rate(work: share * work / seconds, requests: share * Double(ends) / seconds)
  }

  /// Whether enough was acknowledged for a round although requests go on. Where these are not much longer than the
  /// round, bytes come in bursts.
  private func isLong(_ seconds: Double, roundTrips: Double) -> Bool {
    bytes >= Self.bytesOfLane * Double(lanes)
      && seconds >= max(Self.longRound, roundTrips * (line.leastRoundTrip ?? 0))
      && lengthOfLast.map { $0 >= 2 * seconds } ?? true
  }

  /// Goes on from what the present number of lanes does per second.
  private mutating func judge(_ rate: Rate, mayClimb: Bool, at now: Instant) {
    if now >= ceilingUntil, ceiling < range.upperBound {
      ceiling += 1
      ceilingUntil = now + Self.ceilingGrowth
    }
    guard let baseline = self.baseline.take() else {
      if now >= restUntil { tryOthers(than: rate, mayClimb: mayClimb, at: now) }
      return
    }
    let ratio = rate.ratio(to: baseline.rate)
    let isLess = Self.flat * ratio < 1
    if lanes > baseline.lanes {
      if pays(rate, beside: baseline, worth: Self.worth) {
        (rest, hasDoubted) = (Self.shortestRest, false)
        if tryMore(than: rate, mayClimb: mayClimb, at: now) { return }
      } else if isLess, rate.requests == nil, mayClimb, line.hasNoQueue, !hasDoubted {
        // Connections are quick until they lose their first packet, so what fewer lanes did before may no longer hold.
        // More lanes hold nobody up here, so they are measured again, beside still more of them.
        if lanes < ceiling {
          hasDoubted = true
          return
        }
      } else {
        // As many lanes as this rate needs, if each does what it did before.
        let needed = Double(baseline.lanes) * ratio
        set(ratio > Self.flat ? min(lanes, Int(needed.rounded(.up))) : baseline.lanes, at: now)
      }
      triesMore = false
    } else {
      if !isLess {
        rest = Self.shortestRest
        if tryFewer(than: rate, at: now) { return }
      } else {
        set(baseline.lanes, at: now)
      }
      triesMore = true
    }
    hasDoubted = false
    restUntil = now + rest
    rest = min(2 * rest, Self.longestRest)
  }

  /// Whether the present number of lanes brings enough beside fewer: a part of the growth in lanes.
  private func pays(_ rate: Rate, beside fewer: Baseline, worth: Double) -> Bool {
    let growth = Double(lanes) / Double(fewer.lanes) - 1
    return growth > 0 && rate.ratio(to: fewer.rate) >= 1 + worth * growth
  }

  private mutating func tryOthers(than rate: Rate, mayClimb: Bool, at now: Instant) {
    if triesMore, tryMore(than: rate, mayClimb: mayClimb, at: now) { return }
    if tryFewer(than: rate, at: now) { return }
    _ = tryMore(than: rate, mayClimb: mayClimb, at: now)
  }

  private mutating func tryMore(than rate: Rate, mayClimb: Bool, at now: Instant) -> Bool {
    guard mayClimb, lanes < ceiling else { return false }
    change(to: min(ceiling, 2 * lanes), insteadOf: rate, at: now)
    return true
  }

  private mutating func tryFewer(than rate: Rate, at now: Instant) -> Bool {
    guard lanes > range.lowerBound else { return false }
    change(to: max(range.lowerBound, lanes / 2), insteadOf: rate, at: now)
    return true
  }

  private mutating func change(to others: Int, insteadOf rate: Rate, at now: Instant) {
    let present = Baseline(lanes: lanes, rate: rate)
    set(others, at: now)
    baseline = present
  }
}

extension ConcurrencyTuner {
  private struct Baseline: Hashable, Sendable {
    let lanes: Int
    let rate: Rate
  }

  /// What is done per second.
  private struct Rate: Hashable, Sendable {
    /// Acknowledged bytes, and a constant for each ended request, so that both small and large files count.
    let work: Double
    /// Ended requests; nil if these were too few to count.
    let requests: Double?

    /// Where files differ in size, either the bytes or the requests fluctuate with them, so both have a say.
    func ratio(to other: Rate) -> Double {
      let ofWork = work / max(other.work, 1)
      guard let requests, let others = other.requests else { return ofWork }
      return (ofWork * requests / others).squareRoot()
    }
  }

  private static let first = 4
  /// The work of an ended request, in bytes: what a small file costs beside its content.
  private static let workOfRequest = 16_384.0
  /// The growth in work that more lanes must bring, as a part of the growth in lanes.
  private static let worth = 0.2
  /// The same where nearly all of the growth in lanes is wanted.
  private static let fullWorth = 0.8
  /// A ratio below which two rates are the same.
  private static let flat = 1.05
  private static let shareOfConnecting = 1.1

  /// The bytes that each lane must have sent in a round in which it has ended no request.
  private static let bytesOfLane = 262_144.0
  // What a change does shows after some round trips.
  private static let roundTripsToSettle = 10.0
  private static let roundTripsToMeasure = 20.0

  // Seconds.
  private static let longestSettling = 2.0
  private static let shortestRound = 0.2
  private static let longestRound = 3.0
  private static let longRound = 1.0
  private static let shortestRest = 3.0
  private static let longestRest = 64.0
  private static let grace = 0.1
  private static let firstHold = 60.0
  private static let longestHold = 960.0
  private static let ceilingGrowth = 10.0
}
