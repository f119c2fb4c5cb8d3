/// A dictionary by the numbers of items that takes little more room than its values.
///
/// The numbers of a queue's items are neighbours, so the values lie side by side in pages. A `Dictionary` with 200,000
/// items has room for 524,288, and for twice as many numbers while it grows.
///
/// Other modules specialise only what is usable from inlined code, so all of it is: otherwise, each lookup would take
/// ten times as long.
@usableFromInline package struct ItemTable<Value> {
  /// The values of neighbouring items.
  @usableFromInline struct Page {
    @usableFromInline var slots: ContiguousArray<Value?>
    /// How many slots have a value.
    @usableFromInline var count = 0

    @inlinable init() { slots = ContiguousArray(repeating: nil, count: ItemTable.length) }
  }

  /// How many slots a page has. Items that are not neighbours cost a page each.
  @inlinable static var length: Int { 32 }

  @usableFromInline var pages: [Int64: Page] = [:]
  /// How many items have a value.
  @usableFromInline package var count = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { count == 0 }

  /// The value of an item; nil if it has none.
  @inlinable package subscript(id: ItemID) -> Value? {
    get { pages[Self.page(of: id)]?.slots[Self.slot(of: id)] }
    _modify {
      let (page, slot) = (Self.page(of: id), Self.slot(of: id))
      guard let index = pages.index(forKey: page) else {
        var value: Value?
        defer { if let value { begin(page, with: value, at: slot) } }
        yield &value
        return
      }
      let wasThere = pages.values[index].slots[slot] != nil
      defer { recordChange(of: slot, at: index, wasThere: wasThere) }
      yield &pages.values[index].slots[slot]
    }
  }

  /// All values, in no particular order.
  package var values: some Sequence<Value> {
    pages.values.lazy.flatMap { $0.slots.lazy.compactMap(\.self) }
  }

  @discardableResult
  @inlinable package mutating func removeValue(forKey id: ItemID) -> Value? {
    defer { self[id] = nil }
    return self[id]
  }

  @inlinable static func page(of id: ItemID) -> Int64 {
    id.rawValue >> Int64(length.trailingZeroBitCount)
  }

  @inlinable static func slot(of id: ItemID) -> Int {
    Int(truncatingIfNeeded: id.rawValue) & (length - 1)
  }

  @inlinable mutating func begin(_ page: Int64, with value: Value, at slot: Int) {
    var new = Page()
    (new.slots[slot], new.count) = (value, 1)
    pages[page] = new
    count += 1
  }

  /// Counts the value that a slot has got or lost, and drops a page without values.
  @inlinable mutating func recordChange(
    of slot: Int, at index: [Int64: Page].Index, wasThere: Bool
  ) {
    guard (pages.values[index].slots[slot] != nil) != wasThere else { return }
    let change = wasThere ? -1 : 1
    count += change
    pages.values[index].count += change
    if pages.values[index].count == 0 { pages.remove(at: index) }
  }
}

extension ItemTable: Sendable where Value: Sendable {}
extension ItemTable.Page: Sendable where Value: Sendable {}
