/// The box over the lower end of the queue that says how the queue ended, and what can be done next.
struct SummaryBox {
  let summary: EndSummary
  let state: AppState
  let layout: Layout

  private static let height = 4

  func paint(on canvas: inout Canvas) {
    let width = min(72, layout.list.count - 2)
    let left = layout.list.lowerBound + (layout.list.count - width) / 2
    let top = layout.rows.upperBound - Self.height - 1
    // On a small screen the rows matter more than this box, and the line of totals says the same.
    guard layout.rows.count >= 2 * Self.height else { return }
    let end = summary.problems > 0 ? "Done, with problems" : "All done"
    canvas.box(
      row: top, column: left, size: Size(width: width, height: Self.height),
      title: "\(end) · \(TotalLine(state: state).progress)", isDimming: false)
    for (row, spans) in [(top + 1, counts), (top + 2, offers)] {
      canvas.put(spans, row: row, column: left + 2, width: width - 4)
    }
  }

  private var counts: Canvas.Spans {
    let counts = summary.counts
    let all: [(count: Int, sign: Unicode.Scalar, words: String, role: Role)] = [
      (counts.done, "✓", "sent", .good), (counts.doubtful, "!", "of them doubtful", .warning),
      (counts.failed, "✗", "failed", .bad),
      (counts.unknown, "?", "may have arrived", .warning),
    ]
    let parts = all.filter { $0.count > 0 }.map { part -> Canvas.Spans in
      let sign = Glyph(sign: part.sign, ascii: state.isASCII).text
      return [("\(sign) \(part.count) \(part.words)", part.role)]
    }
    return Canvas.Spans(parts.joined(separator: [("    ", .plain)]))
  }

  private var offers: Canvas.Spans {
    func offer(_ name: Action.Name, _ words: String) -> Canvas.Spans {
      [(state.keyLabel(name), .accent), (" \(words)", .dim)]
    }
    var offers: [Canvas.Spans] = []
    if summary.problems > 0 { offers.append(offer(.details, "next problem")) }
    if summary.counts.failed > 0 { offers.append(offer(.retryAll, "retry")) }
    if summary.addresses > 0 {
      let words = summary.addresses == 1 ? "1 address" : "\(summary.addresses) addresses"
      offers.append(offer(.copyURL, "copy \(words)"))
    }
    return Canvas.Spans(offers.joined(separator: [("   ", .plain)]))
  }
}
