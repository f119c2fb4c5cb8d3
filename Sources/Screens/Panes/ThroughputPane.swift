import ScalarText
import UploadModel

/// The recent speed of all uploads together, and the latest events, below the list on a tall screen.
struct ThroughputPane {
  let state: AppState
  let layout: Layout

  func paint(on canvas: inout Canvas) {
    if let box = layout.throughput { paintGraph(in: box, on: &canvas) }
    if let box = layout.events { paintEvents(in: box, on: &canvas) }
  }

  private func paintGraph(in box: Layout.Box, on canvas: inout Canvas) {
    canvas.outline(box, [("Throughput", .heading)], keys: state.hint(.limit, "limit"))
    let lines = box.innerRows
    let numbers = box.innerColumns.prefix(10)
    let (start, right) = (numbers.upperBound + 1, box.innerColumns.upperBound - 1)
    let (width, height) = (right - start, lines.count - 1)
    guard width > 0, height > 0 else { return }
    let values = state.speeds.whole.values(width * ThroughputGraph.seconds, at: state.now)
    let graph = ThroughputGraph(values)
    let top = HumanReadable.speed(Double(graph.scale))
    canvas.putRight(top, row: lines.lowerBound, columns: numbers, style: Style(.dim))
    canvas.putRight("0", row: lines.upperBound - 2, columns: numbers, style: Style(.dim))
    let rows = graph.rows(width: width, height: height, ascii: canvas.ascii)
    for (index, glyphs) in rows.enumerated() {
      var style = Style(.barFull)
      // Higher cells are closer to the colour of the end of a bar.
      style.shade = UInt8((height - 1 - index) * Int(Style.shades) / max(1, height - 1))
      canvas.put(glyphs, row: lines.lowerBound + index, column: start, style: style)
    }
    // The axis has a label for each minute for which there is room. Once nothing is sent, the graph stands still.
    let axis = lines.upperBound - 1
    let end = state.queue.totals.active > 0 ? "now" : state.clock(state.now)
    canvas.putRight(end, row: axis, columns: right - end.count..<right, style: Style(.dim))
    let step = 60 / ThroughputGraph.seconds
    for distance in stride(from: step, to: width - 4, by: step) {
      let label = "-\(distance / step) min"
      canvas.put(label, row: axis, column: right - distance, width: step - 1, style: Style(.dim))
    }
  }

  private func paintEvents(in box: Layout.Box, on canvas: inout Canvas) {
    canvas.outline(box, [("Just now", .heading)], keys: state.hint(.log, "log"))
    let columns = box.innerColumns
    let events = state.log.latest.suffix(box.innerRows.count)
    let start = columns.lowerBound + 2 + state.clock(state.now).count
    var spare = box.innerRows.count - events.count
    // The latest events are the first to get a second line.
    let texts = events.reversed().map { event in
      let lines = lines(of: event, in: max(1, columns.upperBound - 1 - start), isSpare: spare > 0)
      spare -= lines.count - 1
      return lines
    }
    var row = box.innerRows.lowerBound
    for (event, lines) in zip(events, texts.reversed()) {
      let time = state.clock(event.line.at)
      canvas.put(time, row: row, column: columns.lowerBound + 1, style: Style(.dim))
      for (number, line) in lines.enumerated() {
        canvas.put(line, row: row + number, column: start, style: Style(event.line.role))
      }
      row += lines.count
    }
  }

  /// What happened, in one line, or in two if it needs them and there is a line to spare.
  private func lines(
    of event: SessionLog.Gathered, in width: Int, isSpare: Bool
  ) -> [ArraySlice<Glyph>] {
    // Names are cut before reasons, and targets before names. With a second line, a name keeps half of the first.
    func name(beside rest: [Glyph], least: Int) -> String {
      let room = max(least, width - Glyphs.width(rest))
      let fits = Glyphs.width(Glyphs.of(event.name, ascii: state.isASCII)) <= room
      return TextFitting.middle(
        fits ? event.name : event.fileName, to: room, ascii: state.isASCII)
    }
    var words = Glyphs.of(event.text, ascii: state.isASCII)
    if event.count == 1, let rest = event.text.removingPrefix(scalars: event.name) {
      let rest = Glyphs.of(String(rest), ascii: state.isASCII)
      let least = isSpare ? width / 2 : min(16, width / 3)
      words = Glyphs.of(name(beside: rest, least: least), ascii: state.isASCII) + rest
    }
    let brief = briefly(event, "").flatMap {
      briefly(event, name(beside: $0, least: min(16, width / 3)))
    }
    if let brief, Glyphs.width(words) > width, !isSpare || Glyphs.width(brief) <= width {
      words = brief
    }
    guard isSpare, Glyphs.width(words) > width else {
      // Which server it is about can be told without the scheme.
      let scheme = ["http://", "https://"].first { event.text.hasPrefix(scalars: $0) } ?? ""
      let brief = Glyphs.width(words) > width ? Array(words.dropFirst(scheme.count)) : words
      return [TextFitting.beginning(of: brief, to: width, ascii: state.isASCII)[...]]
    }
    return TextFitting.wrapped(words, to: width, lines: 2, ascii: state.isASCII)
  }

  /// How a file called `name` has ended, in few words.
  private func briefly(_ event: SessionLog.Gathered, _ name: String) -> [Glyph]? {
    event.brief(name).map { sign, words in
      (sign.map { [Glyph(sign: $0, ascii: state.isASCII)] + Glyphs.of(" ", ascii: true) } ?? [])
        + Glyphs.of(words, ascii: state.isASCII)
    }
  }
}
