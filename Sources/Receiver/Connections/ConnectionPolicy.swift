import NIOCore

/// Decides which connections are served, which wait and which must end when many come at once.
///
/// - The number of connections served at a time is bounded. So is the number from one address, so that one client
///   cannot take all places.
/// - Further connections wait until a place is free. Meanwhile, those that are served give up their places after the
///   current request.
/// - A waiting connection gets the place of the served connection that has been idle longest, if it has been idle for
///   at least ``grace``. If the address of the waiting connection already has all its places, only those are
///   considered.
/// - If too many wait, the address with the most waiting connections loses the one that has waited longest.
struct ConnectionPolicy<Member: Hashable, Address: Hashable & Sendable> {
  /// What to do with a connection.
  enum Action: Equatable {
    case serve(Member)
    /// Ask it to end. Its place is free once it has ended.
    case evict(Member)
    /// Turn it away without serving it.
    case drop(Member)
  }

  /// The places that others wait for.
  struct Demand: Equatable, Sendable {
    /// Whether a waiting connection can take any place.
    var isForAny = false
    /// The addresses that already have all their places and have further connections waiting.
    var addresses: Set<Address> = []

    /// Whether somebody waits for the place of a connection from `address`.
    func includes(_ address: Address) -> Bool { isForAny || addresses.contains(address) }
  }

  private struct Place {
    var address: Address
    var isLeaving = false
  }

  /// How long a connection may be idle while others wait for its place.
  let grace = TimeAmount.seconds(1)
  let mostWaiting: Int
  private let most: Int
  private let mostOfAddress: Int
  private var served: [Member: Place] = [:]
  /// How many of the connections in `served` each address has, updated as they come and go.
  private var countOf: [Address: Int] = [:]
  /// Before this time, no served connection can have been idle for ``grace``, so none is checked.
  private var nextIdle = NIODeadline.distantPast
  private var waiting: [(member: Member, address: Address)] = []

  init(most: Int, mostOfAddress: Int, mostWaiting: Int) {
    self.most = most
    self.mostOfAddress = mostOfAddress
    self.mostWaiting = mostWaiting
  }

  /// Whether any connection is waiting. If so, ``look(now:idle:)`` must be called from time to time.
  var hasWaiting: Bool { !waiting.isEmpty }

  /// Which connections should give up their places.
  var demand: Demand {
    var (demand, last) = (Demand(), Address?.none)
    // Skip an address that equals that of the previous connection, as it mostly does.
    for (_, address) in waiting where address != last {
      last = address
      if countOf[address, default: 0] >= mostOfAddress {
        demand.addresses.insert(address)
      } else {
        demand.isForAny = true
      }
    }
    return demand
  }

  /// Records that a connection refused its eviction and keeps its place.
  mutating func keep(_ member: Member) {
    served[member]?.isLeaving = false
    nextIdle = .distantPast
  }

  mutating func arrive(
    _ member: Member, from address: Address, now: NIODeadline, idle: (Member) -> NIODeadline?
  ) -> [Action] {
    waiting.append((member, address))
    var actions = look(now: now, idle: idle)
    while waiting.count > mostWaiting, let index = surplus() {
      actions.append(.drop(waiting.remove(at: index).member))
    }
    return actions
  }

  /// Records that a connection has ended.
  mutating func leave(
    _ member: Member, now: NIODeadline, idle: (Member) -> NIODeadline?
  ) -> [Action] {
    if let place = served.removeValue(forKey: member) {
      countOf[place.address, default: 0] -= 1
      if countOf[place.address] == 0 { countOf[place.address] = nil }
    } else {
      waiting.removeAll { $0.member == member }
    }
    return look(now: now, idle: idle)
  }

  /// Fills free places, and evicts idle connections if others still wait. `idle` tells since when a served connection
  /// has been idle, or nil if it is not.
  mutating func look(now: NIODeadline, idle: (Member) -> NIODeadline?) -> [Action] {
    var actions: [Action] = []
    waiting.removeAll { member, address in
      guard served.count < most, countOf[address, default: 0] < mostOfAddress else { return false }
      served[member] = Place(address: address)
      countOf[address, default: 0] += 1
      actions.append(.serve(member))
      return true
    }
    guard !waiting.isEmpty, now >= nextIdle else { return actions }

    // For each place that is about to become free, one waiting connection needs no further eviction.
    var leaving: [Address: Int] = [:]
    for place in served.values where place.isLeaving { leaving[place.address, default: 0] += 1 }
    var candidates = served.compactMap { member, place -> (Member, Address, NIODeadline)? in
      guard !place.isLeaving, let since = idle(member), now - since >= grace else { return nil }
      return (member, place.address, since)
    }
    .sorted { $0.2 < $1.2 }
    if candidates.isEmpty {
      nextIdle = served.reduce(now + grace) { next, entry in
        entry.value.isLeaving ? next : min(next, (idle(entry.key) ?? now) + grace)
      }
      return actions
    }
    for (_, address) in waiting {
      let isFull = countOf[address, default: 0] >= mostOfAddress
      let bound = isFull ? address : nil
      if let key = bound ?? leaving.first(where: { $0.value > 0 })?.key,
        leaving[key, default: 0] > 0
      {
        leaving[key, default: 0] -= 1
        continue
      }
      guard let index = candidates.firstIndex(where: { bound == nil || $0.1 == bound }) else {
        continue
      }
      let member = candidates.remove(at: index).0
      served[member]?.isLeaving = true
      actions.append(.evict(member))
    }
    return actions
  }

  /// Forgets the waiting connections, and returns them.
  mutating func close() -> [Member] {
    defer { waiting = [] }
    return waiting.map(\.member)
  }

  /// The index of the longest-waiting connection of the address with the most waiting connections.
  private func surplus() -> Int? {
    let counts = waiting.reduce(into: [Address: Int]()) { $0[$1.address, default: 0] += 1 }
    let most = counts.values.max()
    return waiting.firstIndex { counts[$0.address] == most }
  }
}
