import ScalarText
import UploadModel

/// The items of the queue in order, with totals that are kept up to date rather than computed, so that neither a
/// change of state nor a frame takes longer when the queue is long.
struct Queue: Sendable {
  /// An item as the screen shows it.
  struct Row: Sendable {
    var item: UploadItem
    /// How many of its bytes have been handed over. When an attempt ends, this is kept until the next one begins.
    private(set) var reached: Int64 = 0
    /// How its attempts in this session ended, the latest last.
    var attempts: [Attempt] = []
    /// The server's message when it refused the item, in a sentence.
    private(set) var said: String?
    /// Whether it was edited since it failed, so that the advice no longer applies.
    var isEditedSinceFailure = false

    init(item: UploadItem) {
      self.item = item
      said = item.state.failure?.said
      reached = item.state.bytesHandedOver(of: item.sentSize) ?? kept
    }

    /// How many of its bytes the server has kept from earlier attempts.
    private var kept: Int64 { item.canGoOn ? item.resumePoint?.offset ?? 0 : 0 }

    /// Replaces the item by its current version.
    mutating func set(_ item: UploadItem) {
      if item.state != self.item.state {
        said = item.state.failure?.said
        isEditedSinceFailure = false
      }
      self.item = item
      reach()
    }

    fileprivate mutating func set(_ state: ItemState) {
      item.state = state
      reach()
      said = state.failure?.said
      isEditedSinceFailure = false
    }

    /// How many of the bytes handed over so far need not be handed over again.
    var counted: Int64 {
      item.state.isFinished || item.state.isActive || item.canGoOn ? reached : 0
    }

    private mutating func reach() {
      switch item.state {
      // The next attempt starts after the bytes that were kept.
      case .preparing, .waiting: reached = kept
      // Once an attempt has ended without success, the state no longer tells.
      default: reached = item.state.bytesHandedOver(of: item.sentSize) ?? reached
      }
    }
  }

  /// How an attempt ended.
  struct Attempt: Hashable, Sendable {
    var number: Int
    var at: Instant
    var words: String
    var isGood: Bool
  }

  private(set) var rows: [Row] = []
  private(set) var version = 0
  private(set) var kindsVersion = 0
  private(set) var totals = Totals()
  private var positions: [ItemID: Int] = [:]
  /// How many items go to each target.
  private var targets: [String: Int] = [:]
  /// How many items are being sent to each target.
  private var active: [String: Int] = [:]

  /// A file and the target that it goes to.
  private struct Errand: Hashable {
    var path: [UInt8]
    var target: String
  }

  /// How many unfinished items send the same file to the same target.
  private var errands: [Errand: Int] = [:]
  /// The items that were removed, and whether they had been sent by then.
  private(set) var removed: [ItemID: Bool] = [:]
  /// The progress of items that were removed since the queue was last at rest.
  private var gone: [ItemID: Totals.Gone] = [:]

  var targetNames: [String] { Array(targets.keys) }

  var hasSeveralTargets: Bool { targets.count > 1 }

  func active(on target: String) -> Int { active[target] ?? 0 }

  /// How many unfinished items send this item's file to its target.
  func copies(of item: UploadItem) -> Int { copies(of: item.location.bytes, for: item.target) }

  /// How many unfinished items send the file at this path to a target.
  func copies(of path: [UInt8], for target: String) -> Int {
    errands[Errand(path: path, target: target)] ?? 0
  }

  private mutating func countErrand(_ item: UploadItem, by step: Int) {
    let count = copies(of: item) + step
    errands[Errand(path: item.location.bytes, target: item.target)] = count > 0 ? count : nil
  }

  private mutating func count(_ row: Row) {
    let item = row.item
    removed[item.id] = nil
    if let gone = gone.removeValue(forKey: item.id) { totals.forget(gone) }
    totals.add(item, reached: row.counted)
    targets[item.target, default: 0] += 1
    if item.state.takesLane { active[item.target, default: 0] += 1 }
    if !item.state.isFinished { countErrand(item, by: 1) }
  }

  private mutating func discount(_ row: Row) {
    let item = row.item
    totals.subtract(item, reached: row.counted)
    targets[item.target] = targets[item.target].flatMap { $0 > 1 ? $0 - 1 : nil }
    if item.state.takesLane { active[item.target, default: 0] -= 1 }
    if !item.state.isFinished { countErrand(item, by: -1) }
  }

  /// Drops removed items, which no row shows, from the totals once nothing more will be sent unless the user acts.
  private mutating func forgetGoneAtRest() {
    guard !gone.isEmpty, totals.busy == 0 else { return }
    gone = [:]
    totals.forgetGone()
  }

  var count: Int { rows.count }

  func position(of id: ItemID) -> Int? { positions[id] }

  func row(_ id: ItemID) -> Row? { positions[id].map { rows[$0] } }

  /// Appends items. An item that is already there is replaced in place.
  mutating func append(_ items: [UploadItem]) {
    version += 1
    if items.count > rows.count {
      rows.reserveCapacity(rows.count + items.count)
      positions.reserveCapacity(rows.count + items.count)
    }
    for item in items {
      if let position = positions[item.id] {
        discount(rows[position])
        rows[position].set(item)
        count(rows[position])
      } else {
        positions[item.id] = rows.count
        rows.append(Row(item: item))
        count(rows[rows.count - 1])
      }
    }
    forgetGoneAtRest()
  }

