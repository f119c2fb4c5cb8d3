import ScalarText
import UploadModel

/// What frames the queue: the header above it, totals and hints below.
struct HeaderAndFooter {
  let state: AppState
  let layout: Layout
  private var totals: Totals { state.queue.totals }

  init(_ state: AppState, layout: Layout) {
    self.state = state
    self.layout = layout
  }

  func paint(on canvas: inout Canvas) {
    paintHeader(on: &canvas)
    let tabs = Tabs(state, width: canvas.size.width)
    canvas.rule(row: 1, title(width: canvas.size.width), end: tabs.start)
    tabs.paint(on: &canvas)
    if let row = layout.rule { canvas.rule(row: row) }
    if let row = layout.notice, let notice = state.notice {
      canvas.put(notice, row: row, column: 1, width: canvas.size.width - 2, style: Style(.dim))
    }
    paintTotal(on: &canvas)
    paintFooter(on: &canvas)
  }

  /// Below this the numbers move from the last lines into the title.
  private static let narrow = 76

  private func paintHeader(on canvas: inout Canvas) {
    var right: Canvas.Spans = []
    if totals.awaitsReplies {
      right = [(replies, .accent)]
    } else if totals.active > 0 {
      let speed = state.speeds.totalSpeed(at: state.now).map(HumanReadable.speed) ?? "—"
      right = [("\(totals.active) active  ", .plain), ("▲ \(speed)", .accent)]
    } else if totals.busy > 0 {
      right = [("waiting", .plain)]
    }
    if let next = state.nextProbe {
      // Files of another target may be the ones that wait.
      let server =
        AppState.lies(state.url, on: next.server)
        ? "no server"
        : next.server.split(scalar: "/", omittingEmptySubsequences: true).last.map { "no \($0)" }
          ?? "no server"
      right =
        [("\(server) · \(next.outage.words(at: state.now))", .warning)]
        + (totals.active > 0 ? [("  ", .plain)] + right : [])
    }
    if !state.isStarted { right = [("stopped  ", .warning)] + right }
    if let limit = state.rateLimit {
      right.append(("  limit \(HumanReadable.speed(Double(limit)))", .warning))
    }
    let width = right.reduce(0) { $0 + $1.text.count }
    let room = canvas.size.width - width - 3
    var left: Canvas.Spans = [("hoist", .heading), (" · ", .rule), (state.target, .plain)]
    // A target without a name is called by its address, and an arrow to three letters says nothing.
    if state.target != state.url,
      Glyphs.width(Glyphs.of(state.target, ascii: canvas.ascii)) + 22 < room
    {
      left += [(" → ", .rule), (state.url, .dim)]
    }
    canvas.put(left, row: 0, column: 1, width: room)
    canvas.put(right, row: 0, column: canvas.size.width - width - 1)
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
    // What an action would go for comes first: where there is no room, the rest is cut.
    if list.isMarkingRange { spans.append((" · marking", .accent)) }
    if list.marked > 0 { spans.append((" · \(list.marked) marked", .accent)) }
    if !list.filter.isEmpty {
      spans.append((" · \(list.count) with \"\(list.filter)\"", .accent))
    }
    guard state.pane == .queue else { return spans }
    if state.leavesWhenDone { spans.append((" · quits when done", .warning)) }
    guard width < Self.narrow else { return spans }
    let used = spans.reduce(4) { $0 + $1.text.count }
    return spans + counts(fitting: width - used, gap: 3).map { (" · \($0.text)", $0.role) }
  }

  private func count(_ number: Int) -> String { number > 0 ? " \(number)" : "" }

  /// How many items are in which state, as far as there is room: what failed comes before all else.
  private func counts(fitting width: Int, gap: Int) -> Canvas.Spans {
    let byImportance: [(rank: Int, count: Int, word: String, role: Role)] = [
      (1, totals.failed, "failed", .bad), (2, totals.unknown, "unknown", .warning),
      (0, totals.done, "ok", .good), (5, totals.waiting, "waiting", .dim),
      (4, totals.retrying, "retrying", .warning), (3, totals.paused, "paused", .warning),
    ]
    var room = width
    return byImportance.filter { entry in
      let needed = "\(entry.count) \(entry.word)".count + gap
      guard entry.count > 0, needed <= room else { return false }
      room -= needed
      return true
    }
    .sorted { $0.rank < $1.rank }
    .map { ("\($0.count) \($0.word)", $0.role) }
  }

