import UploadModel

/// The line of totals: a bar, the progress, the time left, and how many files are in each state.
struct TotalLine {
  let state: AppState
  private var totals: Totals { state.queue.totals }

  /// Below this width, the file counts move from this line into the title of the pane.
  static let narrow = 76

  func paint(row: Int, on canvas: inout Canvas) {
    guard totals.all > 0 else { return }
    let width = canvas.size.width
    let isNarrow = width < Self.narrow
    // The bar grows with the screen, not with the words beside it, which change all the time.
    let barWidth = isNarrow ? 6 : 16 + max(0, width - 80) * 2 / 5
    canvas.bar(totals.bar, row: row, columns: 1..<1 + barWidth)
    var used = 2 + barWidth
    let (words, counts, gap) =
      isNarrow ? (progress, [], 0) : parts(fitting: width - used - 3)
    used += canvas.put(
      " \(words)", row: row, column: used - 1, width: width - used, style: Style(.plain))
    guard !isNarrow else { return }
    let blank = String(repeating: " ", count: gap)
    let spans = counts.flatMap { [$0, (blank, .plain)] }.dropLast()
    let start = width - 1 - spans.reduce(0) { $0 + $1.text.count }
    canvas.put(legend(fitting: start - used - 4), row: row, column: used + 2)
    canvas.put(Array(spans), row: row, column: start)
  }

  /// The legend of the bar's parts; empty if fewer than two are visible or there is no room. An empty file has a part,
  /// too, for its request.
  private func legend(fitting width: Int) -> Canvas.Spans {
    let parts: [(load: Workload, words: String, kind: Bar.Kind)] = [
      (totals.arrivedLoad, "arrived", .arrived), (totals.skippedLoad, "skipped", .skipped),
      (totals.keptLoad + totals.movingLoad, "in progress", .moving),
      (totals.unknownLoad, "unknown", .unknown), (totals.failedLoad, "failed", .failed),
    ]
    let seen = parts.filter { $0.load.work > 0 }
    guard seen.count > 1 else { return [] }
    let spans: Canvas.Spans = seen.flatMap { part in
      [
        (Glyph(sign: part.kind.look.sign, ascii: state.isASCII).text, part.kind.look.role),
        (" \(part.words) \(HumanReadable.bytes(part.load.bytes))  ", .dim),
      ]
    }
    return spans.reduce(0) { $0 + $1.text.count } <= width ? spans : []
  }

  /// How many items are in each state, as far as there is room: in words, or with the signs of the rows. Failures get
  /// room first.
  func counts(fitting width: Int, gap: Int, inSigns: Bool = false) -> Canvas.Spans {
    let byImportance: [(rank: Int, count: Int, sign: Unicode.Scalar, word: String, role: Role)] = [
      (2, totals.failed, "✗", "failed", .bad), (3, totals.unknown, "?", "unknown", .warning),
      (4, totals.doubtful, "!", "doubtful", .warning),
      (0, totals.done - totals.skipped - totals.doubtful, "✓", "ok", .good),
      (6, totals.retrying, "↻", "retrying", .warning), (5, totals.paused, "‖", "paused", .warning),
      (7, totals.waiting, "·", "waiting", .dim), (1, totals.skipped, "·", "skipped", .dim),
    ]
    var room = width
    return byImportance.compactMap { entry -> (rank: Int, span: Canvas.Spans.Element)? in
      // Skipped files have the sign of those that wait.
      let count = HumanReadable.grouped(entry.count)
      let text =
        inSigns && entry.word != "skipped"
        ? Glyph(sign: entry.sign, ascii: state.isASCII).text + count : "\(count) \(entry.word)"
      guard entry.count > 0, text.count + gap <= room else { return nil }
      room -= text.count + gap
      return (entry.rank, (text, entry.role))
    }
    .sorted { $0.rank < $1.rank }
    .map(\.span)
  }

