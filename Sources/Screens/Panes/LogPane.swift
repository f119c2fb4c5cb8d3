/// The pane of the session's log.
struct LogPane {
  let state: AppState
  let layout: Layout

  func paint(on canvas: inout Canvas) {
    let lines = state.log.lines
    guard !lines.isEmpty else {
      return paintWords(["Nothing has happened yet."], in: layout, on: &canvas)
    }
    let table = PaneTable(layout: layout, list: state.shown)
    let width = layout.list.count
    table.paint(on: &canvas) { index in
      [
        PaneTable.Cell(columns: 2..<10, text: state.clock(lines[index].at), role: .dim),
        PaneTable.Cell(
          columns: 11..<max(12, width - 1), text: lines[index].text, role: lines[index].role),
      ]
    }
  }
}
