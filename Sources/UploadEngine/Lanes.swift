import UploadModel

/// Who is sent next, and how many requests at once. A line and a number of lanes; nothing else.
struct Lanes {
  /// How many may be under way at once, at least 1.
  var count: Int { didSet { count = max(1, count) } }

  // Who is under way, and on which lane; how many there are on each lane that is taken.
  private var lane: [ItemID: Int] = [:]
  private var crews: [Int: Int] = [:]
  private var lanesTaken = 0

  private var line = Line()

  init(count: Int) { self.count = max(1, count) }

  mutating func queue(_ id: ItemID, atHead: Bool) { line.queue(id, atHead: atHead) }

  /// Takes one out of the line. Returns whether it stood there.
  @discardableResult
  mutating func unqueue(_ id: ItemID) -> Bool { line.leave(id) }

  /// Lets one who waits stand before another who waits; last where that one does not wait.
  mutating func move(_ id: ItemID, before other: ItemID?) { line.move(id, before: other) }

  /// Gives those who wait this order; who is not named comes last.
  mutating func arrange(_ order: [ItemID]) { line.arrange(order) }

  /// Those who wait, in order.
  var waiting: Line { line }

  /// The next in line, now under way; `nil` where the line is empty or every lane is taken.
  mutating func next() -> ItemID? {
    guard crews.count < count, let id = line.popFirst() else { return nil }
    lanesTaken += 1
    lane[id] = lanesTaken
    crews[lanesTaken] = 1
    return id
  }

  /// Lets one out of the line go on the lane of another who is under way.
  mutating func join(_ id: ItemID, to leader: ItemID) {
    guard let number = lane[leader], lane[id] == nil else { return }
    line.leave(id)
    lane[id] = number
    crews[number, default: 0] += 1
  }

  /// The lane is free when the last one on it has left.
  mutating func leave(_ id: ItemID) {
    guard let number = lane.removeValue(forKey: id), let crew = crews[number] else { return }
    crews[number] = crew > 1 ? crew - 1 : nil
  }
}
