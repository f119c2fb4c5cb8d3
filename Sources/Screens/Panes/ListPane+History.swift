import UploadModel

extension ListPane<HistoryRow> {
  /// The pane of the history.
  init(history state: AppState, layout: Layout, width: Int) {
    var rest = ColumnsFromRight(end: width - 1)
    // Names are shown whole as long as they leave room for the longest usual outcome. The outcome gets the other
    // columns.
    let names =
      state.history.listing.rows.lazy.map {
        $0.name.unicodeScalars.reduce(0) { $0 + DisplayWidth.of($1) }
      }.max() ?? 0
    let isWide = width >= 100
    let room = width - (isWide ? 53 : 34)
    // In a narrow window, dates are short, and targets are shown in place of the attempts' numbers if there are several.
    let targets = width >= 76 ? Set(state.history.listing.rows.lazy.map(\.target)) : []
    let isShared = !isWide && targets.count > 1
    let labels = TargetLabels(Array(targets))
    // That a file may have arrived comes last in its outcome, and matters most.
    let usual = isWide ? 23 : "302 Found, may have arrived".utf8.count
    // In a wide window, targets are shown whole as long as names and outcomes have what they usually need.
    let spare = isWide ? max(0, room - max(16, names) - 40) : 0
    let wider = min(spare, max(0, labels.width(ascii: state.isASCII) - 12))
    let outcome = rest.take(
      width >= 76
        ? max(usual, room - wider - (isShared ? 5 : 0) - max(isWide ? 16 : 10, names)) : 14,
      gap: 2)
    let attempt = rest.take(3, gap: 2, if: width >= 76 && !isShared)
    let time = rest.take(isWide ? 16 : 11, gap: 2, if: width >= 65)
    let target = rest.take(isWide ? 12 + wider : 8, gap: 2, if: isWide || isShared)
    let size = rest.take(7, gap: 2, if: width >= 50)
    let name = 4..<max(5, rest.end)
    let above = state.rowsAbove(in: layout)
    func head(_ word: String, _ order: HistoryRow.Order) -> String {
      let sign = Glyph(sign: order == .time ? "▼" : "▲", ascii: state.isASCII).text
      return order == state.historyOrder ? "\(word) \(sign)" : word
    }
    self.init(
      layout: layout, list: state.shown, row: state.history.row,
      isMarked: { state.history.list.marks.contains($0.id) }, message: state.historyWords,
      columns: [
        Column(place: 2..<3, role: \.look.role) {
          $0.look.sign.map { Glyph(sign: $0, ascii: state.isASCII).text } ?? ""
        },
        Column(heading: head("NAME", .name), place: name, matcher: state.litMatcher) { $0.name },
        Column(heading: "SIZE", place: size, isRight: true) { HumanReadable.bytes($0.size) },
        Column(
          heading: "TARGET", place: target, role: { _ in .dim }, matcher: state.shown.matcher
        ) {
          labels.label($0.target)
        },
        Column(
          heading: head(isWide && state.historyOrder == .time ? "NEWEST FIRST" : "WHEN", .time),
          place: time, role: { _ in .dim }
        ) {
          // Each day is shown once, so that days stand apart.
          let above = above[$0.id]
          guard isWide else {
            let words = $0.shortTime(below: above, at: state.now)
            return String(repeating: " ", count: max(0, time.count - words.count)) + words
          }
          let day = above?.day == $0.day ? "" : $0.day
          return day + String(repeating: " ", count: max(1, time.count - day.count - 5)) + $0.clock
        },
        Column(heading: "TRY", place: attempt, isRight: true, role: { _ in .dim }) {
          $0.attempt > 0 ? "\($0.attempt)" : ""
        },
        Column(heading: head("OUTCOME", .failed), place: outcome, role: \.look.role) {
          $0.outcome(fitting: outcome.count)
        },
      ])
  }
}

extension AppState {
  /// The rows above the visible ones, as far as they are visible, too.
  fileprivate func rowsAbove(in layout: Layout) -> [String: HistoryRow] {
    let list = shown
    let visible = list.window.visible(of: list.count, height: layout.rows.count)
    let rows = visible.compactMap { history.row($0) }
    return Dictionary(zip(rows.dropFirst().map(\.id), rows)) { first, _ in first }
  }
}
