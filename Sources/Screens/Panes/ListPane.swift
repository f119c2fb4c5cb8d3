/// A pane that lists rows in columns: the server's files, the history.
struct ListPane<Row: PaneRow> {
  /// A column: its heading, its place, and the text that it shows for a row.
  struct Column {
    var heading = ""
    var place: Range<Int>
    var isRight = false
    var role: (Row) -> Role = { _ in .plain }
    /// Finds the parts of the texts to highlight.
    var matcher: Matcher?
    var text: (Row) -> String
  }

  let table: PaneTable
  let list: PaneList<Row>
  /// The message in place of the rows; nil if there are rows.
  let message: [String]?
  let columns: [Column]

  func paint(on canvas: inout Canvas) {
    if let message { return paintWords(message, in: table.layout, on: &canvas) }
    let headings = columns.map { column in
      PaneTable.Cell(
        columns: column.place, text: column.heading, role: .heading, isRight: column.isRight)
    }
    table.headings(headings, on: &canvas)
    guard table.list.count > 0 else {
      return paintWords(filteredOut(table.list.filter), in: table.layout, on: &canvas)
    }
    table.paint(
      on: &canvas, isMarked: { list.row($0).map { list.list.marks.contains($0.id) } == true }
    ) { index in
      guard let row = list.row(index) else { return [] }
      return columns.map { column in
        PaneTable.Cell(
          columns: column.place, text: column.text(row), role: column.role(row),
          isRight: column.isRight, matcher: column.matcher)
      }
    }
  }
}
