import UploadModel

/// The lines above and below the panes: the header and the tabs, the totals and the hints or the prompt.
struct HeaderAndFooter {
  let state: AppState
  let layout: Layout

  func paint(on canvas: inout Canvas) {
    Header(state: state).paint(on: &canvas)
    let width = layout.box?.columns.count ?? canvas.size.width
    let tabs = Tabs(state, width: width)
    if let box = layout.box {
      canvas.outline(
        box, title(width: width, end: tabs.start), end: tabs.start, foot: foot, position: position)
    } else {
      canvas.rule(row: 1, title(width: width, end: tabs.start), end: tabs.start)
    }
    tabs.paint(on: &canvas)
    if let row = layout.notice, let notice = state.shownNotice {
      canvas.put(
        notice, row: row, column: 1, width: canvas.size.width - 2,
        style: Style(state.isNoticeWarning ? .warning : .dim))
    }
    TotalLine(state: state).paint(row: layout.total, on: &canvas)
    let message = state.dialog == nil ? state.messageLines(in: canvas.size.width) : []
    for (index, line) in message.enumerated() {
      let row = layout.total - message.count + index
      canvas.put(line, row: row, column: 1, style: Style(.warning))
    }
    if !paintPrompt(on: &canvas) {
      Footer(state, width: canvas.size.width).paint(row: layout.footer, on: &canvas)
    }
  }

  /// Paints the message over a dialog, above the keys.
  func paintMessageOverDialog(on canvas: inout Canvas) {
    let width = canvas.size.width
    let lines = state.dialog == nil ? [] : state.messageLines(in: width)
    for (index, line) in lines.enumerated() {
      let row = layout.footer - lines.count + index
      canvas.fill(row: row, columns: 0..<width, style: Style(.plain))
      canvas.put(line, row: row, column: 1, style: Style(.warning))
    }
  }

  /// Paints the prompt in the last line, for a command or for a text to search for; returns whether there is one.
  private func paintPrompt(on canvas: inout Canvas) -> Bool {
    switch state.dialog {
    case .command(let prompt):
      paintPrompt(":", prompt.line.field, on: &canvas)
      if CommandPalette(prompt, in: state) == nil {
        paintCandidates(of: prompt.line, on: &canvas)
      }
    case .find(let prompt):
      let label = prompt.isFilter ? "filter " : "/"
      paintPrompt(label, prompt.field, on: &canvas)
      if prompt.isFilter, prompt.field.text.isEmpty {
        canvas.put(
          state.filterWords.joined(separator: "  "), row: layout.footer,
          columns: label.count + 3..<max(label.count + 3, canvas.size.width - 1), style: Style(.dim)
        )
      }
    default: return false
    }
    return true
  }

  private func paintPrompt(_ label: String, _ field: TextField, on canvas: inout Canvas) {
    let width = canvas.size.width
    canvas.fill(row: layout.footer, columns: 0..<width, style: Style(.plain))
    canvas.put(label, row: layout.footer, column: 1, style: Style(.accent))
    canvas.field(field, row: layout.footer, columns: 1 + label.count..<width - 1, role: .plain)
  }

  /// Paints the candidates for the last word of the command line in the line above it.
  private func paintCandidates(of line: LinePrompt, on canvas: inout Canvas) {
    let above = layout.footer - 1
    guard !line.candidates.isEmpty || line.hasNoMatch else { return }
    canvas.fill(row: above, columns: 0..<canvas.size.width, style: Style(.plain))
    guard !line.hasNoMatch else {
      canvas.put("nothing starts with this", row: above, column: 1, style: Style(.warning))
      return
    }
    // As many candidates as fit, from the chosen one on. Cycling comes back to the earlier ones.
    var column = 1
    for index in (line.chosen ?? 0)..<line.candidates.count where column < canvas.size.width - 1 {
      let word = LastWord(of: line.candidates[index]).text
      let role: Role = index == line.chosen ? .button : .dim
      let used = canvas.put(
        word, row: above, column: column, width: canvas.size.width - column - 1, style: Style(role))
      column += used + 2
    }
  }

