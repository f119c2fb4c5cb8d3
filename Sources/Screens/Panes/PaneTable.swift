/// A table with columns, for the panes other than the queue.
struct PaneTable {
  /// A cell: its place, counted from the list's first column, and its text.
  struct Cell {
    var columns: Range<Int>
    var text: String
    var role: Role
    var isRight = false
    /// Finds the parts of the text to highlight.
    var matcher: Matcher?
  }

  let layout: Layout
  let list: ListSummary

  func paint(
    on canvas: inout Canvas, isMarked: (Int) -> Bool = { _ in false }, _ cells: (Int) -> [Cell]
  ) {
    let first = ListState.firstRow(
      scroll: list.scroll, cursor: list.cursor, count: list.count, height: layout.rows.count)
    for (line, index) in zip(layout.rows, first..<list.count) {
      let isSelected = index == list.cursor
      let ground = canvas.row(
        line, columns: layout.list, isSelected: isSelected, isMarked: isMarked(index))
      for cell in cells(index) { paint(cell, line: line, ground, on: &canvas) }
    }
  }

  func headings(_ cells: [Cell], on canvas: inout Canvas) {
    guard let row = layout.headings else { return }
    for cell in cells { paint(cell, line: row, .plain, on: &canvas) }
  }

  private func paint(_ cell: Cell, line: Int, _ ground: Style.Ground, on canvas: inout Canvas) {
    guard cell.columns.count > 0 else { return }
    let style = Style(cell.role, on: ground)
    let start = layout.list.lowerBound
    let columns = start + cell.columns.lowerBound..<start + cell.columns.upperBound
    guard cell.isRight else {
      canvas.putMiddle(
        cell.text, row: line, columns: columns, style: style, lighting: cell.matcher)
      return
    }
    let text = TextFitting.middle(cell.text, to: columns.count, ascii: canvas.ascii)
    canvas.putRight(text, row: line, end: columns.upperBound, width: columns.count, style: style)
  }
}

/// The message of a list whose filter hides all rows.
func filteredOut(_ filter: String) -> [String] {
  [
    RowFilter(filter).hasKinds
      ? "Nothing matches \"\(filter)\"." : "No name contains \"\(filter)\".",
    "Esc shows all again.",
  ]
}

/// Paints a message in the middle of a pane without rows.
func paintWords(_ lines: [String], in layout: Layout, on canvas: inout Canvas) {
  var pieces: [ArraySlice<Glyph>] = []
  for line in lines {
    pieces += TextFitting.wrapped(
      Glyphs.of(line, ascii: canvas.ascii), to: max(2, layout.list.count - 4))
  }
  let top = layout.rows.lowerBound + max(0, layout.rows.count - pieces.count) / 2
  for (index, piece) in pieces.prefix(layout.rows.count).enumerated() {
    let column = layout.list.lowerBound + max(0, (layout.list.count - Glyphs.width(piece)) / 2)
    canvas.put(
      piece, row: top + index, column: column, style: Style(index == 0 ? .plain : .dim))
  }
}

extension AppState {
  /// The message in place of the server's files; nil if there are files.
  var serverWords: [String]? {
    guard options.listsServer else {
      return [
        "\(target) has no way to list the files on the server.",
        "To list them, add a table [targets.NAME.server.list] to",
        "\(options.configuration ?? "the configuration") (docs/targets.md).",
      ]
    }
    return server.listing.words(asked: "Asking the server…", none: "Nothing is on the server.")
  }

  /// The message in place of the history; nil if there is a history.
  var historyWords: [String]? {
    history.listing.words(asked: "Reading the history…", none: "Nothing has been sent yet.")
  }
}
