/// What frames the panes: the header and the tabs above them, totals and hints below.
struct HeaderAndFooter {
  let state: AppState
  let layout: Layout

  func paint(on canvas: inout Canvas) {
    Header(state: state).paint(on: &canvas)
    let tabs = Tabs(state, width: layout.listWidth)
    canvas.rule(row: 1, title(width: layout.listWidth), end: tabs.start)
    tabs.paint(on: &canvas)
    if let row = layout.rule { canvas.rule(row: row) }
    if let row = layout.notice, let notice = state.notice {
      canvas.put(notice, row: row, column: 1, width: canvas.size.width - 2, style: Style(.dim))
    }
    TotalLine(state: state).paint(row: layout.total, on: &canvas)
    paintFooter(on: &canvas)
  }

  private func title(width: Int) -> Canvas.Spans {
    let list = state.shown
    var spans: Canvas.Spans
    switch state.pane {
    case .queue: spans = [("Queue \(state.queue.count)", .heading)]
    case .server: spans = [("Server", .heading), (count(state.server.rows.count), .dim)]
    case .history: spans = [("History", .heading), (count(state.history.rows.count), .dim)]
    case .log: spans = [("Log", .heading)]
    }
    // What an action would apply to comes first: if there is no room, the rest is cut.
    if list.isMarkingRange { spans.append((" · marking", .accent)) }
    if list.marked > 0 { spans.append((" · \(list.marked) marked", .accent)) }
    if !list.filter.isEmpty {
      spans.append((" · \(list.count) with \"\(list.filter)\"", .accent))
    }
    guard state.pane == .queue else { return spans }
    if state.isFollowing { spans.append((" · following", .accent)) }
    guard width < TotalLine.narrow else { return spans }
    let used = spans.reduce(4) { $0 + $1.text.count }
    return spans
      + TotalLine(state: state).counts(fitting: width - used, gap: 3)
      .map { (" · \($0.text)", $0.role) }
  }

  private func count(_ number: Int) -> String { number > 0 ? " \(number)" : "" }

  private func paintFooter(on canvas: inout Canvas) {
    if FooterPrompt(state: state, row: layout.footer).paint(on: &canvas) { return }
    if let message = state.message {
      canvas.put(
        message, row: layout.footer, column: 1, width: canvas.size.width - 2,
        style: Style(.warning))
    } else {
      Footer(state, width: canvas.size.width).paint(row: layout.footer, on: &canvas)
    }
  }
}
