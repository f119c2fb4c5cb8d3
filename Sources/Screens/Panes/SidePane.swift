import UploadModel

/// The pane about the selected file, beside the list on a wide screen.
struct SidePane {
  let state: AppState
  let layout: Layout

  func paint(on canvas: inout Canvas) {
    guard let box = layout.side else { return }
    guard let row = state.row(state.list.cursor) else { return canvas.outline(box) }
    let name = TextFitting.middle(row.item.fileName, to: box.columns.count - 6, ascii: canvas.ascii)
    let item = ItemDetails(row: row, state: state)
    let columns = box.innerColumns.dropFirst().dropLast()
    let width = max(2, columns.count)
    let texts = state.sideTexts.value(
      for: item.textSource(width: width, request: []), compute: item.texts)
    let lines = item.glance(width: width, texts: texts)
    let isCut = lines.count > box.innerRows.count
    canvas.outline(box, [(name, .heading)], foot: isCut ? state.hint(.details, "show all") : [])
    for (row, line) in zip(box.innerRows, lines) { canvas.put(line, row: row, columns: columns) }
    // Below the facts, after a blank line.
    let rest = box.innerRows.dropFirst(lines.count + 1)
    guard let preview = state.previewed.preview, rest.count > 3 else { return }
    PreviewView(preview: preview, role: .heading).paint(rows: rest, columns: columns, on: &canvas)
  }
}

extension AppState {
  /// A key and its action, for an edge of a box.
  func hint(_ name: Action.Name, _ words: String) -> Canvas.Spans {
    let key = keymap.label(name, in: pane.mode, ascii: isASCII)
    return key.isEmpty ? [] : [(key, .accent), (" \(words)", .dim)]
  }
}

extension Canvas {
  /// Paints a line of running text, cut at the end of the columns.
  mutating func put(_ line: TextLine, row: Int, columns: Range<Int>) {
    var column = columns.lowerBound
    let link = line.link.map { self.link(to: $0) } ?? 0
    for (index, run) in line.runs.enumerated() {
      var style = Style(run.role)
      // The runs before the last are the label.
      if index == line.runs.count - 1 { style.link = link }
      column += put(
        run.glyphs, row: row, column: column, width: columns.upperBound - column, style: style)
    }
  }
}
