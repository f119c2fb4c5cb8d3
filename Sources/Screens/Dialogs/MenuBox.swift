/// A few things of which one is chosen.
struct MenuBox {
  let menu: Menu
  let size: Size

  /// How many choices are seen at once.
  static func lines(_ menu: Menu, in size: Size) -> Int {
    max(1, min(menu.choices.count, size.height - 6))
  }

  /// The line of the first choice that is seen, and the columns of the box.
  var place: (top: Int, columns: Range<Int>) {
    let longest = menu.choices.map(\.count).max() ?? 0
    let width = min(size.width - 2, max(menu.title.count + 8, longest + 8))
    let height = Self.lines(menu, in: size) + 2
    let left = (size.width - width) / 2
    return (max(1, (size.height - height) / 2) + 1, left..<left + width)
  }

  func paint(on canvas: inout Canvas) {
    let (top, columns) = place
    let visible = Self.lines(menu, in: size)
    canvas.box(
      row: top - 1, column: columns.lowerBound,
      size: Size(width: columns.count, height: visible + 2), title: menu.title)
    let first = ListState.firstRow(
      scroll: menu.list.scroll, cursor: menu.list.cursor, count: menu.choices.count,
      height: visible)
    for (row, index) in zip(top..<top + visible, first..<menu.choices.count) {
      canvas.choice(
        Glyphs.of(menu.choices[index], ascii: canvas.ascii), row: row,
        columns: columns.lowerBound + 2..<columns.upperBound - 2,
        isLit: index == menu.list.cursor)
    }
  }
}
