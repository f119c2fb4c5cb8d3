import Scheduling
import UploadModel

/// The box over the lower end of the queue that says how the queue ended, and what can be done next.
struct SummaryBox {
  let summary: EndSummary
  let state: AppState
  let layout: Layout

  /// Without reasons.
  private static let least = 4
  private static let mostReasons = 3

  func paint(on canvas: inout Canvas) {
    // On a small screen the rows matter more than this box, and the line of totals says the same.
    guard layout.rows.count >= 2 * Self.least else { return }
    let width = min(72, layout.list.count - 2)
    let left = layout.list.lowerBound + (layout.list.count - width) / 2
    let reasons = reasons(fitting: layout.rows.count / 2 - Self.least)
    let height = Self.least + reasons.count
    let top = layout.rows.upperBound - height - 1
    let end = summary.problems > 0 ? "Done, with problems" : "All done"
    canvas.box(
      row: top, column: left, size: Size(width: width, height: height),
      title: "\(end) · \(TotalLine(state: state).progress)", isDimming: false)
    for (index, spans) in ([counts(fitting: width - 4)] + reasons + [offers]).enumerated() {
      canvas.put(spans, row: top + 1 + index, column: left + 2, width: width - 4)
    }
  }

  /// A line for each of the most frequent reasons.
  private func reasons(fitting lines: Int) -> [Canvas.Spans] {
    let shown = summary.reasons.prefix(max(0, min(lines, Self.mostReasons)))
    return shown.enumerated().map { index, group in
      let more = summary.reasons.count - shown.count
      let rest = more > 0 && index == shown.count - 1 ? " and \(more) more" : ""
      return [("\(group.words)\(rest)", .dim)]
    }
  }

  /// How many files ended in which way, in words that fit.
  private func counts(fitting width: Int) -> Canvas.Spans {
    let counts = summary.counts
    let all: [(count: Int, sign: Unicode.Scalar, words: String, short: String, role: Role)] = [
      (SendingCounts(counts).sent, "✓", "sent", "sent", .good),
      (counts.there, "✓", "there already", "there", .good),
      (counts.skipped, "·", "skipped", "skipped", .dim),
      (counts.doubtful, "!", "of them doubtful", "doubtful", .warning),
      (counts.failed, "✗", "failed", "failed", .bad),
      (counts.unknown, "?", "may have arrived", "unclear", .warning),
    ]
    let forms = [(isShort: false, gap: 4), (false, 2), (true, 2)].map { isShort, gap in
      let parts = all.filter { $0.count > 0 }.map { part -> Canvas.Spans in
        let sign = Glyph(sign: part.sign, ascii: state.isASCII).text
        return [("\(sign) \(part.count) \(isShort ? part.short : part.words)", part.role)]
      }
      let blank = String(repeating: " ", count: gap)
      return Canvas.Spans(parts.joined(separator: [(blank, .plain)]))
    }
    return forms.first { $0.reduce(0) { $0 + $1.text.count } <= width } ?? forms[2]
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
    if !summary.reasons.isEmpty { offers.append(offer(.failures, "reasons")) }
    return Canvas.Spans(offers.joined(separator: [("   ", .plain)]))
  }
}
