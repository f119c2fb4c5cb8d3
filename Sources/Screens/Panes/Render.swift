import UploadModel

/// The screen for `state`, in `size` cells. Only what is visible is examined, so a frame costs the
/// same whether three items are queued or a hundred thousand.
package func render(_ state: AppState, size: Size) -> Frame {
  let layout = state.layout(in: size)
  var canvas = Canvas(size: size, ascii: state.isASCII, theme: state.theme)
  let total = TotalLine(state: state)
  canvas.setTitle(total.windowTitle, progress: total.progressOfAll)
  guard !layout.isTooSmall else {
    paintTooSmall(state, on: &canvas)
    return canvas.frame
  }
  HeaderAndFooter(state: state, layout: layout).paint(on: &canvas)
  let width = layout.list.count
  switch state.pane {
  case .queue:
    QueuePane(state, layout: layout).paint(on: &canvas)
    paintDetails(of: state, layout: layout, on: &canvas)
    ThroughputPane(state: state, layout: layout).paint(on: &canvas)
    paintSide(of: state, layout: layout, on: &canvas)
    if state.isSummaryShown, let summary = state.summary {
      SummaryBox(summary: summary, state: state, layout: layout).paint(on: &canvas)
    }
  case .server: ListPane(server: state, layout: layout, width: width).paint(on: &canvas)
  case .history: ListPane(history: state, layout: layout, width: width).paint(on: &canvas)
  case .targets: ListPane(targets: state, layout: layout, width: width).paint(on: &canvas)
  case .log: ListPane(log: state, layout: layout, width: width).paint(on: &canvas)
  }
  for dialog in state.dialogs {
    DialogBox(dialog: dialog, state: state, size: size).paint(on: &canvas)
  }
  HeaderAndFooter(state: state, layout: layout).paintMessageOverDialog(on: &canvas)
  return canvas.frame
}

/// The title of the details if a filter hides all files.
private let noFile: Canvas.Spans = [("No file", .dim)]

/// Paints the details of the selected file below the list.
private func paintDetails(of state: AppState, layout: Layout, on canvas: inout Canvas) {
  guard let box = layout.details else { return }
  guard let selected = state.row(state.list.cursor) else {
    return canvas.outline(box, noFile)
  }
  let name = TextFitting.middle(
    selected.item.fileName, to: canvas.size.width / 2, ascii: canvas.ascii)
  canvas.outline(box, [(name, .heading)], keys: state.hint(.details, "show all"))
  let width = max(2, box.innerColumns.count - 2)
  let lines = ItemDetails(row: selected, state: state).summary(width: width)
  for (line, text) in zip(box.innerRows, lines) {
    canvas.put(text, row: line, columns: box.innerColumns.dropFirst())
  }
}

/// Paints the details of the selected file beside the list on a wide screen, with a preview of the file.
private func paintSide(of state: AppState, layout: Layout, on canvas: inout Canvas) {
  guard let box = layout.side else { return }
  guard let row = state.row(state.list.cursor) else { return canvas.outline(box, noFile) }
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
  // Beside the file's type, that there is nothing to show says nothing.
  guard let preview = state.previewed.preview, preview != .opaque, rest.count > 3 else { return }
  canvas.put(preview, as: .heading, rows: rest, columns: columns)
}

private func paintTooSmall(_ state: AppState, on canvas: inout Canvas) {
  let (size, least) = (canvas.size, Layout.smallest)
  let totals = state.queue.totals
  let lines = [
    "window too small",
    "\(size.width)x\(size.height), needs \(least.width)x\(least.height)",
    totals.active > 0
      ? "\(HumanReadable.count(totals.active, "upload")) going on"
      : totals.busy > 0
        ? "\(HumanReadable.count(totals.busy, "file")) waiting" : "nothing is being sent",
  ]
  let top = max(0, (size.height - lines.count) / 2)
  for (index, text) in lines.enumerated() {
    canvas.put(
      text, row: top + index, column: max(0, (size.width - text.count) / 2), style: Style(.plain))
  }
}

extension AppState {
  /// A key and its action, for an edge of a box.
  func hint(_ name: Action.Name, _ words: String) -> Canvas.Spans {
    let key = keyLabel(name, in: pane.mode)
    return key.isEmpty ? [] : [(key, .accent), (" \(words)", .dim)]
  }
}
