import UploadModel

/// Finds how many requests a target should be sent at once, and how many each second: what happens to them in, a number
/// of lanes and a pace out. It reads no clock.
///
/// It climbs: twice the lanes are tried, and kept if they bring at least a fifth of the growth in work done per second.
/// Otherwise it goes back to as many as are needed; after a while, it tries half the lanes, then twice as many, and so on,
/// ever more rarely. Work is acknowledged bytes, and for each request what it costs beside them (`RequestCost`).
///
/// Time is counted in rounds, in which as many requests end as there are lanes: what a change does shows after one of
/// them. It is measured over as many requests of one size, or more of different sizes. Where requests take long, a round
/// is a second in which each lane has had enough acknowledged.
///
/// At first, twice the lanes are tried as soon as the first requests have ended, and again as soon as others have taken no
/// longer, if the round-trip time is known and does not grow (`FirstClimb`): a short run would be over after a few rounds.
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
  /// When something was last recorded.
  private var lastEvent: Instant?
  /// Whether lanes are free because there are no requests for them. Nothing is measured until the next one begins.
  private var isIdle = false
  /// What has been done since the phase began.
  private var done = MeasuredWork()
  /// What was done with the present number of lanes before that; older work counts less.
  private var usual: MeasuredWork?
  private var cost = RequestCost()
  /// When the first bytes were acknowledged.
  private var firstAcknowledgement: Instant?
  /// How long the request took that ended last; nil before the first end.
  private var lengthOfLast: Double?
  /// Whether nothing has been measured yet.
  private var isFirst = true
  /// Nil once it is over.
  private var firstClimb: FirstClimb?
  /// Whether the first climb has ended before fewer lanes were measured. No rest follows the trial that measures them.
  private var isUncertain = false
  /// What the present number of lanes is compared with: what was done with the one before.
  private var baseline: MeasuredWork?
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
    firstClimb = FirstClimb()
  }

  /// Goes on from what was found before a person set a number.
  package init(range: ClosedRange<Int>, after earlier: ConcurrencyTuner) {
    self = earlier
    if range != earlier.range {
      self.range = range
      ceiling = range.upperBound
    }
    lanes = min(max(lanes, range.lowerBound), ceiling)
    (phase, start, done) = (.settling, nil, MeasuredWork())
    (baseline, usual, firstClimb) = (nil, nil, nil)
  }

  /// The moment before which no request may begin; nil if one may begin now.
  package func nextBegin(at now: Instant) -> Instant? { pacer.nextBegin(at: now) }

  /// Lets one request begin now, as the user wants. Those after it keep the pace.
  package mutating func tryNow(at now: Instant) { pacer.tryNow(at: now) }

  /// The most requests that may begin each second; nil for no limit.
  package var pace: Double? { pacer.pace }

  // MARK: Events

  /// Records that a request begins. `isAlone` says whether it is the only one. If nothing was under way for a while,
  /// what was measured before is dropped.
  package mutating func recordBegin(isAlone: Bool = false, at now: Instant) {
    let isAfterPause = isAlone && lastEvent.map { now - $0 >= Self.pause } ?? false
    if start == nil || isAfterPause || isIdle { begin(phase, at: now) }
    (lastEvent, isIdle) = (now, false)
    pacer.recordBegin(at: now)
  }

  /// Records that the other side has acknowledged more bytes, on a connection with this round-trip time in seconds, if
  /// it is known. `isLimited` says whether a bandwidth limit holds the request back.
  package mutating func recordAcknowledged(
    _ bytes: Int64, roundTrip: Double?, isLimited: Bool, underWay: Int, at now: Instant
  ) {
    lastEvent = now
    if bytes > 0, firstAcknowledgement == nil { firstAcknowledgement = now }
    if let start { done.recordAcknowledged(Double(bytes), since: start, at: now) }
    line.record(roundTrip: roundTrip, isLimited: isLimited, at: now)
    goOn(underWay: underWay, at: now)
  }

  /// Records that a request has ended, and how many of its bytes were acknowledged. Others are still under way.
  package mutating func recordEnd(
    _ outcome: Outcome, of bytes: Int64 = 0, began: Instant, underWay: Int, at now: Instant
  ) {
    lastEvent = now
    switch outcome {
    case .fine:
      pacer.recordAccepted(at: now)
      done.recordEnd(of: Double(bytes))
      cost.record(bytes: Double(bytes), seconds: now - began)
      lengthOfLast = now - began
      goOnClimbing(after: Double(bytes), began: began, at: now)
      goOn(underWay: underWay, at: now)
    case .overloaded, .rateLimited: giveWay(outcome, began: began, at: now)
    case .broken:
      guard lanes > range.lowerBound else { return }
      ceiling = range.lowerBound
      ceilingUntil = Instant(seconds: .infinity)
      firstClimb = nil
      set(range.lowerBound, at: now)
    }
  }

  /// Records that lanes are free, but no request is there for them. What is measured then says nothing.
  package mutating func recordIdleLanes(at now: Instant) {
    if firstClimb?.hasStepped == true {
      (firstClimb, lanes) = (FirstClimb(), min(lanes, max(Self.first, range.lowerBound)))
    }
    if let baseline, baseline.lanes < lanes { lanes = baseline.lanes }
    (baseline, isIdle) = (nil, true)
    begin(.measuring, at: now)
  }

  // MARK: Giving way

  private mutating func giveWay(_ outcome: Outcome, began: Instant, at now: Instant) {
    firstClimb = nil
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

  // MARK: The first climb

  /// Takes the next step if the requests that have ended speak for it. Otherwise this number is measured.
  private mutating func goOnClimbing(after bytes: Double, began: Instant, at now: Instant) {
    guard let start, firstClimb != nil else { return }
    firstClimb?.recordEnd(of: bytes, began: began, lanes: lanes, at: now)
    guard let climb = firstClimb, climb.isQuick(cost: cost.bytes), line.isClear else { return }
    var work = done
    (work.lanes, work.seconds) = (lanes, now - start)
    guard baseline.map({ pays(work, beside: $0, worth: Self.worth) }) ?? true else { return }
    if climb.hasStepped, lanes == ceiling {
      (firstClimb, baseline) = (nil, nil)
      return rest(at: now)
    }
    // Where requests are long, connections are quicker at first, until they lose a packet.
    let isLong =
      work.seconds >= Self.longestClimb || work.hasSent(Self.bytesOfLane, onEachOf: lanes)
    guard lanes < ceiling, work.seconds >= Self.shortestClimb, climb.hasStepped || !isLong
    else { return }
    set(min(ceiling, 2 * lanes), at: now)
    isFirst = false
    // Too little was done before the first step to compare anything with it.
    if climb.hasStepped { baseline = work }
    firstClimb?.recordStep(at: now)
  }

  /// Ends the climb when this number of lanes has been measured.
  private mutating func endClimb() {
    if let climb = firstClimb.take(), climb.hasStepped, baseline == nil {
      (isUncertain, triesMore) = (true, climb.isQuick(cost: cost.bytes))
    }
    isFirst = false
  }

  // MARK: Climbing

  private mutating func begin(_ phase: Phase, at now: Instant) {
    (self.phase, start, done) = (phase, now, MeasuredWork())
    line.startAnew()
  }

  private mutating func set(_ lanes: Int, at now: Instant) {
    (self.lanes, baseline, usual) = (lanes, nil, nil)
    begin(.settling, at: now)
  }

  private mutating func goOn(underWay: Int, at now: Instant) {
    guard let start, !isIdle else { return }
    let seconds = now - start
    switch phase {
    case .settling:
      // Requests under way are not broken off, so fewer lanes take time.
      if underWay > lanes { return begin(.settling, at: now) }
      let isRound =
        done.ends >= Double(lanes) || isLong(seconds, roundTrips: Self.roundTripsToSettle)
      guard isRound || seconds >= Self.longestSettling else { return }
      // New lanes make their connections in this round. If each does as much as before all the same, that is enough.
      if isRound, let baseline, pays(measured(seconds), beside: baseline, worth: Self.fullWorth) {
        return conclude(over: seconds, at: now)
      }
      begin(.measuring, at: now)
    case .measuring:
      let isRound =
        done.equalEnds(cost: cost.bytes) >= Double(lanes) && seconds >= Self.shortestRound
      let sending = seconds - waitForFirst(since: start)
      guard
        isRound || isLong(sending, roundTrips: Self.roundTripsToMeasure)
          || sending >= Self.longestRound
      else { return }
      conclude(over: seconds, at: now)
    }
  }

  private mutating func conclude(over seconds: Double, at now: Instant) {
    let (measured, mayClimb) = (measured(seconds), !line.isFull)
    endClimb()
    begin(.measuring, at: now)
    judge(measured, mayClimb: mayClimb, at: now)
  }

  /// What has been done in the seconds since the phase began.
  private func measured(_ seconds: Double) -> MeasuredWork {
    var measured = done
    (measured.lanes, measured.seconds) = (lanes, seconds)
    guard isFirst else { return measured }
    // The first requests also make their connections.
    if measured.ends >= Double(lanes) {
      measured.seconds /= Self.shareOfConnecting
    } else if let start {
      measured.seconds -= waitForFirst(since: start)
    }
    return measured
  }

  /// How long nothing was acknowledged at first, while files were prepared and connections made.
  private func waitForFirst(since start: Instant) -> Double {
    guard isFirst, let firstAcknowledgement else { return 0 }
    return max(0, firstAcknowledgement - start)
  }

  /// Whether enough was acknowledged for a round although requests go on. Where these are not much longer than the
  /// round, bytes come in bursts.
  private func isLong(_ seconds: Double, roundTrips: Double) -> Bool {
    done.hasSent(Self.bytesOfLane, onEachOf: lanes)
      && seconds >= max(Self.longRound, roundTrips * (line.leastRoundTrip ?? 0))
      && lengthOfLast.map { $0 >= 2 * seconds } ?? true
  }

  /// Goes on from what the present number of lanes does.
  private mutating func judge(_ work: MeasuredWork, mayClimb: Bool, at now: Instant) {
    if now >= ceilingUntil, ceiling < range.upperBound {
      ceiling += 1
      ceilingUntil = now + Self.ceilingGrowth
    }
    guard let baseline = self.baseline.take() else {
      let known = usual?.followed(by: work) ?? work
      usual = known
      if now >= restUntil { tryOthers(than: known, mayClimb: mayClimb, at: now) }
      return
    }
    let isLess = Self.flat * ratio(work, to: baseline) < 1
    if lanes > baseline.lanes {
      if pays(work, beside: baseline, worth: Self.worth) {
        (rest, hasDoubted) = (Self.shortestRest, false)
        if tryMore(than: work, mayClimb: mayClimb, at: now) { return }
      } else if isLess, work.ends < Double(lanes), mayClimb, line.hasNoQueue, !hasDoubted {
        // Connections are quick until they lose their first packet, so what fewer lanes did before may no longer hold.
        // More lanes hold nobody up here, so they are measured again, beside still more of them.
        if lanes < ceiling {
          hasDoubted = true
          return
        }
      } else {
        set(lanesNeeded(for: work, beside: baseline), at: now)
      }
      triesMore = false
    } else {
      if !isLess {
        (rest, isUncertain) = (Self.shortestRest, false)
        if tryFewer(than: work, at: now) { return }
      } else {
        let isWorth = pays(baseline, beside: work, worth: Self.worth)
        set(isWorth ? baseline.lanes : lanesNeeded(for: baseline, beside: work), at: now)
      }
      triesMore = true
      if isUncertain {
        isUncertain = false
        return
      }
    }
    hasDoubted = false
    rest(at: now)
  }

  private mutating func rest(at now: Instant) {
    restUntil = now + rest
    rest = min(2 * rest, Self.longestRest)
  }

  /// How many times as much was done per second as in other work.
  private func ratio(_ work: MeasuredWork, to other: MeasuredWork) -> Double {
    // Bytes that come steadily fill the line, and then one request more costs no other request anything.
    let cost = work.isSteady && other.isSteady ? 0 : cost.bytes
    return work.rate(cost: cost) / max(other.rate(cost: cost), 1)
  }

  /// Whether more lanes bring enough beside fewer: a part of the growth in lanes.
  private func pays(_ more: MeasuredWork, beside fewer: MeasuredWork, worth: Double) -> Bool {
    let growth = Double(more.lanes) / Double(fewer.lanes) - 1
    return growth > 0 && ratio(more, to: fewer) >= 1 + worth * growth
  }

  /// As many lanes as what more of them do needs, if each does what each of the fewer did.
  private func lanesNeeded(for more: MeasuredWork, beside fewer: MeasuredWork) -> Int {
    let ratio = ratio(more, to: fewer)
    guard ratio > Self.flat else { return fewer.lanes }
    return min(more.lanes, Int((Double(fewer.lanes) * ratio).rounded(.up)))
  }

  private mutating func tryOthers(than work: MeasuredWork, mayClimb: Bool, at now: Instant) {
    if triesMore, tryMore(than: work, mayClimb: mayClimb, at: now) { return }
    if tryFewer(than: work, at: now) { return }
    _ = tryMore(than: work, mayClimb: mayClimb, at: now)
  }

  private mutating func tryMore(than work: MeasuredWork, mayClimb: Bool, at now: Instant) -> Bool {
    guard mayClimb, lanes < ceiling else { return false }
    change(to: min(ceiling, 2 * lanes), insteadOf: work, at: now)
    return true
  }

  private mutating func tryFewer(than work: MeasuredWork, at now: Instant) -> Bool {
    guard lanes > range.lowerBound else { return false }
    change(to: max(range.lowerBound, lanes / 2), insteadOf: work, at: now)
    return true
  }

  private mutating func change(to others: Int, insteadOf work: MeasuredWork, at now: Instant) {
    set(others, at: now)
    baseline = work
  }
}

extension ConcurrencyTuner {
  private static let first = 4
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
  private static let pause = 0.1
  private static let shortestRound = 0.2
  private static let shortestClimb = 0.1
  private static let longestClimb = 0.5
  private static let longestRound = 3.0
  private static let longRound = 1.0
  private static let shortestRest = 3.0
  private static let longestRest = 64.0
  private static let grace = 0.1
  private static let firstHold = 60.0
  private static let longestHold = 960.0
  private static let ceilingGrowth = 10.0
}
