import UploadModel

/// The screen for `state`, in `size` cells. Only what is visible is examined, so a frame costs the
/// same whether three items are queued or a hundred thousand.
package func render(_ state: AppState, size: Size) -> Frame {
  let layout = state.layout(in: size)
  var canvas = Canvas(size: size, ascii: state.isASCII, theme: state.options.theme)
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
    SidePane(state: state, layout: layout).paint(on: &canvas)
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
  return canvas.frame
}

private func paintDetails(of state: AppState, layout: Layout, on canvas: inout Canvas) {
  guard let box = layout.details else { return }
  guard let selected = state.row(state.list.cursor) else { return canvas.outline(box) }
  let name = TextFitting.middle(
    selected.item.fileName, to: canvas.size.width / 2, ascii: canvas.ascii)
  canvas.outline(box, [(name, .heading)], keys: state.hint(.details, "show all"))
  let width = max(2, box.innerColumns.count - 2)
  let lines = ItemDetails(row: selected, state: state).summary(width: width)
  for (line, text) in zip(box.innerRows, lines) {
    canvas.put(text, row: line, columns: box.innerColumns.dropFirst())
  }
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
