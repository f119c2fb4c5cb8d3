import UploadModel

/// Who is sent next, and how many at once. A line and a number of lanes; nothing else.
struct Lanes {
  /// How many may be under way at once, at least 1.
  var count: Int { didSet { count = max(1, count) } }
  /// Who is under way.
  private(set) var taken: Set<ItemID> = []

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
  var isIdle: Bool { taken.isEmpty && tickets.isEmpty }

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
    let waiting = (head.reversed() + line[first...]).filter { tickets[$0.id] == $0.ticket }
    var order = waiting.map(\.id).filter { $0 != id }
    order.insert(id, at: order.firstIndex { $0 == other } ?? order.endIndex)
    (head, line, first, tickets) = ([], [], 0, [:])
    for id in order { queue(id, atHead: false) }
  }

  /// The next in line, now under way; `nil` where the line is empty or every lane is taken.
  mutating func next() -> ItemID? {
    guard taken.count < count else { return nil }
    while let entry = head.popLast() ?? popFirst() {
      guard tickets[entry.id] == entry.ticket else { continue }
      tickets[entry.id] = nil
      taken.insert(entry.id)
      return entry.id
    }
    return nil
  }

  mutating func leave(_ id: ItemID) { taken.remove(id) }

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
