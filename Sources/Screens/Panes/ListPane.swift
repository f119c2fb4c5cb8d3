import UploadModel

/// A pane that lists rows in columns: the server's files, the history, the targets, the log.
struct ListPane<Row> {
  /// A column: its heading, its place, counted from the list's first column, and the text that it shows for a row.
  struct Column {
    var heading = ""
    var place: Range<Int>
    var isRight = false
    var role: (Row) -> Role = { _ in .plain }
    /// Finds the parts of the texts to highlight.
    var matcher: Matcher?
    var text: (Row) -> String
  }

  let layout: Layout
  let list: ListSummary
  /// The visible row with this number.
  let row: (Int) -> Row?
  var isMarked: (Row) -> Bool = { _ in false }
  /// The message in place of the rows; nil if there are rows.
  let message: [String]?
  let columns: [Column]
  /// What a filter looks at.
  var content = "name"

  func paint(on canvas: inout Canvas) {
    if let message { return paintWords(message, in: layout, on: &canvas) }
    if let line = layout.headings {
      for column in columns {
        paint(column.heading, in: column, line: line, style: Style(.heading), on: &canvas)
      }
    }
    guard list.count > 0 else {
      return paintWords(filteredOut(list.filter, finding: content), in: layout, on: &canvas)
    }
    let visible = list.window.visible(of: list.count, height: layout.rows.count)
    for (line, index) in zip(layout.rows, visible) {
      guard let row = row(index) else { continue }
      let ground = canvas.row(
        line, columns: layout.list, isSelected: index == list.cursor, isMarked: isMarked(row))
      for column in columns {
        paint(
          column.text(row), in: column, line: line, style: Style(column.role(row), on: ground),
          lighting: column.matcher, on: &canvas)
      }
    }
  }

  private func paint(
    _ text: String, in column: Column, line: Int, style: Style, lighting matcher: Matcher? = nil,
    on canvas: inout Canvas
  ) {
    guard column.place.count > 0 else { return }
    let start = layout.list.lowerBound
    let columns = start + column.place.lowerBound..<start + column.place.upperBound
    guard column.isRight else {
      return canvas.putMiddle(text, row: line, columns: columns, style: style, lighting: matcher)
    }
    let text = TextFitting.middle(text, to: columns.count, ascii: canvas.ascii)
    canvas.putRight(text, row: line, columns: columns, style: style)
  }
}

extension ListPane<SessionLog.Line> {
  /// The pane of the session's log.
  init(log state: AppState, layout: Layout, width: Int) {
    self.init(
      layout: layout, list: state.shown, row: state.log.row,
      message: state.log.lines.isEmpty ? ["Nothing has happened yet."] : nil,
      columns: [
        Column(place: 2..<10, role: { _ in .dim }) { state.clock($0.at) },
        Column(place: 11..<max(12, width - 1), role: \.role, matcher: state.litMatcher) { $0.text },
      ], content: "line")
  }
}

/// The message of a list whose filter hides all rows, and looks at targets as well if there are several. `count` is how
/// many rows it hides, if that is known.
func filteredOut(
  _ filter: String, of count: Int? = nil, finding content: String = "name", hasTargets: Bool = false
) -> [String] {
  let places = hasTargets ? "name or target" : content
  return [
    RowFilter(filter).hasKinds
      ? "Nothing matches \"\(filter)\"." : "No \(places) contains \"\(filter)\".",
    "Esc shows all\(count.map { " \(HumanReadable.grouped($0)) files" } ?? "") again.",
  ]
}

/// Paints a message in the middle of a pane without rows, or at its top, if something lies over the rest.
func paintWords(
  _ lines: [String], in layout: Layout, isCovered: Bool = false, on canvas: inout Canvas
) {
  let width = max(2, layout.list.count - 4)
  let pieces = lines.flatMap { TextFitting.wrapped(Glyphs.of($0, ascii: canvas.ascii), to: width) }
  let above = isCovered ? 0 : max(0, layout.rows.count - pieces.count) / 2
  let top = layout.rows.lowerBound + above
  for (index, piece) in pieces.prefix(layout.rows.count).enumerated() {
    let column = layout.list.lowerBound + max(0, (layout.list.count - Glyphs.width(piece)) / 2)
    canvas.put(piece, row: top + index, column: column, style: Style(index == 0 ? .plain : .dim))
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
    return server.listing.words(asked: "Asking the server…", none: "The server has no files.")
  }

  /// The message in place of the history; nil if there is a history.
  var historyWords: [String]? {
    let filter = history.list.filter
    if case .rows = history.listing, !filter.isEmpty, history.list.count(in: history.rows) == 0 {
      return filteredOut(filter, hasTargets: true)
    }
    return history.listing.words(asked: "Reading the history…", none: "Nothing has been sent yet.")
  }
}
