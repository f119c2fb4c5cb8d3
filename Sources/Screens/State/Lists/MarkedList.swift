/// The view of a list: the rows that pass the filter, the cursor, and marks.
///
/// Row numbers count the visible rows, and positions count all rows. The rows are not stored here, so that a queue is
/// never copied, however long it is.
struct MarkedList<ID: Hashable & Sendable>: Sendable {
  private(set) var window = ListState()
  private(set) var marks: Set<ID> = []
  /// Where the marking of a range began, and the marks that were set before.
  private var range: (anchor: ID, others: Set<ID>)?
  private var view: FilteredRows?
  /// The row that the cursor was on before the filter, until a person moves it: without the filter, it is there again.
  private var home: ID?

  var cursor: Int { window.cursor }
  var scroll: Int { window.scroll }
  /// The text of the filter; empty if all rows are visible.
  var filter: String { view?.filter.text ?? "" }
  /// What the filter looks for in names.
  var matcher: Matcher { view?.filter.matcher ?? Matcher("") }
  /// Whether rows appear and disappear as their kinds change.
  var followsKinds: Bool { view?.filter.hasKinds == true }

  // MARK: What is seen

  func count(in rows: some ListRows<ID>) -> Int { view?.positions.count ?? rows.count }

  /// The position of a visible row.
  func position(of row: Int, in rows: some ListRows<ID>) -> Int? {
    guard row >= 0, row < count(in: rows) else { return nil }
    return view?.positions[row] ?? row
  }

  /// The row that shows `id`, if it is visible.
  func row(of id: ID, in rows: some ListRows<ID>) -> Int? {
    rows.position(of: id).flatMap { view == nil ? $0 : view?.row(of: $0) }
  }

  /// The positions that an action applies to: those of the marked rows, or else the one of the row under the cursor.
  func subjects(in rows: some ListRows<ID>) -> [Int] {
    marks.isEmpty
      ? position(of: cursor, in: rows).map { [$0] } ?? []
      : marks.compactMap { rows.position(of: $0) }.sorted()
  }

  func glance(in rows: some ListRows<ID>) -> ListSummary {
    ListSummary(
      window: window, count: count(in: rows), filter: filter, matcher: matcher,
      marked: marks.count, isMarkingRange: range != nil,
      name: position(of: cursor, in: rows).map { rows.name(at: $0) })
  }

  /// Whether the cursor, the scroll position and the number of marks are possible for these rows.
  func isSound(in rows: some ListRows<ID>) -> Bool {
    let count = count(in: rows)
    return (0..<max(1, count)).contains(cursor) && (0...cursor).contains(scroll)
      && marks.count <= rows.count
  }

  // MARK: What is done

  /// Performs an operation; returns whether it was possible.
  mutating func perform(_ step: ListOperation, in rows: some ListRows<ID>, height: Int) -> Bool {
    switch step {
    case .key(let name): return perform(name, in: rows, height: height)
    case .row(let row): move(to: row, in: rows, height: height)
    case .filter(let text): setFilter(text, in: rows, height: height)
    case .find(let matcher, let start, let step):
      return !matcher.isEmpty
        && seek(from: start, step: step, in: rows, height: height) {
          matcher.matches(rows.name(at: $0))
        }
    case .next(let kinds):
      return seek(from: cursor + 1, step: 1, in: rows, height: height) { position in
        kinds.contains { rows.is($0, at: position) }
      }
    case .endRange: range = nil
    case .forgetOtherMarks:
      if let id = id(of: cursor, in: rows), !marks.contains(id) { clearMarks() }
    }
    return true
  }

  /// Moves the cursor to this row, or to the nearest one that exists, and scrolls so that it is visible.
  mutating func move(to row: Int, in rows: some ListRows<ID>, height: Int) {
    home = nil
    let old = cursor
    window.move(to: row, of: count(in: rows), height: height)
    guard let range, let marked = rangeRows(in: rows) else { return }
    // Only rows between the old and the new position of the cursor can enter or leave the range.
    for row in min(old, cursor)...max(old, cursor) {
      guard let id = id(of: row, in: rows) else { continue }
      if marked.contains(row) || range.others.contains(id) {
        marks.insert(id)
      } else {
        marks.remove(id)
      }
    }
  }

  /// Puts the cursor on this row, in a view that begins with another one.
  mutating func show(from first: Int, cursor row: Int, in rows: some ListRows<ID>, height: Int) {
    window.show(from: first)
    move(to: row, in: rows, height: height)
  }

  /// Marks these rows and no others.
  mutating func mark(_ ids: Set<ID>) { (marks, range) = (ids, nil) }

  mutating func clearMarks() {
    marks = []
    range = nil
  }