  private func paintTotal(on canvas: inout Canvas) {
    guard totals.all > 0 else { return }
    let (row, width) = (layout.total, canvas.size.width)
    let isNarrow = width < Self.narrow
    let barWidth = isNarrow ? 6 : 16
    canvas.bar(totals.bar, row: row, columns: 1..<1 + barWidth)
    var used = 2 + barWidth
    used += canvas.put(
      " \(progress)", row: row, column: used - 1, width: width - used, style: Style(.plain))
    guard !isNarrow else { return }
    let spans = counts(fitting: width - used - 2, gap: 2).flatMap { [$0, ("  ", .plain)] }
      .dropLast()
    let length = spans.reduce(0) { $0 + $1.text.count }
    canvas.put(Array(spans), row: row, column: width - length - 1)
  }

  var progress: String {
    guard totals.busy > 0 else { return result }
    let (done, all) = share
    let part = totals.bytes > 0 ? Self.part(done, of: all) : "\(done) of \(all) files"
    let far = "\(percent)%  \(part)"
    if totals.awaitsReplies { return "\(far)  \(replies)" }
    // Nobody knows when what is stopped goes on, nor how long a server thinks about empty files.
    if !state.isStarted && totals.active == 0 || totals.bytesToGo == 0 { return far }
    let eta = state.speeds.totalETA(remaining: totals.bytesToGo, at: state.now)
    return "\(far)  ETA \(eta.map(HumanReadable.timeLeft) ?? "—")"
  }

  /// What arrived, once nothing more will by itself, and how fast that was.
  private var result: String {
    let isWhole = totals.arrivedBytes == totals.bytes
    let far =
      isWhole
      ? HumanReadable.bytes(totals.bytes)
      : "\(Self.part(totals.arrivedBytes, of: totals.bytes)) arrived"
    // Rows that were cleared took their bytes along, and not their time.
    let session = state.speeds.session
    guard totals.paused == 0, totals.arrivedBytes > 0, session.bytes == totals.arrivedBytes,
      let speed = session.speed
    else { return far }
    return "\(far) in \(HumanReadable.clock(session.seconds)), \(HumanReadable.speed(speed))"
  }

  private var replies: String {
    "awaiting \(totals.awaiting) \(totals.awaiting == 1 ? "reply" : "replies")"
  }

  /// How much of how much has been handed over: bytes, or files where those that are there are empty.
  private var share: (done: Int64, all: Int64) {
    totals.bytes > 0
      ? (totals.arrivedBytes &+ totals.movingBytes, totals.bytes)
      : (Int64(totals.done), Int64(totals.all))
  }

  /// 100 only when nothing is left to do, replies included.
  private var percent: Int {
    let (done, all) = share
    let percent = HumanReadable.percent(done, of: all)
    return totals.busy > 0 ? min(99, percent) : percent
  }

  /// "1.2 of 2.7 GB", "812 kB of 2.7 GB".
  static func part(_ some: Int64, of all: Int64) -> String {
    let (a, b) = (HumanReadable.bytes(some), HumanReadable.bytes(all))
    let (x, y) = (a.split(separator: " "), b.split(separator: " "))
    return x.last == y.last ? "\(x[0]) of \(b)" : "\(a) of \(b)"
  }

  /// What `state` would have the terminal's window called.
  var windowTitle: String {
    let name = "hoist · \(state.target)"
    let title = totals.busy > 0 ? "\(percent)% \(name)" : name
    return Glyphs.of(title, ascii: state.isASCII).map(\.text).joined()
  }

  /// How far everything is, while something is being sent.
  var progressOfAll: Frame.Progress? {
    totals.busy > 0
      ? Frame.Progress(percent: percent, hasFailures: totals.failed + totals.unknown > 0) : nil
  }

  private func paintFooter(on canvas: inout Canvas) {
    if FooterPrompt(state, row: layout.footer).paint(on: &canvas) { return }
    if let message = state.message {
      canvas.put(
        message, row: layout.footer, column: 1, width: canvas.size.width - 2,
        style: Style(.warning))
      return
    }
    let hints = Action.inMode(state.mode).filter { $0.hint != nil && !label($0).isEmpty }
    let last = hints.filter { $0.name == .help || $0.name == .quit }
    let end = canvas.size.width - 1
    let lastWidth = last.reduce(0) { $0 + width(of: $1) + 2 }
    var column = 1
    for hint in hints where hint.name != .help && hint.name != .quit {
      if column + width(of: hint) + lastWidth > end { break }
      column += put(hint, column: column, on: &canvas) + 2
    }
    column = max(column, end - lastWidth + 2)
    for hint in last { column += put(hint, column: column, on: &canvas) + 2 }
  }

  private func width(of action: Action) -> Int {
    label(action).count + 1 + (action.hint ?? "").count
  }

  private func label(_ action: Action) -> String {
    state.keymap.label(action, ascii: state.isASCII)
  }

  private func put(_ action: Action, column: Int, on canvas: inout Canvas) -> Int {
    canvas.put(
      [(label(action), .accent), (" \(action.hint ?? "")", .dim)], row: layout.footer,
      column: column)
  }
}
