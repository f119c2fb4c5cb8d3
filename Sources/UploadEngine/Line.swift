import UploadModel

/// A line of uploads that wait. Whoever leaves it is only crossed out, which keeps leaving cheap in a
/// line of 100,000.
struct Line: Sequence {
  // An entry counts only while it carries the ticket that its item holds.
  private struct Entry {
    let id: ItemID
    let ticket: Int
  }
  private var head: [Entry] = []  // last in, first out: those who come back after a delay
  private var rest: [Entry] = []
  private var first = 0  // what lies before it is spent
  private var tickets: [ItemID: Int] = [:]
  private var issued = 0

  init(_ order: [ItemID] = []) { for id in order { queue(id, atHead: false) } }

  var isEmpty: Bool { tickets.isEmpty }

  func contains(_ id: ItemID) -> Bool { tickets[id] != nil }

  /// Lets one wait who does not yet.
  mutating func queue(_ id: ItemID, atHead: Bool) {
    guard tickets[id] == nil else { return }
    issued += 1
    tickets[id] = issued
    let entry = Entry(id: id, ticket: issued)
    if atHead { head.append(entry) } else { rest.append(entry) }
  }

  /// Takes one out. Returns whether it stood there.
  @discardableResult
  mutating func leave(_ id: ItemID) -> Bool { tickets.removeValue(forKey: id) != nil }

  /// Takes out the first.
  mutating func popFirst() -> ItemID? {
    while let entry = head.popLast() ?? popRest() {
      guard tickets[entry.id] == entry.ticket else { continue }
      tickets[entry.id] = nil
      return entry.id
    }
    return nil
  }

  /// Lets one who waits stand before another who waits; last where that one does not wait.
  mutating func move(_ id: ItemID, before other: ItemID?) {
    guard contains(id) else { return }
    var order = filter { $0 != id }
    order.insert(id, at: order.firstIndex { $0 == other } ?? order.endIndex)
    self = Line(order)
  }

  /// Gives those who wait this order; who is not named comes last.
  mutating func arrange(_ order: [ItemID]) {
    let named = Set(order)
    self = Line(order.filter(contains) + filter { !named.contains($0) })
  }

  /// Those who wait, in order.
  func makeIterator() -> some IteratorProtocol<ItemID> {
    [head.reversed()[...], rest[first...]].lazy.joined()
      .filter { [tickets] in tickets[$0.id] == $0.ticket }.map(\.id).makeIterator()
  }

  private mutating func popRest() -> Entry? {
    guard first < rest.count else { return nil }
    defer {
      first += 1
      if first > 1024, first > rest.count / 2 {
        rest.removeFirst(first)
        first = 0
      }
    }
    return rest[first]
  }
}
