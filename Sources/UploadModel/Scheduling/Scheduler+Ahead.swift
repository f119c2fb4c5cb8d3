/// Files that are given out before a lane is free for them, one for each lane, so that their requests are ready
/// in time.
extension Scheduler {
  /// The most bytes of a file for which this pays off: with larger files, a lane spends its time sending.
  private static let mostBytes: Int64 = 1 << 20

  /// Sets whether small files of a target are given out ahead.
  package mutating func setGivesAhead(_ givesAhead: Bool, of target: String) {
    guard let number = targetNumbers[target] else { return }
    targets[number].givesAhead = givesAhead
  }

  /// Whether a file was given out and has to wait for a lane.
  package func isAhead(_ id: ItemID) -> Bool { laneAhead(of: id) != nil }

  /// Whether a file that waits for a lane can have one.
  package func hasLane(for id: ItemID) -> Bool {
    guard let number = laneAhead(of: id), let lane = lanes[number] else { return false }
    return hasLane(for: routes[lane.route].target)
  }

  /// A file that was given out ahead takes a lane.
  package mutating func recordBegun(_ id: ItemID) {
    guard let number = laneAhead(of: id), let lane = lanes[number] else { return }
    lanes[number]?.isAhead = false
    count(-1, isAhead: true, on: lane.route)
    count(1, isAhead: false, on: lane.route)
  }

  private func laneAhead(of id: ItemID) -> Int? {
    guard case .lane(let number)? = entries[id]?.place, lanes[number]?.isAhead == true else {
      return nil
    }
    return number
  }

  func hasRoomAhead(for id: ItemID) -> Bool {
    guard let entry = entries[id] else { return false }
    return hasRoomAhead(targets[routes[entry.route].target]) && entry.file.bytes <= Self.mostBytes
  }

  func hasRoomAhead(_ target: TargetState) -> Bool {
    target.givesAhead && target.underWay <= target.most
      && target.ahead < min(target.most, laneCount)
  }
}
