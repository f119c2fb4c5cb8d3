import UploadModel

/// The speeds of the items being sent, and of all of them together.
package struct Speeds: Hashable, Sendable, Codable {
  package init() {}

  /// A burst of uploads, from the first byte after a time without uploads until nothing is left to send.
  private struct Burst: Hashable, Sendable, Codable {
    /// Bytes that were acknowledged, including those of failed attempts.
    var bytes: Int64 = 0
    var estimate: ThroughputEstimate
    /// Since when something has been sent, or a reply awaited, without a break.
    var beginning: Instant
  }

  /// An item that is being sent.
  private struct Sending: Hashable, Sendable, Codable {
    var estimate: ThroughputEstimate
    /// When the attempt began to send.
    var beginning: Instant
    /// The bytes that are still to be acknowledged.
    var remaining: Int64 = 0
    /// The bytes that have moved in each of the last few seconds.
    var graph = Sparkline()
  }

  /// The current burst; nil while nothing is left to send.
  private var burst: Burst?
  /// The bytes that have moved in each of the last 600 seconds, of all items together.
  package private(set) var whole = Sparkline(seconds: 600)
  /// The items that are being sent.
  private var sending: [ItemID: Sending] = [:]
  /// The items that are being sent, or are about to be, without those that only await their replies.
  private var moving: Set<ItemID> = []
  /// The items whose replies are awaited.
  private var awaiting: Set<ItemID> = []
  /// Whether replies were awaited when the burst was last settled.
  private var wasAwaiting = false
  /// Until when replies are known to have been awaited.
  private var awaitedUntil: Instant?
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

  /// Whether they can have come about by measuring. Those that another process has sent may be anything.
  package var isSound: Bool {
    burst?.estimate.isSound != false && whole.isSound
      && sending.values.allSatisfy { $0.estimate.isSound && $0.graph.isSound }
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

  /// Seconds until all of an item has been acknowledged: at most as long as `totalETA` says for all items. If a limit
  /// in bytes a second holds back all items together, those that end leave their share of it to the others, once
  /// nothing is left to begin.
  ///
  /// - Parameter all: what is left of all items, including those that have not begun.
  package func eta(
    of id: ItemID, remaining: Int64, of all: Int64 = .max, limit: Int64? = nil, at now: Instant
  ) -> Double? {
    guard let item = moving(id, at: now), let own = item.estimate.eta(remaining: remaining, at: now)
    else {
      return nil
    }
    // Nothing else is left.
    if remaining == all { return totalETA(remaining: all, limit: limit, at: now) }
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

  /// Seconds until `remaining` more bytes have been acknowledged. This is at least the time that the slowest item still
  /// takes. If a limit on all items together, in bytes a second, holds them back, it is at least the time that the
  /// limit requires: when an item ends, the others share its bandwidth, so the slowest item becomes faster and does not
  /// set the time.
  package func totalETA(remaining: Int64, limit: Int64? = nil, at now: Instant) -> Double? {
    // Between small files, nothing moves while replies are awaited.
    guard let burst, !(awaiting.isEmpty && standsStill(at: now)) else { return nil }
    let isSettled =
      !isIdle(at: now) && !standsStill(at: now)
      && burst.estimate.speed(at: idleSince ?? now) != nil
    let eta =
      isSettled
      ? burst.estimate.eta(remaining: remaining, at: idleSince ?? now)
      : steadyETA(remaining: remaining, at: now)
    guard let all = eta else { return nil }
    if let limit, isBinding(limit, at: now) { return max(all, Double(remaining) / Double(limit)) }
    return sending.values.reduce(all) { most, item in
      max(most, item.estimate.eta(remaining: item.remaining, at: now) ?? 0)
    }
  }

  /// Seconds until `remaining` more bytes have been acknowledged, at the mean speed of the last minute. It counts the
  /// time for which replies are awaited, during which nothing moves.
  private func steadyETA(remaining: Int64, at now: Instant) -> Double? {
    guard let burst, !(awaiting.isEmpty && moving.isEmpty && isIdle(at: now)) else { return nil }
    let seconds = min(60, (now - burst.beginning).rounded(.down))
    guard seconds >= 2 else { return nil }
    let moved = whole.values(Int(seconds), at: now).reduce(0, &+)
    return ThroughputEstimate.mean(of: moved, in: seconds).map { Double(remaining) / $0 }
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
      burst = Burst(estimate: ThroughputEstimate(start: now), beginning: now)
    }
    if new.isActive, !new.isHandedOver { moving.insert(id) } else { moving.remove(id) }
    if case .awaitingReply = new { awaiting.insert(id) } else { awaiting.remove(id) }
    if !new.isActive { (starts[id], foreignStarts[id]) = (nil, nil) }
    // Nothing moves when a person says that a file has arrived.
    let moved = old.isFinished && new.isFinished ? 0 : max(0, (after ?? before) - before)
    burst?.bytes &+= moved
    if moved > 0 { whole.record(moved, at: now) }
    guard case .sending(_, let sent, _) = new else {
      sending[id] = nil
      return
    }
    var going =
      sending[id] ?? Sending(estimate: ThroughputEstimate(start: now, count: sent), beginning: now)
    going.graph.record(moved, at: now)
    if case .sending = old, old.attempt == new.attempt {
      going.estimate.record(total: sent, at: now)
    } else {
      (going.estimate, going.beginning) = (ThroughputEstimate(start: now, count: sent), now)
    }
    going.remaining = max(0, size &- sent)
    sending[id] = going
  }

  /// Ends a batch of records: the burst is updated once for all of them.
  package mutating func settle(isBusy: Bool, at now: Instant) {
    guard var current = burst else { return }
    // A time in which nothing could be sent says nothing about the speed.
    if wasAwaiting { awaitedUntil = now }
    if isIdle(at: now) {
      current.estimate = current.estimate.restarted(at: now)
      if awaitedUntil.map({ now - $0 > Self.gap }) ?? true { current.beginning = now }
    }
    wasAwaiting = !awaiting.isEmpty
    let isStillIdle = idleSince != nil && moving.isEmpty && current.bytes == counted
    if !isStillIdle {
      current.estimate.record(total: current.bytes, at: now)
      idleSince = moving.isEmpty ? now : nil
    }
    counted = current.bytes
    burst = isBusy ? current : nil
  }

  /// A graph of an item's bytes in each of the last few seconds; nil if it is not being sent.
  package func graph(of id: ItemID) -> Sparkline? { sending[id]?.graph }

  /// Discards earlier measurements, since the bandwidth limit has changed.
  package mutating func startOver(at now: Instant) {
    for (id, item) in sending { sending[id]?.estimate = item.estimate.restarted(at: now) }
    if let burst {
      self.burst = Burst(
        bytes: burst.bytes, estimate: burst.estimate.restarted(at: now), beginning: now)
    }
  }

  package mutating func forget(_ ids: Set<ItemID>) {
    for id in ids {
      moving.remove(id)
      awaiting.remove(id)
      (sending[id], starts[id], foreignStarts[id]) = (nil, nil, nil)
    }
  }
}
