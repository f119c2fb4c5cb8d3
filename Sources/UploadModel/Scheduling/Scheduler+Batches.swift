/// Batching: which files go in one request.
extension Scheduler {
  /// How far down the line to look for files of the same batch.
  private static let lookAhead = 1000

  /// Fixes a group of files that are sent together and with no others, so that a repeated request stays the
  /// same, and so does half of a split request.
  package mutating func group(_ members: [ItemID]) {
    for id in members { dissolveGroup(of: id) }
    guard members.allSatisfy({ entries[$0]?.place.isLive == true }) else { return }
    lastGroup += 1
    groups[lastGroup] = members
    for id in members { entries[id]?.group = lastGroup }
  }

  /// The batch led by `id`, whose turn it is.
  mutating func batch(ledBy id: ItemID, isAlone: Bool) -> [ItemID] {
    guard let entry = entries[id], let rule = entry.file.target.value.batch else { return [id] }
    if let members = entry.group.flatMap({ groups[$0] }) {
      if members.allSatisfy(isAvailable) { return members }
      dissolveGroup(of: id)
    }
    guard !isAlone else { return [id] }
    let members = plan(ledBy: entry, by: rule)
    if members.count > 1 { group(members) }
    return members
  }

  private func plan(ledBy first: Entry, by rule: BatchRule) -> [ItemID] {
    let others = routes[first.route].ready.entries(after: first.rank, limit: Self.lookAhead)
    return Batch.plan(
      (file: first.file, isTaken: first.group != nil),
      before: others.lazy.compactMap {
        self.entries[$0.id].map { (file: $0.file, isTaken: $0.group != nil) }
      },
      by: rule)
  }

  /// Dissolves the group of a file that leaves; its other files are free.
  mutating func dissolveGroup(of id: ItemID) {
    guard let group = entries[id]?.group, let members = groups.removeValue(forKey: group) else {
      return
    }
    for member in members where entries[member]?.group == group { entries[member]?.group = nil }
  }

  private func isAvailable(_ id: ItemID) -> Bool {
    switch entries[id]?.place {
    case .line, .away(.backOff): true
    case .lane, .away, nil: false
    }
  }
}
