import UploadModel

/// What there is to know about the selected file, beside the list on a wide screen.
struct SidePane {
  let state: AppState
  let layout: Layout

  func paint(on canvas: inout Canvas) {
    guard let columns = layout.side else { return }
    let last = layout.throughput?.lowerBound ?? layout.rule ?? layout.total
    canvas.rule(
      column: columns.lowerBound - 1, rows: 1..<last + 1, top: "┬",
      bottom: layout.throughput == nil ? "┴" : "┼")
    guard let row = state.row(state.list.cursor) else { return }
    let name = TextFitting.middle(
      row.item.fileName, to: columns.count - 4, ascii: canvas.ascii)
    canvas.put([(" \(name) ", .heading)], row: 1, column: columns.lowerBound + 1)
    let item = ItemDetails(row: row, state: state)
    let width = Self.textWidth(of: columns)
    let texts = state.sideTexts.value(
      for: item.textSource(width: width, request: []), compute: item.texts)
    let lines = item.glance(width: width, texts: texts)
    for (row, line) in zip(2..<last, lines) {
      canvas.put(line, row: row, columns: columns.lowerBound + 1..<columns.upperBound - 1)
    }
    if lines.count > last - 2, last > 3 {
      let key = state.keymap.label(.details, in: .queue, ascii: canvas.ascii)
      canvas.fill(row: last - 1, columns: columns, style: Style(.plain))
      canvas.put(
        "\(key) shows all of it", row: last - 1, column: columns.lowerBound + 1, style: Style(.dim))
    }
  }

  static func textWidth(of columns: Range<Int>) -> Int { max(2, columns.count - 2) }
}

extension AppState {
  /// Lays out the long texts of the selected file as soon as they change, so that drawing a frame need not do it.
  mutating func layOutSide() {
    guard pane == .queue, let columns = layout.side, let row = row(list.cursor) else { return }
    let item = ItemDetails(row: row, state: self)
    sideTexts.update(
      for: item.textSource(width: SidePane.textWidth(of: columns), request: []),
      compute: item.texts)
  }
}

extension Canvas {
  /// Paints a line of running text, cut at the end of the columns.
  mutating func put(_ line: TextLine, row: Int, columns: Range<Int>) {
    var column = columns.lowerBound
    for run in line.runs {
      column += put(
        run.glyphs, row: row, column: column, width: columns.upperBound - column,
        style: Style(run.role))
    }
  }
}
