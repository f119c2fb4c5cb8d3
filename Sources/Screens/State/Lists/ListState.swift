/// A cursor on a row, and the first visible row.
struct ListState: Hashable, Sendable {
  /// The row that the cursor is on; 0 in an empty list.
  private(set) var cursor = 0
  /// The first row on the screen.
  private(set) var scroll = 0

  /// Moves the cursor to this row, or to the nearest one that exists, and scrolls so that it is visible.
  mutating func move(to row: Int, of count: Int, height: Int) {
    cursor = min(max(0, row), max(0, count - 1))
    scroll = visible(of: count, height: height).lowerBound
  }

  /// Scrolls to this row, as far as the cursor stays visible once it is moved.
  mutating func show(from row: Int) { scroll = row }

  /// Performs an action that moves the cursor; returns false if `name` is not such an action.
  mutating func move(_ name: Action.Name, of count: Int, height: Int) -> Bool {
    let page = max(1, height - 1)
    let row: Int
    switch name {
    case .down: row = cursor + 1
    case .up: row = cursor - 1
    case .pageDown: row = cursor + page
    case .pageUp: row = cursor - page
    case .top: row = 0
    case .bottom: row = count - 1
    default: return false
    }
    move(to: row, of: count, height: height)
    return true
  }

  /// The rows to show so that the cursor is visible and no line is left empty without need.
  func visible(of count: Int, height: Int) -> Range<Int> {
    let height = max(1, height)
    let near = min(max(scroll, cursor - height + 1), cursor)
    let first = min(max(0, near), max(0, count - height))
    return first..<min(first + height, count)
  }
}
