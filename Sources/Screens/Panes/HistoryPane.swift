import UploadModel

/// What was sent before.
struct HistoryPane {
  private let state: AppState
  private let layout: Layout

  init(_ state: AppState, layout: Layout) {
    (self.state, self.layout) = (state, layout)
  }

  func paint(on canvas: inout Canvas) {
    guard let words = state.historyWords else { return paintRows(on: &canvas) }
    paintWords(words, in: layout, on: &canvas)
  }

  private func paintRows(on canvas: inout Canvas) {
    let width = canvas.size.width
    var end = width - 1
    func takeLast(_ count: Int, from least: Int) -> Range<Int> {
      guard width >= least else { return end..<end }
      defer { end -= count + 2 }
      return end - count..<end
    }
    // What became of it is what the pane is for: it gets the most of the room.
    let outcome = takeLast(width >= 76 ? 24 + max(0, width - 80) / 2 : 14, from: 0)
    let attempt = takeLast(3, from: 76)
    let time = takeLast(16, from: 70)
    let target = takeLast(12, from: 100)
    let size = takeLast(7, from: 50)
    let name = 4..<max(5, end)
    let table = PaneTable(layout: layout, list: state.shown)
    table.headings(
      [
        PaneTable.Cell(columns: name, text: "NAME", role: .heading),
        PaneTable.Cell(columns: size, text: "SIZE", role: .heading, isRight: true),
        PaneTable.Cell(columns: target, text: "TARGET", role: .heading),
        PaneTable.Cell(columns: time, text: "WHEN", role: .heading),
        PaneTable.Cell(columns: attempt, text: "TRY", role: .heading, isRight: true),
        PaneTable.Cell(columns: outcome, text: "OUTCOME", role: .heading),
      ], on: &canvas)
    state.history.paint(table, on: &canvas) { row in
      let sign =
        switch row.end {
        case .sent: state.isASCII ? "+" : "✓"
        case .failed: state.isASCII ? "x" : "✗"
        case .open: ""
        }
      let role = row.end.role
      return [
        PaneTable.Cell(columns: 2..<3, text: sign, role: role),
        PaneTable.Cell(columns: name, text: row.name, role: .plain),
        PaneTable.Cell(
          columns: size, text: HumanReadable.bytes(row.size), role: .plain, isRight: true),
        PaneTable.Cell(columns: target, text: row.target, role: .dim),
        PaneTable.Cell(columns: time, text: row.time, role: .dim),
        PaneTable.Cell(
          columns: attempt, text: row.attempt > 0 ? "\(row.attempt)" : "", role: .dim,
          isRight: true),
        PaneTable.Cell(columns: outcome, text: row.outcome(fitting: outcome.count), role: role),
      ]
    }
  }
}
