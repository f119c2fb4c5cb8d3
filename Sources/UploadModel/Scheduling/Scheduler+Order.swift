/// The order of the line.
extension Scheduler {
  /// The initial distance between the positions of neighbours.
  private static let gap: Int64 = 1 << 32

  /// The rank for a file that comes last.
  mutating func lastRank() -> Int64 {
    guard let last = order.last else { return 0 }
    if last.rank < .max - Self.gap { return last.rank + Self.gap }
    spread()
    return (order.last?.rank ?? 0) + Self.gap
  }

  /// Puts a file before another one, or last.
  package mutating func move(_ id: ItemID, before other: ItemID?) {
    guard entries[id] != nil, id != other, let rank = rank(of: id, before: other),
      let entry = entries[id]
    else { return }
    entries[id]?.rank = rank
    order.remove(entry.rank)
    order.insert(RankedSet.Entry(rank: rank, id: id))
    guard entry.place == .line else { return }
    routes[entry.route].ready.remove(entry.rank)
    routes[entry.route].ready.insert(RankedSet.Entry(rank: rank, id: id))
  }

  /// The rank that puts a file before another one, or last; nil if it is already there.
  private mutating func rank(of id: ItemID, before other: ItemID?) -> Int64? {
    guard let other, let next = entries[other]?.rank else {
      return order.last?.id == id ? nil : lastRank()
    }
    guard let previous = order.entry(before: next) else {
      if next >= .min + Self.gap { return next - Self.gap }
      spread()
      return self.rank(of: id, before: other)
    }
    if previous.id == id { return nil }
    if next - previous.rank > 1 { return previous.rank + (next - previous.rank) / 2 }
    spread()
    return self.rank(of: id, before: other)
  }

  /// Puts files in this order, within the places that they now occupy.
  package mutating func arrange(_ order: [ItemID]) {
    var named: Set<ItemID> = []
    let known = order.filter { entries[$0] != nil && named.insert($0).inserted }
    let ranks = known.compactMap { entries[$0]?.rank }.sorted()
    for (id, rank) in zip(known, ranks) { entries[id]?.rank = rank }
    rebuild()
  }

  /// Makes room between all neighbours.
  private mutating func spread() {
    for (index, entry) in order.entries().enumerated() {
      entries[entry.id]?.rank = Int64(index) * Self.gap
    }
    rebuild()
  }

  /// Sorts everything by the files' current ranks.
  private mutating func rebuild() {
    let sorted = entries.values.map {
      (place: $0.place, route: $0.route, rank: $0.rank, $0.file.id)
    }
    .sorted { $0.rank < $1.rank }
    order = RankedSet(sorted: sorted.map { RankedSet.Entry(rank: $0.rank, id: $0.3) })
    var ready = [[RankedSet.Entry]](repeating: [], count: routes.count)
    for (place, route, rank, id) in sorted where place == .line {
      ready[route].append(RankedSet.Entry(rank: rank, id: id))
    }
    for route in routes.indices { routes[route].ready = RankedSet(sorted: ready[route]) }
  }
}
