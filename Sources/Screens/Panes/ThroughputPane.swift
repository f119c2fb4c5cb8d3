import UploadModel

/// The recent speed of all uploads together, and the latest events, below the list on a tall screen.
struct ThroughputPane {
  let state: AppState
  let layout: Layout

  /// Columns for the numbers of the axis.
  private static let labels = 10

  func paint(on canvas: inout Canvas) {
    guard let lines = layout.throughput, lines.count >= 3 else { return }
    canvas.rule(row: lines.lowerBound, [("Throughput", .heading)])
    paintGraph(lines.dropFirst(), on: &canvas)
    guard let columns = layout.events else { return }
    let meetsRule = layout.rule == lines.upperBound
    canvas.rule(
      column: columns.lowerBound - 1,
      rows: lines.lowerBound..<lines.upperBound + (meetsRule ? 1 : 0),
      top: layout.side == nil ? "┬" : "┼", bottom: meetsRule ? "┴" : "│")
    paintEvents(lines, columns, on: &canvas)
  }

  private func paintGraph(_ lines: Range<Int>, on canvas: inout Canvas) {
    let end = (layout.events?.lowerBound ?? canvas.size.width) - 2
    let start = Self.labels + 1
    let (width, height) = (end - start, lines.count - 1)
    guard width > 0, height > 0 else { return }
    let values = state.speeds.whole.values(width * ThroughputGraph.seconds, at: state.now)
    let graph = ThroughputGraph(values)
    canvas.putRight(
      HumanReadable.speed(Double(graph.scale)), row: lines.lowerBound, end: Self.labels,
      width: Self.labels,
      style: Style(.dim))
    canvas.putRight(
      "0", row: lines.upperBound - 2, end: Self.labels, width: Self.labels, style: Style(.dim))
    for (row, glyphs) in zip(lines, graph.rows(width: width, height: height, ascii: canvas.ascii)) {
      canvas.put(glyphs, row: row, column: start, style: Style(.accent))
    }
    // The axis: a mark for each minute, as long as they do not touch each other.
    let axis = lines.upperBound - 1
    canvas.putRight("now", row: axis, end: end, width: 3, style: Style(.dim))
    let step = 60 / ThroughputGraph.seconds
    var minute = 1
    while minute * step < width - 4 {
      let label = "-\(minute) min"
      canvas.put(label, row: axis, column: end - minute * step, width: step - 1, style: Style(.dim))
      minute += 1
    }
  }

  private func paintEvents(_ lines: Range<Int>, _ columns: Range<Int>, on canvas: inout Canvas) {
    canvas.put([(" Just now ", .heading)], row: lines.lowerBound, column: columns.lowerBound + 1)
    let events = state.log.lines.suffix(lines.count - 1)
    for (row, event) in zip(lines.dropFirst(), events) {
      let time = state.clock(event.at)
      canvas.put(time, row: row, column: columns.lowerBound + 1, style: Style(.dim))
      let start = columns.lowerBound + 2 + time.count
      canvas.putMiddle(
        event.text, row: row, columns: start..<max(start + 1, columns.upperBound - 1),
        style: Style(event.role))
    }
  }
}
