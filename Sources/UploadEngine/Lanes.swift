import UploadModel

/// Who is sent next, and how many requests at once. A line and a number of lanes; nothing else.
struct Lanes {
  /// How many may be under way at once, at least 1.
  var count: Int { didSet { count = max(1, count) } }

  // Who is under way, and on which lane; how many there are on each lane that is taken.
  private var lane: [ItemID: Int] = [:]
  private var crews: [Int: Int] = [:]
  private var lanesTaken = 0

  // Whoever leaves the line is only crossed out, which keeps leaving cheap in a line of 100,000:
  // an entry counts only while it carries the ticket that its item holds.
  private struct Entry {
    let id: ItemID
    let ticket: Int
  }
  private var head: [Entry] = []  // last in, first out: those who come back after a delay
  private var line: [Entry] = []
  private var first = 0  // what lies before it is spent
  private var tickets: [ItemID: Int] = [:]
  private var issued = 0

  init(count: Int) { self.count = max(1, count) }

  /// Whether nobody is under way and nobody waits.
  var isIdle: Bool { lane.isEmpty && tickets.isEmpty }

  mutating func queue(_ id: ItemID, atHead: Bool) {
    guard tickets[id] == nil else { return }
    issued += 1
    tickets[id] = issued
    let entry = Entry(id: id, ticket: issued)
    if atHead { head.append(entry) } else { line.append(entry) }
  }

  /// Takes one out of the line. Returns whether it stood there.
  @discardableResult
  mutating func unqueue(_ id: ItemID) -> Bool { tickets.removeValue(forKey: id) != nil }

  /// Lets one who waits stand before another who waits; last where that one does not wait.
  mutating func move(_ id: ItemID, before other: ItemID?) {
    guard tickets[id] != nil else { return }
    var order = Array(waiting.filter { $0 != id })
    order.insert(id, at: order.firstIndex { $0 == other } ?? order.endIndex)
    stand(in: order)
  }

  /// Gives those who wait this order; who is not named comes last.
  mutating func arrange(_ order: [ItemID]) {
    let named = Set(order)
    stand(in: order.filter { tickets[$0] != nil } + Array(waiting.filter { !named.contains($0) }))
  }

  private mutating func stand(in order: [ItemID]) {
    (head, line, first, tickets) = ([], [], 0, [:])
    for id in order { queue(id, atHead: false) }
  }

  /// Those who wait, in order.
  var waiting: some Sequence<ItemID> {
    [head.reversed()[...], line[first...]].lazy.joined()
      .filter { [tickets] in tickets[$0.id] == $0.ticket }.map(\.id)
  }

  /// The next in line, now under way; `nil` where the line is empty or every lane is taken.
  mutating func next() -> ItemID? {
    guard crews.count < count else { return nil }
    while let entry = head.popLast() ?? popFirst() {
      guard tickets[entry.id] == entry.ticket else { continue }
      tickets[entry.id] = nil
      lanesTaken += 1
      lane[entry.id] = lanesTaken
      crews[lanesTaken] = 1
      return entry.id
    }
    return nil
  }

  /// Lets one out of the line go on the lane of another who is under way.
  mutating func join(_ id: ItemID, to leader: ItemID) {
    guard let number = lane[leader], lane[id] == nil else { return }
    tickets[id] = nil
    lane[id] = number
    crews[number, default: 0] += 1
  }

  /// The lane is free when the last one on it has left.
  mutating func leave(_ id: ItemID) {
    guard let number = lane.removeValue(forKey: id), let crew = crews[number] else { return }
    crews[number] = crew > 1 ? crew - 1 : nil
  }

  private mutating func popFirst() -> Entry? {
    guard first < line.count else { return nil }
    defer {
      first += 1
      if first > 1024, first > line.count / 2 {
        line.removeFirst(first)
        first = 0
      }
    }
    return line[first]
  }
}
