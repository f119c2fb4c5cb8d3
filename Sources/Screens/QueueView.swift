import UploadModel

/// The rows of the queue that a filter leaves.
struct QueueView: Sendable {
  let filter: String
  private let matcher: Matcher
  /// Where they stand in the queue, in its order.
  private(set) var positions: [Int] = []
  private var version = -1

  init(_ filter: String) {
    self.filter = filter
    matcher = Matcher(filter)
  }

  /// Looks through the queue again if it has changed.
  mutating func follow(_ queue: Queue) {
    guard version != queue.version else { return }
    version = queue.version
    positions = queue.rows.indices.filter { matcher.matches(queue.rows[$0].item.fileName) }
  }

  /// The row that shows what stands at this position, if one does.
  func row(of position: Int) -> Int? {
    var (low, high) = (0, positions.count)
    while low < high {
      let middle = (low + high) / 2
      if positions[middle] < position { low = middle + 1 } else { high = middle }
    }
    return low < positions.count && positions[low] == position ? low : nil
  }
}

/// The queue as it is seen: rows, the cursor on them, marks.
extension AppState {
  /// How many rows are seen.
  var rowCount: Int { view?.positions.count ?? queue.count }

  /// A row as it is seen.
  func row(_ index: Int) -> Queue.Row? {
    guard index >= 0, index < rowCount else { return nil }
    return queue.rows[view?.positions[index] ?? index]
  }

  /// The row that shows an item.
  func index(of id: ItemID) -> Int? {
    queue.position(of: id).flatMap { view == nil ? $0 : view?.row(of: $0) }
  }

  /// Puts the cursor on a row that exists, and the window of rows where the cursor is.
  mutating func moveCursor(to row: Int) {
    view?.follow(queue)
    list.move(to: row, of: rowCount, height: layout.rows.count)
    guard let range, let anchor = index(of: range.anchor) else { return }
    let (first, last) = (min(anchor, list.cursor), max(anchor, list.cursor))
    marks = range.marks.union((first...last).compactMap { self.row($0)?.item.id })
  }

  /// Keeps the cursor on its item while rows come, go or change their places. Where its item goes,
  /// the cursor goes to the next one that stays.
  mutating func keepingCursor(leaving gone: Set<ItemID> = [], _ change: (inout AppState) -> Void) {
    var next = list.cursor
    while let id = row(next)?.item.id, gone.contains(id) { next += 1 }
    let anchor = row(next)?.item.id
    change(&self)
    view?.follow(queue)
    moveCursor(to: anchor.flatMap { index(of: $0) } ?? list.cursor)
  }

  /// The items that are seen.
  var seen: Set<ItemID> { Set((0..<rowCount).compactMap { row($0)?.item.id }) }

  mutating func setFilter(_ text: String) {
    keepingCursor { $0.view = text.isEmpty ? nil : QueueView(text) }
  }

  /// Goes to the next row that matches, from `start` on and round the end; false where none does.
  mutating func seek(_ matcher: Matcher, from start: Int, step: Int) -> Bool {
    let count = rowCount
    guard count > 0, !matcher.isEmpty else { return false }
    for offset in 0..<count {
      let index = ((start + offset * step) % count + count) % count
      guard let name = row(index)?.item.fileName, matcher.matches(name) else { continue }
      moveCursor(to: index)
      return true
    }
    return false
  }
}
