/// The places of the panes on the screen, in lines and columns.
///
/// A wide screen has a pane about the selected file beside the queue, and a tall screen has a graph of the throughput
/// below the queue. Both appear as soon as there is something in the queue.
struct Layout {
  /// Below this size, nothing useful fits.
  static let smallest = Size(width: 40, height: 10)

  /// A pane with a border.
  struct Box: Hashable {
    let rows: Range<Int>
    let columns: Range<Int>

    /// The lines and columns within the border.
    var innerRows: Range<Int> { Self.inner(rows) }
    var innerColumns: Range<Int> { Self.inner(columns) }
    /// The columns of the lines at its sides.
    var sides: [Int] { [columns.lowerBound, columns.upperBound - 1] }

    private static func inner(_ range: Range<Int>) -> Range<Int> {
      let start = range.lowerBound + 1
      return start..<max(start, range.upperBound - 1)
    }
  }

  let isTooSmall: Bool
  /// The box of the list; `nil` if there is no room for borders, but only for a rule above the list.
  private(set) var box: Box?
  /// The line of column headings, if there is room for it.
  let headings: Int?
  /// The lines of the list.
  let rows: Range<Int>
  /// The columns of the list.
  let list: Range<Int>
  /// The pane beside the list.
  private(set) var side: Box?
  /// The details below the list, if there is no pane beside it.
  private(set) var details: Box?
  /// The graph, with the line of its axis.
  private(set) var throughput: Box?
  /// The latest events, beside the graph.
  private(set) var events: Box?
  let notice: Int?
  let total: Int
  let footer: Int

  /// The panes make room for the lines of a message, above the line of the totals.
  init(
    size: Size, hasNotice: Bool, pane: Pane = .queue, isEmpty: Bool = false, messageLines: Int = 0
  ) {
    isTooSmall = size.width < Self.smallest.width || size.height < Self.smallest.height
    let isQueue = pane == .queue && !isEmpty
    (footer, total) = (size.height - 1, size.height - 2)
    let above = total - messageLines
    notice = hasNotice ? above - 1 : nil
    var bottom = notice ?? above
    headings = size.height >= 14 && pane != .log ? 2 : nil
    let top = headings == nil ? 2 : 3
    guard size.height >= 16, !isTooSmall else {
      rows = min(top, max(0, bottom))..<max(top, bottom, 0)
      list = 0..<size.width
      return
    }

    // Only the size counts: a pane whose width followed the queue would jump with each file.
    let sideWidth = max(40, min(85, size.width * 2 / 5 - 8))
    let split = size.width > 120 && isQueue ? size.width - sideWidth : size.width
    if size.height > 30, isQueue {
      let lines = min(11, size.height / 6 + 1)
      let half = split < size.width ? split : size.width >= 100 ? size.width * 3 / 5 : size.width
      let graph = Box(rows: bottom - lines..<bottom, columns: 0..<half)
      throughput = graph
      if half < size.width { events = Box(rows: graph.rows, columns: half..<size.width) }
      bottom -= lines
    }
    if size.height >= 20, isQueue, split == size.width {
      details = Box(rows: bottom - 5..<bottom, columns: 0..<size.width)
      bottom -= 5
    }
    let box = Box(rows: 1..<bottom, columns: 0..<split)
    if split < size.width { side = Box(rows: box.rows, columns: split..<size.width) }
    self.box = box
    rows = top..<box.innerRows.upperBound
    list = box.innerColumns
  }
}