  /// The overall progress, and how many files are in each state, beside each other. The counts should be there in full,
  /// so that they add up: where their words do not fit, the signs of the rows stand for them.
  private func parts(fitting width: Int) -> (progress: String, counts: Canvas.Spans, gap: Int) {
    let forms = forms
    for (inSigns, gap) in [(false, 2), (true, 2), (true, 1)] {
      let counts = counts(fitting: .max, gap: gap, inSigns: inSigns)
      let room = width - counts.reduce(0) { $0 + $1.text.count + gap }
      if let progress = forms.first(where: { $0.count <= room }) { return (progress, counts, gap) }
    }
    let progress = forms.last ?? ""
    return (progress, counts(fitting: width - progress.count, gap: 1, inSigns: true), 1)
  }

  /// The overall progress, in words that fit if there are such words.
  func progress(fitting width: Int) -> String {
    let forms = forms
    return forms.first { $0.count <= width } ?? forms.last ?? ""
  }

  /// The overall progress, in words.
  var progress: String { forms[0] }

  /// The overall progress, the fullest wording first.
  private var forms: [String] {
    guard totals.busy > 0 else { return results }
    let (done, all) = totals.share
    var part =
      totals.countsBytes
      ? HumanReadable.part(done, of: all)
      : "\(HumanReadable.grouped(Int(done))) of \(HumanReadable.grouped(Int(all))) files"
    // What has failed is a part of this.
    if let word = totals.wordOfFailures { part += " \(word)" }
    let far = "\(totals.percent)%  \(part)"
    if totals.awaitsReplies { return ["\(far)  \(state.repliesAwaited)"] }
    // There is no estimate while nothing moves, nor for empty files, which take no time to send.
    guard state.sending > 0 else {
      return ["\(far)  \(HumanReadable.count(totals.busy, "file")) left", far]
    }
    if state.bytesToGo == 0 { return [far] }
    let eta = state.speeds.totalETA(
      of: totals, isStarted: state.settings.isStarted, limit: state.settings.limit, at: state.now)
    let time = eta.map(HumanReadable.timeLeft)
    guard state.settings.isStarted else {
      return ["\(far)  \(time.map { "stops in \($0)" } ?? "stopping")"]
    }
    // The counts beside it say more than that the time is not known.
    return time.map { ["\(far)  ETA \($0)"] } ?? ["\(far)  ETA —", far]
  }

  /// How much arrived and how fast, once nothing more will arrive unless the user acts; the fullest wording first.
  private var results: [String] {
    let arrived = totals.arrivedBytes
    let isWhole = arrived == totals.bytes
    let far =
      isWhole
      ? HumanReadable.bytes(arrived) : "\(HumanReadable.part(arrived, of: totals.bytes)) arrived"
    // A part of a file has not arrived. Its row says how far it is.
    if totals.keptBytes > 0 {
      let paused = totals.paused == 1 ? "a paused file" : "paused files"
      return ["\(far) · \(HumanReadable.bytes(totals.keptBytes)) of \(paused) sent", far]
    }
    let figures = state.figures
    // They are of what was sent, until all of it is cleared. Each window decides by its own rows, since it may hear that
    // some are gone before or after the sender's figures.
    guard totals.paused == 0, totals.done > totals.doubtful, let speed = figures.speed else {
      return [far]
    }
    // Amount, time and speed describe the same files. Others, or parts of these, may have been on the server before, or
    // have left the list since.
    let amount =
      figures.bytes == totals.arrivedBytes
      ? ""
      : " · \(figures.bytes > totals.arrivedBytes ? "in all " : "")\(HumanReadable.bytes(figures.bytes)) sent"
    let time = " in \(HumanReadable.duration(figures.seconds))"
    return [far + amount + time + ", \(HumanReadable.speed(speed))", far + amount + time, far]
  }

  /// The title of the terminal's window.
  var windowTitle: String {
    let name = "hoist · \(state.target)"
    let title = totals.busy > 0 ? "\(totals.percent)% \(name)" : name
    return Glyphs.of(title, ascii: state.isASCII).map(\.text).joined()
  }

  /// The total progress, while something is being sent.
  var progressOfAll: Frame.Progress? {
    guard totals.busy > 0 else { return nil }
    return Frame.Progress(percent: totals.percent, hasFailures: totals.wordOfFailures != nil)
  }
}

extension Totals {
  /// What has been done with the bytes that count as done, in a word, if some of their files have failed; nil if none
  /// has.
  var wordOfFailures: String? {
    failed + unknown == 0 ? nil : notTried > 0 ? "handled" : "tried"
  }
}
