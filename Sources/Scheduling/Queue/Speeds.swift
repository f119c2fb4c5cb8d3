import UploadModel

/// The speeds of the items being sent, and of all of them together.
package struct Speeds: Hashable, Sendable, Codable {
  package init() {}

  /// A burst of uploads, from the first byte after a time without uploads until nothing is left to send.
  private struct Burst: Hashable, Sendable, Codable {
    /// Bytes that were acknowledged, including those of failed attempts.
    var bytes: Int64 = 0
    var estimate: ThroughputEstimate
  }

  /// An item that is being sent.
  private struct Sending: Hashable, Sendable, Codable {
    var estimate: ThroughputEstimate
    /// When the attempt began to send.
    let beginning: Instant
    /// The bytes that are still to be acknowledged.
    var remaining: Int64 = 0
    /// The bytes that have moved in each of the last few seconds.
    var graph = Sparkline()
  }

  /// The current burst; nil while nothing is left to send.
  private var burst: Burst?
  /// The bytes that have moved in each of the last 600 seconds, of all items together.
  package private(set) var whole = Sparkline(seconds: 600)
  /// How fast each group of items is sent, from which the time left follows.
  private var paces: [WorkGroup: WorkPace] = [:]
  /// The groups of the items that are under way.
  private var underWay: [ItemID: WorkGroup] = [:]
  /// The items that are being sent.
  private var sending: [ItemID: Sending] = [:]
  /// The items that are being sent, or are about to be, without those that only await their replies.
  private var moving: Set<ItemID> = []
  /// The items whose replies are awaited.
  private var awaiting: Set<ItemID> = []
  /// Where resumed attempts began, if not at the first byte.
  private var starts: [ItemID: Int64] = [:]
  /// Where attempts of another process began. It says so before it reports what they have sent.
  private var foreignStarts: [ItemID: Int64] = [:]
  /// When the burst came to a standstill, waiting for a server, for replies or for the user; nil if something is moving.
  private var idleSince: Instant?
  /// The bytes of the burst when it was last settled.
  private var counted: Int64 = 0
  /// How long a burst may stand still before it counts as idle, in seconds.
  private static let gap = 2.0
  /// After this many seconds in which nothing has moved, there is no speed and no time left, rather than ones that get
  /// ever lower and longer.
  private static let standstill = 3
  /// This many seconds of the time left matter little.
  private static let little = 2.0
  /// How many groups are remembered, beyond which those that are not being sent are forgotten.
  private static let mostPaces = 64

  /// Whether they can have come about by measuring. Those that another process has sent may be anything.
  package var isSound: Bool {
    let active = underWay.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    return burst?.estimate.isSound != false && whole.isSound
      && starts.values.allSatisfy { $0 >= 0 }
      && sending.values.allSatisfy { $0.estimate.isSound && $0.graph.isSound }
      && paces.allSatisfy { $1.isSound && $1.active == active[$0, default: 0] }
  }

  package func speed(of id: ItemID, at now: Instant) -> Double? {
    moving(id, at: now)?.estimate.speed(at: now)
  }

  /// An item that is being sent, unless it stands still.
  private func moving(_ id: ItemID, at now: Instant) -> Sending? {
    sending[id].flatMap { $0.graph.hasMoved(within: Self.standstill, at: now) ? $0 : nil }
  }

  /// Whether nothing moves, although something is being sent.
  private func standsStill(at now: Instant) -> Bool {
    !moving.isEmpty && !whole.hasMoved(within: Self.standstill, at: now)
  }

  /// When the attempt that is under way began to send.
  package func beginning(of id: ItemID) -> Instant? { sending[id]?.beginning }

  /// Which of an item's bytes the attempt that is under way sent first, if that one resumes; nil otherwise.
  package func start(of id: ItemID) -> Int64? { sending[id] == nil ? nil : starts[id] }

  /// Seconds until all of an item has been acknowledged, if nothing else is left as long as `totalETA` says. If a limit
  /// in bytes a second holds back all items together, those that end leave their share of it to the others, once
  /// nothing is left to begin.
  ///
  /// - Parameter totals: what is left of all items; a queue that is not `isStarted` begins no others.
  package func eta(
    of id: ItemID, remaining: Int64, of totals: Totals? = nil, isStarted: Bool = true,
    limit: Int64? = nil, at now: Instant
  ) -> Double? {
    guard let item = moving(id, at: now), let own = item.estimate.eta(remaining: remaining, at: now)
    else {
      return nil
    }
    guard let totals else { return own }
    let all = isStarted ? totals.bytesToGo : totals.bytesUnderWay
    // Nothing else is left.
    let files = (isStarted ? totals.busy : totals.active) - totals.awaiting
    if remaining == all, files <= 1 {
      return totalETA(of: totals, isStarted: isStarted, limit: limit, at: now)
    }
    guard let limit, isBinding(limit, at: now) else { return own }
    // What is sent until this item ends if all have the same share: all of what is not being sent yet, and as much of
    // each other item as is left of this one.
    let shared = max(0, sending.values.reduce(all) { $0 &- max(0, $1.remaining &- remaining) })
    guard let most = limitedETA(remaining: shared, limit: limit, at: now),
      let speed = totalSpeed(at: now)
    else { return own }
    // What buffers take at first is faster than the limit.
    return min(own * max(1, speed / Double(limit)), most)
  }

  /// Seconds until `remaining` more bytes of all items have been acknowledged, if this limit holds back all of them.
  private func limitedETA(remaining: Int64, limit: Int64, at now: Instant) -> Double? {
    burst?.estimate.eta(remaining: remaining, at: idleSince ?? now).map {
      max($0, Double(remaining) / Double(limit))
    }
  }

  /// Whether a limit on all items together, in bytes a second, is what makes them slow.
  private func isBinding(_ limit: Int64, at now: Instant) -> Bool {
    guard limit > 0, let speed = totalSpeed(at: now) else { return false }
    return speed > 0.8 * Double(limit)
  }

  /// Bytes per second of the current burst, counting everything that is sent, even if its upload fails.
  package func totalSpeed(at now: Instant) -> Double? {
    guard let burst, !isIdle(at: now), !standsStill(at: now) else { return nil }
    return burst.estimate.speed(at: idleSince ?? now)
  }

  /// Seconds until all that is left has been acknowledged: as long as the slowest group takes, and at least as long as
  /// the slowest item. If a limit on all items together, in bytes a second, holds them back, it is the time
  /// that the limit requires: when an item ends, the others share its bandwidth, so the slowest item becomes faster and
  /// does not set the time.
  ///
  /// Targets that are held up do not count, nor do those where nothing has got through yet: a server that is tried in
  /// vain now and then says nothing about the others. Nil if nothing credible is known of a target that files go to.
  package func totalETA(
    of totals: Totals, isStarted: Bool = true, limit: Int64? = nil, at now: Instant
  ) -> Double? {
    guard isUnderWay(at: now) else { return nil }
    let left = totals.workLeft.mapValues { Double(isStarted ? $0.all : $0.underWay) }
    let bytes = isStarted ? totals.bytesToGo : totals.bytesUnderWay
    let binding = limit.flatMap { isBinding($0, at: now) ? $0 : nil }
    var times: [Double] = []
    for (group, work) in left where work > 0 && isGoing(group, at: now) {
      // The limit sets the time of bytes, and not that of requests.
      if binding != nil, !group.isOfSmallFiles { continue }
      guard let time = seconds(of: group, left, at: now) else { return nil }
      times.append(time)
    }
    if let binding {
      if let time = limitedETA(remaining: bytes, limit: binding, at: now) { times.append(time) }
      return times.max()
    }
    guard !times.isEmpty else { return nil }
    if let limit, limit > 0 { times.append(Double(bytes) / Double(limit)) }
    times += sending.values.compactMap { $0.estimate.eta(remaining: $0.remaining, at: now) }
    return times.max()
  }

  /// Whether anything is under way and moving. Between small files, nothing moves while replies are
  /// awaited.
  private func isUnderWay(at now: Instant) -> Bool {
    guard burst != nil else { return false }
    return !awaiting.isEmpty || !standsStill(at: now) && !(moving.isEmpty && isIdle(at: now))
  }

  /// Whether files go to a group's target, and get through.
  private func isGoing(_ group: WorkGroup, at now: Instant) -> Bool {
    [group, group.other].contains { paces[$0]?.isGoing(at: now) == true }
  }

  /// Seconds until all that is left of a group is done. If nothing of a group has been done yet, it comes after the
  /// target's other group, and its time is only a guess from the pace of that one. It is nil if most depends on the
  /// guess.
  private func seconds(
    of group: WorkGroup, _ left: [WorkGroup: Double], at now: Instant
  ) -> Double? {
    // A request is done when it has been answered.
    let answers = group.isOfSmallFiles ? awaiting.count { underWay[$0] == group } : 0
    let work = (left[group] ?? 0) + Double(answers) * Double(Workload.ofRequest)
    if let pace = paces[group], let seconds = pace.seconds(for: work, at: now) { return seconds }
    guard let pace = paces[group.other], let guess = pace.seconds(for: work, at: now),
      let known = pace.seconds(for: left[group.other] ?? 0, at: now)
    else { return nil }
    return guess <= max(known, Self.little) ? known + guess : nil
  }

  /// Records where an attempt of another process begins.
  package mutating func noteStart(of id: ItemID, at start: Int64) { foreignStarts[id] = start }

  private func isIdle(at now: Instant) -> Bool { idleSince.map { now - $0 > Self.gap } ?? false }

  /// Records an item's transition from `old` to `new`. Bytes that the server already had when the attempt began do not
  /// count as moved.
  package mutating func record(
    _ item: UploadItem, from old: ItemState, to new: ItemState, at now: Instant
  ) {
    let (id, size) = (item.id, item.sentSize)
    if new.isActive {
      let start = foreignStarts[id] ?? item.resumePoint?.start ?? 0
      starts[id] = start > 0 ? min(start, size) : nil
    }
    let start = starts[id] ?? 0
    let before = (old.attempt == new.attempt ? old.bytesAcknowledged(of: size) : nil) ?? start
    let after = new.bytesAcknowledged(of: size)
    if burst == nil, new.isActive || after != nil {
      burst = Burst(estimate: ThroughputEstimate(start: now))
    }
    let group = WorkGroup(item)
    note(new.isActive ? group : nil, of: id, at: now)
    if new.isActive, !new.isHandedOver { moving.insert(id) } else { moving.remove(id) }
    if case .awaitingReply = new { awaiting.insert(id) } else { awaiting.remove(id) }
    if !new.isActive { (starts[id], foreignStarts[id]) = (nil, nil) }
    // Nothing moves when a person says that a file has arrived.
    let isJudgement = old.isFinished && new.isFinished
    let moved = isJudgement ? 0 : max(0, (after ?? before) - before)
    burst?.bytes &+= moved
    if moved > 0 { whole.record(moved, at: now) }
    var work = moved
    if group.isOfSmallFiles, !isJudgement {
      work &+= max(0, Self.request(new) - Self.request(old))
    }
    if work > 0 { paces[group, default: Self.pace(of: group, at: now)].record(work, at: now) }
    guard case .sending(_, let sent, _) = new else {
      sending[id] = nil
      return
    }
    let goesOn = old.isMoving && old.attempt == new.attempt
    var current =
      (goesOn ? sending[id] : nil)
      ?? Sending(estimate: ThroughputEstimate(start: now, count: sent), beginning: now)
    current.graph.record(moved, at: now)
    current.estimate.record(total: sent, at: now)
    current.remaining = max(0, size &- sent)
    sending[id] = current
  }

  private static func pace(of group: WorkGroup, at now: Instant) -> WorkPace {
    WorkPace(ofRequests: group.isOfSmallFiles, at: now)
  }

  /// The part of a request's own work that is done: all of it once it has been answered, or is the last one of a file
  /// that has failed.
  private static func request(_ state: ItemState) -> Int64 {
    var isDone = state.isDone
    if case .processing = state { isDone = true }
    if let failure = state.failure, failure.attempts > 0 {
      isDone = state.isFinished || failure.status != nil
    }
    return isDone ? Workload.ofRequest : 0
  }

  /// Notes in which group an item is under way; nil if it is not.
  private mutating func note(_ group: WorkGroup?, of id: ItemID, at now: Instant) {
    let known = underWay[id]
    guard group != known else { return }
    underWay[id] = group
    if let known { paces[known]?.count(-1, at: now) }
    if let group { paces[group, default: Self.pace(of: group, at: now)].count(1, at: now) }
  }

  /// Ends a batch of records: the burst is updated once for all of them.
  package mutating func settle(isBusy: Bool, at now: Instant) {
    settlePaces(isBusy: isBusy, at: now)
    guard var current = burst else { return }
    // A time in which nothing could be sent says nothing about the speed.
    if isIdle(at: now) { current.estimate = current.estimate.restarted(at: now) }
    let isStillIdle = idleSince != nil && moving.isEmpty && current.bytes == counted
    if !isStillIdle {
      current.estimate.record(total: current.bytes, at: now)
      idleSince = moving.isEmpty ? now : nil
    }
    counted = current.bytes
    burst = isBusy ? current : nil
  }

  private mutating func settlePaces(isBusy: Bool, at now: Instant) {
    guard isBusy else {
      (paces, underWay) = ([:], [:])
      return
    }
    for group in paces.keys { paces[group]?.settle() }
    if paces.count > Self.mostPaces { paces = paces.filter { $0.value.isInUse(at: now) } }
  }

  /// A graph of an item's bytes in each of the last few seconds; nil if it is not being sent.
  package func graph(of id: ItemID) -> Sparkline? { sending[id]?.graph }

  /// Discards earlier measurements, since the bandwidth limit has changed.
  package mutating func startOver(at now: Instant) {
    for (id, item) in sending { sending[id]?.estimate = item.estimate.restarted(at: now) }
    if let burst {
      self.burst = Burst(bytes: burst.bytes, estimate: burst.estimate.restarted(at: now))
    }
    for group in paces.keys { paces[group]?.startOver() }
  }

  package mutating func forget(_ ids: Set<ItemID>) {
    for id in ids {
      moving.remove(id)
      awaiting.remove(id)
      (sending[id], starts[id], foreignStarts[id]) = (nil, nil, nil)
      if let group = underWay.removeValue(forKey: id) { paces[group]?.leave() }
    }
  }
}
