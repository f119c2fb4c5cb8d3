import UploadModel

/// What the panes beside the queue have in common: rows of cells in columns.
private struct Rows {
  /// A cell: where it stands, what it says.
  struct Cell {
    var columns: Range<Int>
    var text: String
    var role: Role
    var isRight = false
  }

  let layout: Layout
  let list: ListGlance

  func paint(
    on canvas: inout Canvas, isMarked: (Int) -> Bool = { _ in false }, _ cells: (Int) -> [Cell]
  ) {
    let first = ListState.firstRow(
      scroll: list.scroll, cursor: list.cursor, count: list.count, height: layout.rows.count)
    for (line, index) in zip(layout.rows, first..<list.count) {
      let isSelected = index == list.cursor
      if isSelected { canvas.select(row: line) }
      if isMarked(index) { canvas.mark(row: line, isSelected: isSelected) }
      for cell in cells(index) { paint(cell, line: line, isSelected: isSelected, on: &canvas) }
    }
  }

  func headings(_ cells: [Cell], on canvas: inout Canvas) {
    guard let row = layout.headings else { return }
    for cell in cells { paint(cell, line: row, isSelected: false, on: &canvas) }
  }

  private func paint(_ cell: Cell, line: Int, isSelected: Bool, on canvas: inout Canvas) {
    guard cell.columns.count > 0 else { return }
    let style = Style(cell.role, isSelected: isSelected)
    let glyphs = Cutting.middle(
      Glyphs.of(cell.text, ascii: canvas.ascii), to: cell.columns.count, ascii: canvas.ascii)
    let column =
      cell.isRight ? cell.columns.upperBound - Glyphs.width(glyphs) : cell.columns.lowerBound
    canvas.put(glyphs, row: line, column: column, width: cell.columns.count, style: style)
  }
}

extension PaneList {
  /// Paints the rows that are seen, or says that the filter leaves none.
  fileprivate func paint(_ view: Rows, on canvas: inout Canvas, _ cells: (Row) -> [Rows.Cell]) {
    guard view.list.count > 0 else {
      return paintWords(filteredOut(view.list.filter), in: view.layout, on: &canvas)
    }
    view.paint(
      on: &canvas, isMarked: { row($0).map { list.marks.contains($0.id) } == true },
      { row($0).map(cells) ?? [] })
  }
}

/// What a list says in place of rows that a filter hides.
func filteredOut(_ filter: String) -> [String] {
  ["No name holds \"\(filter)\".", "Esc shows all again."]
}

/// Words in the middle of a pane that has no rows.
func paintWords(_ lines: [String], in layout: Layout, on canvas: inout Canvas) {
  var pieces: [ArraySlice<Glyph>] = []
  for line in lines {
    pieces += Cutting.wrapped(
      Glyphs.of(line, ascii: canvas.ascii), to: max(2, canvas.size.width - 4))
  }
  let top = layout.rows.lowerBound + max(0, layout.rows.count - pieces.count) / 2
  for (index, piece) in pieces.prefix(layout.rows.count).enumerated() {
    let column = max(0, (canvas.size.width - Glyphs.width(piece)) / 2)
    canvas.put(
      piece, row: top + index, column: column, style: Style(index == 0 ? .plain : .dim))
  }
}

extension AppState {
  /// What is to be read in place of the server's files; nil where there are some.
  var serverWords: [String]? {
    guard options.listsServer else {
      return [
        "\(target) cannot say what is on the server.",
        "A target with a list URL can: see config/config.toml.",
      ]
    }
    return switch server.listing {
    case .unknown, .asked: ["Asking the server…"]
    case .failed(let why): [why]
    case .rows(let rows): rows.isEmpty ? ["Nothing is on the server."] : nil
    }
  }

  /// What is to be read in place of the history; nil where there is some.
  var historyWords: [String]? {
    switch history.listing {
    case .unknown, .asked: ["Looking it up…"]
    case .failed(let why): [why]
    case .rows(let rows): rows.isEmpty ? ["Nothing has been sent yet."] : nil
    }
  }
}

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
    let view = Rows(layout: layout, list: state.shown)
    view.headings(
      [
        Rows.Cell(columns: name, text: "NAME", role: .heading),
        Rows.Cell(columns: size, text: "SIZE", role: .heading, isRight: true),
        Rows.Cell(columns: time, text: "STORED", role: .heading),
      ], on: &canvas)
    state.server.paint(view, on: &canvas) { row in
      [
        Rows.Cell(columns: name, text: row.name, role: .plain),
        Rows.Cell(
          columns: size, text: row.size.map(Wording.bytes) ?? "—", role: .plain, isRight: true),
        Rows.Cell(columns: time, text: row.time ?? "", role: .dim),
      ]
    }
  }
}

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
    let outcome = takeLast(width >= 76 ? 22 : 14, from: 0)
    let time = takeLast(16, from: 70)
    let target = takeLast(12, from: 100)
    let size = takeLast(7, from: 50)
    let name = 4..<max(5, end)
    let view = Rows(layout: layout, list: state.shown)
    view.headings(
      [
        Rows.Cell(columns: name, text: "NAME", role: .heading),
        Rows.Cell(columns: size, text: "SIZE", role: .heading, isRight: true),
        Rows.Cell(columns: target, text: "TARGET", role: .heading),
        Rows.Cell(columns: time, text: "WHEN", role: .heading),
        Rows.Cell(columns: outcome, text: "OUTCOME", role: .heading),
      ], on: &canvas)
    state.history.paint(view, on: &canvas) { row in
      let sign =
        switch row.end {
        case .sent: state.isASCII ? "+" : "✓"
        case .failed: state.isASCII ? "x" : "✗"
        case .open: ""
        }
      let role = row.end.role
      return [
        Rows.Cell(columns: 2..<3, text: sign, role: role),
        Rows.Cell(columns: name, text: row.name, role: .plain),
        Rows.Cell(columns: size, text: Wording.bytes(row.size), role: .plain, isRight: true),
        Rows.Cell(columns: target, text: row.target, role: .dim),
        Rows.Cell(columns: time, text: row.time, role: .dim),
        Rows.Cell(columns: outcome, text: row.outcome, role: role),
      ]
    }
  }
}

/// What happened in this session.
struct LogPane {
  private let state: AppState
  private let layout: Layout

  init(_ state: AppState, layout: Layout) {
    (self.state, self.layout) = (state, layout)
  }

  func paint(on canvas: inout Canvas) {
    let lines = state.log.lines
    guard !lines.isEmpty else {
      return paintWords(["Nothing has happened yet."], in: layout, on: &canvas)
    }
    let view = Rows(layout: layout, list: state.shown)
    let width = canvas.size.width
    view.paint(on: &canvas) { index in
      [
        Rows.Cell(columns: 2..<10, text: state.clock(lines[index].at), role: .dim),
        Rows.Cell(
          columns: 11..<max(12, width - 1), text: lines[index].text, role: lines[index].role),
      ]
    }
  }
}