  /// The title of a pane of a width, which ends before column `end`.
  private func title(width: Int, end: Int) -> Canvas.Spans {
    let list = state.shown
    var spans: Canvas.Spans
    switch state.pane {
    case .queue: spans = [("Queue \(place ?? HumanReadable.grouped(state.queue.count))", .heading)]
    case .server: spans = [("Server", .heading), (count(state.server.rows.count), .dim)]
    case .history: spans = [("History", .heading), (historyCount, .dim)]
    case .log: spans = [("Log", .heading), (count(0), .dim)]
    case .targets: spans = [("Targets", .heading), (count(state.targets.rows.count), .dim)]
    }
    // The marks, which an action would apply to, come before the other words, which are cut if there is no room.
    if list.isMarkingRange { spans.append((" · marking", .accent)) }
    if layout.box == nil, list.marked > 0 {
      spans.append((" · \(HumanReadable.grouped(list.marked)) marked", .accent))
    }
    if !list.filter.isEmpty {
      let count = HumanReadable.grouped(list.count)
      let words = " · \(count) with \"\(list.filter)\""
      let room = min(end, width - 2) - 4
      func used(_ words: String) -> Int { spans.reduce(words.count) { $0 + $1.text.count } }
      // The filter matters more than how many rows there are without it.
      if used(words) > room {
        spans = [(state.pane.title, .heading)] + spans.filter { $0.role == .accent }
      }
      let brief = " · \(count) \"\(list.filter)\""
      spans.append((used(words) > room ? brief : words, .accent))
    }
    guard state.pane == .queue else { return spans }
    let isLonger = list.count > layout.rows.count
    if state.following.isOn, isLonger, state.queue.totals.active > 0 {
      spans.append((" · following", .dim))
    }
    guard width < TotalLine.narrow else { return spans }
    // The line goes on at both ends, and in a frame to its corners.
    let used = spans.reduce(layout.box == nil ? 4 : 6) { $0 + $1.text.count }
    let counts = TotalLine(state: state).counts(fitting: width - used, gap: 3)
    return spans + counts.map { (" · \($0.text)", $0.role) }
  }

  /// "996 of 4,112", if not all of the history's files have been read.
  private var historyCount: String {
    let count = state.history.rows.count
    guard let total = state.historyExtent.total, total > count else { return self.count(count) }
    let all = HumanReadable.grouped(total)
    let isFiltered = !state.history.list.filter.isEmpty
    return isFiltered ? " \(all)" : " \(place ?? HumanReadable.grouped(count)) of \(all)"
  }

  private func count(_ number: Int) -> String {
    place.map { " \($0)" } ?? (number > 0 ? " \(HumanReadable.grouped(number))" : "")
  }

  /// The position, if it must be in the title because there is no lower edge.
  private var place: String? { layout.box != nil || position.isEmpty ? nil : position }

  /// Which row the cursor is on, if not all rows are visible; empty if they are.
  private var position: String {
    let list = state.shown
    return list.count > layout.rows.count
      ? "\(HumanReadable.grouped(list.cursor + 1))/\(HumanReadable.grouped(list.count))" : ""
  }

  /// The number and size of what is marked, for the lower edge.
  private var foot: Canvas.Spans {
    let marked = state.shown.marked
    guard marked > 0 else { return [] }
    let bytes = state.pane == .queue ? state.markedBytes : nil
    let size = bytes.map { " · \(HumanReadable.bytes($0))" } ?? ""
    return [("\(HumanReadable.grouped(marked)) marked\(size)", .accent)]
  }
}

extension AppState {
  /// The total size of the marked files; `nil` if counting would take too long, since frames are drawn often.
  fileprivate var markedBytes: Int64? {
    if marks.count == queue.count { return queue.totals.bytes }
    guard marks.count <= 500 else { return nil }
    return marks.reduce(0) { $0 + (queue.row($1)?.item.sentSize ?? 0) }
  }
}
