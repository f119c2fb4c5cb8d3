import UploadModel

/// The items of the queue in order, with sums that are kept rather than computed: neither a change
/// of state nor a frame takes longer when the queue is long.
struct Queue: Sendable {
  /// An item as the screen shows it.
  struct Row: Sendable {
    var item: UploadItem
    /// How many bytes the last attempt had sent when it ended.
    var reached: Int64 = 0
  }

  private(set) var rows: [Row] = []
  private(set) var totals = Totals()
  private var positions: [ItemID: Int] = [:]

  var count: Int { rows.count }

  func position(of id: ItemID) -> Int? { positions[id] }

  func row(_ id: ItemID) -> Row? { positions[id].map { rows[$0] } }

  /// Puts items at the end. One that is there already is replaced where it stands.
  mutating func append(_ items: [UploadItem]) {
    if items.count > rows.count {
      rows.reserveCapacity(rows.count + items.count)
      positions.reserveCapacity(rows.count + items.count)
    }
    for item in items {
      if let position = positions[item.id] {
        totals.subtract(rows[position].item)
        rows[position].item = item
      } else {
        positions[item.id] = rows.count
        rows.append(Row(item: item))
      }
      totals.add(item)
    }
  }

  /// Notes a new state; returns the one before, or `nil` where there is no such item.
  mutating func setState(_ id: ItemID, _ state: ItemState) -> ItemState? {
    guard let position = positions[id] else { return nil }
    let old = rows[position].item.state
    totals.subtract(rows[position].item)
    rows[position].item.state = state
    totals.add(rows[position].item)
    switch state {
    // It starts again from the first byte.
    case .preparing, .paused, .waiting: rows[position].reached = 0
    case .sending, .awaitingReply, .retrying, .done, .failed:
      if let bytes = old.bytesHandedOver(of: rows[position].item.size) {
        rows[position].reached = bytes
      }
    }
    return old
  }

  /// Takes items out.
  mutating func remove(_ ids: Set<ItemID>) {
    let first = ids.compactMap { positions[$0] }.min() ?? rows.count
    for id in ids {
      guard let position = positions.removeValue(forKey: id) else { continue }
      totals.subtract(rows[position].item)
    }
    rows.removeAll { ids.contains($0.item.id) }
    renumber(from: first)
  }

  /// Moves one row so that it ends up at `target`.
  mutating func move(from position: Int, to target: Int) {
    guard rows.indices.contains(position), rows.indices.contains(target) else { return }
    // Neighbour by neighbour: what lies beyond the target is not touched.
    let step = position < target ? 1 : -1
    for index in stride(from: position, to: target, by: step) { rows.swapAt(index, index + step) }
    renumber(from: min(position, target), through: max(position, target))
  }

  private mutating func renumber(from first: Int, through last: Int = .max) {
    guard first < rows.count else { return }
    for index in first...min(last, rows.count - 1) { positions[rows[index].item.id] = index }
  }
}

/// The sums over a queue.
struct Totals: Hashable, Sendable {
  private(set) var waiting = 0
  private(set) var active = 0
  private(set) var retrying = 0
  private(set) var paused = 0
  private(set) var done = 0
  private(set) var failed = 0
  /// Bytes that have been handed over, of items that are done or may still be.
  private(set) var sentBytes: Int64 = 0
  /// Bytes of all items that are done or may still be.
  private(set) var bytes: Int64 = 0

  /// How many items will still be sent without anyone doing anything.
  var busy: Int { waiting + active + retrying }
  var all: Int { busy + paused + done + failed }

  fileprivate mutating func add(_ item: UploadItem) { count(item, 1) }
  fileprivate mutating func subtract(_ item: UploadItem) { count(item, -1) }

  private mutating func count(_ item: UploadItem, _ one: Int) {
    switch item.state {
    case .waiting: waiting += one
    case .preparing, .sending, .awaitingReply: active += one
    case .retrying: retrying += one
    case .paused: paused += one
    case .done: done += one
    case .failed: failed += one
    }
    switch item.state {
    case .failed: break
    case .waiting, .preparing, .sending, .awaitingReply, .retrying, .paused, .done:
      // Sparse files can claim more than 64 bits hold together; what is added wrapping comes back
      // right when it is taken away.
      bytes &+= Int64(one) &* item.size
      sentBytes &+= Int64(one) &* (item.state.bytesHandedOver(of: item.size) ?? 0)
    }
  }
}

extension ItemState {
  /// How many of the file's `size` bytes have been handed over; `nil` where none are under way.
  func bytesHandedOver(of size: Int64) -> Int64? {
    switch self {
    case .sending(_, let sent, _): min(max(0, sent), size)
    case .awaitingReply, .done: size
    case .waiting, .preparing, .retrying, .paused, .failed: nil
    }
  }
}
