/// Which lines of the screen hold what.
struct Layout {
  /// Below this nothing useful fits.
  static let smallest = Size(width: 40, height: 10)

  let isTooSmall: Bool
  /// The line of column headings, where there is room for one.
  let headings: Int?
  /// The lines of the queue.
  let rows: Range<Int>
  /// The rule above the details, and the lines of the details.
  let detailsTitle: Int?
  let details: Range<Int>
  let rule: Int?
  let notice: Int?
  let total: Int
  let footer: Int

  init(size: Size, hasNotice: Bool, pane: Pane = .queue) {
    isTooSmall = size.width < Self.smallest.width || size.height < Self.smallest.height
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
    if size.height >= 20, pane == .queue {
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