  private mutating func perform(_ name: Action.Name, in rows: some ListRows<ID>, height: Int)
    -> Bool
  {
    var next = window
    if next.move(name, of: count(in: rows), height: height) {
      move(to: next.cursor, in: rows, height: height)
      return true
    }
    switch name {
    case .mark:
      guard let id = id(of: cursor, in: rows) else { return false }
      marks.formSymmetricDifference([id])
      move(to: cursor + 1, in: rows, height: height)
    case .markRange:
      guard let id = id(of: cursor, in: rows) else { return false }
      range = range == nil ? (id, marks) : nil
      move(to: cursor, in: rows, height: height)
    case .markAll: marks.formUnion(seen(in: rows))
    case .invertMarks: marks.formSymmetricDifference(Set(seen(in: rows)))
    case .clearMarks:
      // The filter is cleared only if no marks are left to clear, since rows that it hides may be marked too. Where it
      // hides all of them, the marks stay.
      let hidesAll = view != nil && count(in: rows) == 0
      if marks.isEmpty || hidesAll { setFilter("", in: rows, height: height) }
      if !hidesAll { clearMarks() }
    default: return false
    }
    return true
  }

  private mutating func setFilter(_ text: String, in rows: some ListRows<ID>, height: Int) {
    let place = place(in: rows)
    if view == nil, !text.isEmpty { home = place }
    view = text.isEmpty ? nil : FilteredRows(text)
    settle(on: place, in: rows, height: height)
  }

  private mutating func seek(
    from start: Int, step: Int, in rows: some ListRows<ID>, height: Int, _ isWanted: (Int) -> Bool
  ) -> Bool {
    let count = count(in: rows)
    for offset in 0..<count {
      let row = ((start + offset * step) % count + count) % count
      guard let position = position(of: row, in: rows), isWanted(position) else { continue }
      move(to: row, in: rows, height: height)
      return true
    }
    return false
  }

  private func id(of row: Int, in rows: some ListRows<ID>) -> ID? {
    position(of: row, in: rows).map { rows.id(at: $0) }
  }

  private func seen(in rows: some ListRows<ID>) -> [ID] {
    (0..<count(in: rows)).compactMap { id(of: $0, in: rows) }
  }

  /// The visible rows of the range being marked, if there is one.
  private func rangeRows(in rows: some ListRows<ID>) -> ClosedRange<Int>? {
    guard let range, let anchor = row(of: range.anchor, in: rows) else { return nil }
    return min(anchor, cursor)...max(anchor, cursor)
  }

  // MARK: Rows that come and go

  /// The row that the cursor is on, or the first one from there on that `isGone` does not exclude.
  func place(in rows: some ListRows<ID>, leaving isGone: (ID) -> Bool = { _ in false }) -> ID? {
    var row = cursor
    while let id = id(of: row, in: rows) {
      if !isGone(id) { return id }
      row += 1
    }
    return nil
  }

  /// Puts the cursor back on its row after rows have come, gone or moved; it keeps its number if that row is hidden.
  mutating func settle(on place: ID?, in rows: some ListRows<ID>, height: Int) {
    follow(rows)
    // Where the filter is a query, such as in the history, the other rows come back only after it is gone.
    let isBack = view == nil && home.map { rows.position(of: $0) != nil } == true
    let place = isBack ? home : place
    if isBack { home = nil }
    let row = place.flatMap { self.row(of: $0, in: rows) } ?? cursor
    window.move(to: row, of: count(in: rows), height: height)
    guard let range, let marked = rangeRows(in: rows) else { return }
    marks = range.others.union(marked.compactMap { id(of: $0, in: rows) })
  }

  /// Looks through the rows again if they have changed.
  mutating func follow(_ rows: some ListRows<ID>) { view?.follow(rows) }

  /// Forgets rows that are gone from the list, and not only out of sight.
  mutating func forget(_ gone: Set<ID>) {
    unmark(gone)
    if home.map(gone.contains) == true { home = nil }
  }

  /// Takes the marks off these rows.
  mutating func unmark(_ ids: Set<ID>) {
    marks.subtract(ids)
    range = nil
  }
}

/// The positions of the rows that pass a filter.
private struct FilteredRows: Sendable {
  let filter: RowFilter
  private(set) var positions: [Int] = []
  private var version: (rows: Int, kinds: Int)?

  init(_ filter: String) { self.filter = RowFilter(filter) }

  /// Looks through the rows again if they have changed.
  mutating func follow(_ rows: some ListRows) {
    let now = (rows: rows.version, kinds: filter.hasKinds ? rows.kindsVersion : 0)
    if let version, version == now { return }
    version = now
    positions = (0..<rows.count).filter { filter.shows($0, of: rows) }
  }

  /// The visible row at this position, if there is one.
  func row(of position: Int) -> Int? {
    var (low, high) = (0, positions.count)
    while low < high {
      let middle = (low + high) / 2
      if positions[middle] < position { low = middle + 1 } else { high = middle }
    }
    return low < positions.count && positions[low] == position ? low : nil
  }
}
