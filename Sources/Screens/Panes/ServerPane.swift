import UploadModel

/// What is on the server.
struct ServerPane {
  private let state: AppState
  private let layout: Layout

  init(_ state: AppState, layout: Layout) {
    (self.state, self.layout) = (state, layout)
  }

  func paint(on canvas: inout Canvas) {
    guard var words = state.serverWords else { return paintRows(on: &canvas) }
    if case .failed = state.server.listing {
      words.append("\(state.keymap.label(.refresh, in: .server, ascii: canvas.ascii)) asks again.")
    }
    paintWords(words, in: layout, on: &canvas)
  }

  private func paintRows(on canvas: inout Canvas) {
    let width = canvas.size.width
    let time = width >= 60 ? width - 21..<width - 1 : width..<width
    let size = time.lowerBound - 9..<time.lowerBound - 2
    let name = 4..<max(5, size.lowerBound - 1)
    let table = PaneTable(layout: layout, list: state.shown)
    table.headings(
      [
        PaneTable.Cell(columns: name, text: "NAME", role: .heading),
        PaneTable.Cell(columns: size, text: "SIZE", role: .heading, isRight: true),
        PaneTable.Cell(columns: time, text: "STORED", role: .heading),
      ], on: &canvas)
    state.server.paint(table, on: &canvas) { row in
      [
        PaneTable.Cell(columns: name, text: row.name, role: .plain),
        PaneTable.Cell(
          columns: size, text: row.size.map(HumanReadable.bytes) ?? "—", role: .plain, isRight: true
        ),
        PaneTable.Cell(columns: time, text: row.time ?? "", role: .dim),
      ]
    }
  }
}
