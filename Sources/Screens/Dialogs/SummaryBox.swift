import Scheduling
import UploadModel

/// The box over the lower end of the queue that says how the queue ended, and what can be done next.
struct SummaryBox {
  let summary: EndSummary
  let state: AppState
  let layout: Layout

  /// Without reasons, and without the line about credentials.
  private static let least = 4
  /// The most columns that the box takes for reasons.
  private static let mostWidth = 110
  /// How many rows of the queue stay in sight above the box: the first problem and the one before it.
  private static let leastRows = 2

  func paint(on canvas: inout Canvas) {
    // On a small screen the rows matter more than this box, and the line of totals says the same.
    guard layout.rows.count >= 2 * Self.least else { return }
    // The box gets wider for what the servers said, since that is what the user needs to know.
    let wait = wait.map { [[($0, Role.warning)]] } ?? []
    let room = max(0, layout.rows.count - Self.least - wait.count - Self.leastRows)
    let longest =
      lines(fitting: room)
      .map { Glyphs.width(Glyphs.of($0, ascii: canvas.ascii)) + 4 }.max() ?? 0
    let width = min(max(72, min(longest, Self.mostWidth)), layout.list.count - 2)
    let left = layout.list.lowerBound + (layout.list.count - width) / 2
    let reasons = reasons(fitting: room, width - 4)
    let offers = offers(fitting: width - 4)
    // Nothing may have ended yet but what waits.
    let above = wait + (summary.counts.over > 0 ? [counts(fitting: width - 4)] : [])
    let height = above.count + reasons.count + (offers.isEmpty ? 2 : 3)
    let top = layout.rows.upperBound - height
    canvas.box(
      row: top, columns: left..<left + width, height: height, title: title(fitting: width),
      within: layout.list, isDimming: false)
    for (index, line) in reasons.enumerated() {
      canvas.put(line, row: top + 1 + above.count + index, column: left + 2, style: Style(.dim))
    }
    for (index, spans) in above.enumerated() {
      canvas.put(spans, row: top + 1 + index, column: left + 2, width: width - 4)
    }
    canvas.put(offers, row: top + height - 2, column: left + 2, width: width - 4)
  }

  private func title(fitting width: Int) -> String {
    guard summary.troubles.isEmpty else { return "Nothing more can be sent" }
    let end = summary.problems > 0 ? "Done, with problems" : "All done"
    let result = TotalLine(state: state).progress(fitting: width - end.count - 9)
    return "\(end) · \(result)"
  }

  /// Why what is left cannot be sent; nil if nothing is left.
  private var wait: String? {
    guard let (name, trouble) = summary.troubles.min(by: { $0.key < $1.key }) else { return nil }
    let count = summary.counts.busy
    let files = "\(HumanReadable.count(count, "file")) \(count == 1 ? "waits" : "wait")"
    let others = summary.troubles.count - 1
    let more = others > 0 ? ", and \(HumanReadable.count(others, "more target"))" : ""
    return "\(trouble.story(of: name))\(more) (\(files))"
  }

  /// A line for each reason and, if there is no room for all, one that says how many more there are.
  private func lines(fitting room: Int) -> [String] {
    let all = summary.lines
    guard room > 0, all.count > room else { return Array(all.prefix(room)) }
    let shown = all.prefix(room - 1)
    let key = state.keyLabel(.failures)
    let rest = "and \(HumanReadable.count(all.count - shown.count, "more reason"))"
    // `E` also has the doubtful files of earlier sessions, so its number of reasons may be larger.
    return shown + [key.isEmpty ? rest : "\(rest) · \(key) shows all"]
  }

  /// These lines, of which those that need it and find room take two.
  private func reasons(fitting room: Int, _ width: Int) -> [ArraySlice<Glyph>] {
    let shown = lines(fitting: room)
    var spare = room - shown.count
    return shown.flatMap { line in
      let lines = TextFitting.wrapped(
        Glyphs.of(line, ascii: state.isASCII), to: width, lines: spare > 0 ? 2 : 1,
        ascii: state.isASCII)
      spare -= lines.count - 1
      return lines
    }
  }

  /// How many files ended in which way, in words that fit.
  private func counts(fitting width: Int) -> Canvas.Spans {
    let counts = summary.counts
    let all: [(count: Int, sign: Unicode.Scalar, words: String, short: String, role: Role)] = [
      (SendingCounts(counts).sent, "✓", "sent", "sent", .good),
      (counts.there, "✓", "there already", "there", .good),
      (counts.skipped, "·", "skipped", "skipped", .dim),
      (counts.failed, "✗", "failed", "failed", .bad),
      (counts.unknown, "?", "may have arrived", "unknown", .warning),
      (counts.doubtful, "!", "doubtful", "doubtful", .warning),
    ]
    let forms = [(isShort: false, gap: 4), (false, 2), (true, 2)].map { isShort, gap in
      let parts = all.filter { $0.count > 0 }.map { part -> Canvas.Spans in
        let sign = Glyph(sign: part.sign, ascii: state.isASCII).text
        return [
          (
            "\(sign) \(HumanReadable.grouped(part.count)) \(isShort ? part.short : part.words)",
            part.role
          )
        ]
      }
      let blank = String(repeating: " ", count: gap)
      return Canvas.Spans(parts.joined(separator: [(blank, .plain)]))
    }
    return forms.first { $0.reduce(0) { $0 + $1.text.count } <= width } ?? forms[2]
  }

  private func offers(fitting width: Int) -> Canvas.Spans {
    func offer(_ name: Action.Name, _ words: String) -> Canvas.Spans {
      [(state.keyLabel(name), .accent), (" \(words)", .dim)]
    }
    var offers: [Canvas.Spans] = []
    let edits = Set(summary.troubles.map(state.editing)).filter { !$0.isEmpty }
    if let keys = edits.first {
      offers.append([(keys, .accent), (" edit the target", .dim)])
      offers.append(offer(.retryAll, "retry"))
    }
    if summary.problems > 0 { offers.append(offer(.details, "next problem")) }
    if edits.isEmpty, summary.counts.failed > 0 || !summary.troubles.isEmpty {
      offers.append(offer(.retryAll, "retry"))
    }
    let copy = offers.count
    if summary.addresses > 0 {
      let words =
        summary.addresses == 1
        ? "1 address" : "\(HumanReadable.grouped(summary.addresses)) addresses"
      offers.append(offer(.copyURL, "copy \(words)"))
    }
    if summary.problems > 1 { offers.append(offer(.failures, "reasons")) }
    func all() -> Canvas.Spans { Canvas.Spans(offers.joined(separator: [("   ", .plain)])) }
    func isTooWide() -> Bool { all().reduce(0) { $0 + $1.text.count } > width }
    // Copying the addresses can wait: the other keys are about what went wrong.
    if isTooWide(), summary.addresses > 0 { offers.remove(at: copy) }
    while isTooWide(), offers.count > 2 { offers.removeLast() }
    return all()
  }
}