  /// Records how an attempt ended. Only the last few are kept. A retry by hand continues the numbering.
  mutating func record(_ attempt: Attempt, of id: ItemID) {
    guard let position = positions[id] else { return }
    var attempt = attempt
    attempt.number = max(attempt.number, (rows[position].attempts.last?.number ?? 0) + 1)
    rows[position].attempts.append(attempt)
    if rows[position].attempts.count > 20 { rows[position].attempts.removeFirst() }
  }

  /// Records where an item can resume. Returns the changed item.
  mutating func setResumePoint(_ id: ItemID, _ point: ResumePoint?) -> UploadItem? {
    guard let position = positions[id] else { return nil }
    rows[position].item.resumePoint = point
    return rows[position].item
  }

  /// Records a new state; returns the previous one, or `nil` if there is no such item.
  mutating func setState(_ id: ItemID, _ state: ItemState) -> ItemState? {
    guard let position = positions[id] else { return nil }
    let old = rows[position].item.state
    totals.subtract(rows[position].item, reached: rows[position].counted)
    if old.takesLane != state.takesLane {
      active[rows[position].item.target, default: 0] += state.takesLane ? 1 : -1
    }
    if old.isFinished != state.isFinished {
      countErrand(rows[position].item, by: state.isFinished ? -1 : 1)
    }
    if old.kind != state.kind { kindsVersion += 1 }
    rows[position].set(state)
    if state != .waiting { rows[position].item.wasInterrupted = false }
    totals.add(rows[position].item, reached: rows[position].counted)
    forgetGoneAtRest()
    return old
  }

  /// Notes that items were edited by the user.
  mutating func noteEdited(_ ids: some Sequence<ItemID>) {
    for position in ids.compactMap({ positions[$0] }) { rows[position].isEditedSinceFailure = true }
  }

  mutating func remove(_ ids: Set<ItemID>) {
    version += 1
    let first = ids.compactMap { positions[$0] }.min() ?? rows.count
    for id in ids {
      guard let position = positions.removeValue(forKey: id) else { continue }
      let row = rows[position]
      discount(row)
      removed[id] = row.item.state.isDone
      let part = Totals.Gone(row.item, reached: row.counted)
      gone[id] = part
      totals.keep(part)
    }
    forgetGoneAtRest()
    rows.removeAll { ids.contains($0.item.id) }
    renumber(from: first)
  }

  /// The places of those items in `ids` that are in the queue, in its order. Each place is given by the next item that
  /// is not in `ids`, so that the items can be put back one after the other.
  func places(of ids: Set<ItemID>) -> [Place] {
    let positions = ids.compactMap { self.positions[$0] }.sorted()
    var next = (index: rows.count, id: ItemID?.none)
    return positions.reversed().map { position in
      if position + 1 < next.index { next.id = rows[position + 1].item.id }
      next.index = position
      return Place(id: rows[position].item.id, before: next.id)
    }.reversed()
  }

  /// Puts back items that are not in the queue, each at its place: before another item, or at the end.
  mutating func restore(_ items: [QueuePosition]) {
    let rows = items.map { (row: Row(item: $0.item), before: $0.before) }
    for (row, _) in rows { count(row) }
    insert(rows)
  }

  /// Moves items, each to its place: before another item, or to the end.
  mutating func move(_ places: [Place]) {
    let moved = places.compactMap { place in row(place.id).map { ($0, place.before) } }
    if moved.count == 1 { return move(moved[0].0.item.id, before: moved[0].1) }
    let ids = Set(moved.map(\.0.item.id))
    rows.removeAll { ids.contains($0.item.id) }
    for id in ids { positions[id] = nil }
    insert(moved)
  }

  /// Inserts rows. Rows for the same place keep their order.
  private mutating func insert(_ coming: [(row: Row, before: ItemID?)]) {
    version += 1
    let groups = Dictionary(grouping: coming) { place in
      place.before.flatMap { positions[$0] == nil ? nil : $0 }
    }
    var all: [Row] = []
    all.reserveCapacity(rows.count + coming.count)
    for row in rows {
      if let group = groups[row.item.id] { all += group.map(\.row) }
      all.append(row)
    }
    rows = all + (groups[nil] ?? []).map(\.row)
    renumber(from: 0)
  }

  /// Moves one item. Rows that are not between its old and its new place stay as they are.
  private mutating func move(_ id: ItemID, before other: ItemID?) {
    guard id != other, let position = positions[id] else { return }
    version += 1
    let place = other.flatMap { positions[$0] } ?? rows.count
    let target = place > position ? place - 1 : place
    let step = position < target ? 1 : -1
    for index in stride(from: position, to: target, by: step) { rows.swapAt(index, index + step) }
    renumber(from: min(position, target), through: max(position, target))
  }

  /// Puts these items in this order, within the places that they occupy.
  mutating func arrange(_ order: [ItemID]) {
    version += 1
    let named = order.compactMap { positions[$0] }
    let places = Set(named).sorted()
    guard places.count == named.count else { return }
    let moved = named.map { rows[$0] }
    for (place, row) in zip(places, moved) {
      rows[place] = row
      positions[row.item.id] = place
    }
  }

  private mutating func renumber(from first: Int, through last: Int = .max) {
    guard first < rows.count else { return }
    for index in first...min(last, rows.count - 1) { positions[rows[index].item.id] = index }
  }
}
