/// Which lines and columns of the screen hold what.
///
/// A wide screen has a pane about the selected file beside the queue, a tall one a graph of the
/// throughput below it. Both appear as soon as there is something in the queue.
struct Layout {
  /// Below this nothing useful fits.
  static let smallest = Size(width: 40, height: 10)

  let isTooSmall: Bool
  /// The line of column headings, if there is room for it.
  let headings: Int?
  /// The lines of the list.
  let rows: Range<Int>
  /// How many columns the list takes.
  let listWidth: Int
  /// The columns of the pane beside the list, after a separating line.
  let side: Range<Int>?
  /// The rule above the details, and the lines of the details.
  let detailsTitle: Int?
  let details: Range<Int>
  /// The rule above the graph, the graph, and the line of its axis.
  let throughput: Range<Int>?
  /// The columns for the latest events, beside the graph.
  let events: Range<Int>?
  let rule: Int?
  let notice: Int?
  let total: Int
  let footer: Int

  init(size: Size, hasNotice: Bool, pane: Pane = .queue, isEmpty: Bool = false) {
    isTooSmall = size.width < Self.smallest.width || size.height < Self.smallest.height
    let isQueue = pane == .queue && !isEmpty
    var top = 2
    var bottom = size.height
    func takeLast(_ wanted: Bool) -> Int? {
      guard wanted else { return nil }
      bottom -= 1
      return bottom
    }
    footer = takeLast(true) ?? 0
    total = takeLast(true) ?? 0
    notice = takeLast(hasNotice)
    rule = takeLast(size.height >= 14)
    headings = size.height >= 14 && pane != .log ? 2 : nil
    if headings != nil { top += 1 }

    if size.width > 120, isQueue {
      let width = min(84, max(44, size.width * 2 / 5 - 8))
      listWidth = size.width - width - 1
      side = listWidth + 1..<size.width
    } else {
      listWidth = size.width
      side = nil
    }
    if size.height > 30, isQueue {
      let lines = min(10, size.height / 6)
      throughput = bottom - lines..<bottom
      bottom -= lines
    } else {
      throughput = nil
    }
    // If there is a pane beside the list, the line between them continues below.
    let split = side?.lowerBound ?? (size.width >= 100 ? size.width * 3 / 5 : size.width)
    events = throughput != nil && split < size.width ? split..<size.width : nil
    if size.height >= 20, isQueue, side == nil {
      details = bottom - 3..<bottom
      detailsTitle = bottom - 4
      bottom -= 4
    } else {
      details = bottom..<bottom
      detailsTitle = nil
    }
    rows = min(top, max(0, bottom))..<max(top, bottom, 0)
  }
}
