import Foundation
import ScalarText
import Scheduling
import UploadModel

/// The queue: one line for each item on the screen.
struct QueuePane {
  let state: AppState
  let layout: Layout
  private let columns: Columns
  private let targets: [String: [Glyph]]
  private let matcher: Matcher

  init(_ state: AppState, layout: Layout) {
    (self.state, self.layout) = (state, layout)
    columns = state.columns(in: layout)
    matcher = state.litMatcher
    targets =
      columns.target.isEmpty
      ? [:]
      : TargetLabels(state.queue.targetNames)
        .fitting(columns.target.count, ascii: state.isASCII)
  }

  func paint(on canvas: inout Canvas) {
    if let row = layout.headings { paintHeadings(row, on: &canvas) }
    guard state.rowCount > 0 else { return paintEmpty(on: &canvas) }
    let indices = state.queueLines(layout)
    var before: [Glyph] = []
    for (position, index) in indices.enumerated() {
      guard let row = state.row(index) else { continue }
      let line = layout.rows.lowerBound + position
      if position > 0, indices[position - 1] == index {
        paintSecondLine(of: row, line: line, on: &canvas)
        continue
      }
      let isSelected = index == state.list.cursor
      before = paint(row, isSelected: isSelected, after: before, line: line, on: &canvas)
    }
    paintWhereTheRestIs(below: indices.count, on: &canvas)
  }

  /// Paints the rest of the reason why the file under the cursor failed.
  private func paintSecondLine(of row: ItemList.Row, line: Int, on canvas: inout Canvas) {
    let isMarked = state.marks.contains(row.item.id)
    let ground = canvas.row(line, columns: layout.list, isSelected: true, isMarked: isMarked)
    let label = StateLabel(of: row, in: state)
    let place = columns.words
    let rest = label.wrapped(to: place.count, ascii: canvas.ascii).dropFirst().first ?? []
    canvas.put(rest, row: line, column: place.lowerBound, style: Style(label.role, on: ground))
  }

  /// Says where to find the files that earlier sessions sent, which have left the queue.
  private func paintWhereTheRestIs(below lines: Int, on canvas: inout Canvas) {
    let line = layout.rows.lowerBound + lines + 1
    guard state.options.hasHistory, state.queue.totals.done == 0, layout.rows.contains(line) else {
      return
    }
    let place = columns.name.lowerBound..<layout.list.upperBound
    let words = "\(state.keyLabel(.history)) shows what was sent before"
    canvas.put(words, row: line, columns: place, style: Style(.dim))
  }

  private func paintHeadings(_ row: Int, on canvas: inout Canvas) {
    let style = Style(.heading)
    func head(_ word: String, _ orders: SortOrder...) -> String {
      guard let sorted = state.sortedNow, orders.contains(sorted.order) else { return word }
      let isFalling = (sorted.order == .largest) != sorted.isReversed
      return "\(word) \(Glyph(sign: isFalling ? "▼" : "▲", ascii: canvas.ascii).text)"
    }
    canvas.put(head("NAME", .name), row: row, columns: columns.name, style: style)
    // In a narrow column, the arrow has room beside the shorter word only.
    let target = head("TARGET", .target)
    canvas.put(
      Glyphs.of(target, ascii: canvas.ascii).count > columns.target.count
        ? head("TO", .target) : target, row: row, columns: columns.target, style: style)
    canvas.put(head("TYPE", .type), row: row, columns: columns.type, style: style)
    canvas.putRight(
      head("SIZE", .largest, .smallest), row: row, columns: columns.size, style: style)
    if columns.bar.isEmpty {
      canvas.putRight("%", row: row, columns: columns.percent, style: style)
    } else {
      let word = columns.bar.count < 8 ? "SENT" : "PROGRESS"
      canvas.put(word, row: row, columns: columns.bar, style: style)
    }
    canvas.put(head("STATE", .failed), row: row, columns: columns.state, style: style)
  }

  /// Paints a row, and returns the words for what it is waiting for. If `before`, which the row above returned, has the
  /// same words, they are not painted again.
  private func paint(
    _ row: ItemList.Row, isSelected: Bool, after before: [Glyph], line: Int, on canvas: inout Canvas
  ) -> [Glyph] {
    let item = row.item
    let ground = canvas.row(
      line, columns: layout.list, isSelected: isSelected, isMarked: state.marks.contains(item.id))
    func style(_ role: Role) -> Style { Style(role, on: ground) }

    let label = StateLabel(of: row, in: state)
    canvas.put(
      [label.sign(ascii: canvas.ascii)], row: line, column: layout.list.lowerBound + Columns.sign,
      style: style(label.role))

    canvas.putMiddle(
      item.fileName, row: line, columns: columns.name, style: style(item.state.nameRole),
      lighting: matcher)
    if !columns.target.isEmpty {
      let label = targets[item.target] ?? Glyphs.of(item.target, ascii: canvas.ascii)
      canvas.put(
        TextFitting.end(label, to: columns.target.count, ascii: canvas.ascii), row: line,
        column: columns.target.lowerBound, style: style(.dim))
    }
    let type = TypeLabel(item.mediaType, mark: item.typeMark)
    canvas.put(
      type.glyphs(
        isWhole: columns.typesAreWhole, width: columns.type.count, ascii: canvas.ascii), row: line,
      column: columns.type.lowerBound, style: style(.dim))
    let sizeStyle = style(item.state.isDone ? .dim : .plain)
    canvas.putRight(
      item.hasSize ? HumanReadable.bytes(item.sentSize) : "", row: line, columns: columns.size,
      style: sizeStyle)
    if item.state.isFailed || item.state.isRetrying {
      let room = columns.words.count
      let words =
        isSelected
        ? label.wrapped(to: room, ascii: canvas.ascii)[0]
        : label.fitting(room, ascii: canvas.ascii)
      canvas.put(
        words, row: line, column: columns.words.lowerBound, style: style(label.role))
      return []
    }
    if item.state.isDone {
      paintPlace(of: row, label, line: line, ground, on: &canvas)
      return []
    }
    let isOnItsWay = item.state.isMoving || item.state.isHandedOver
    if isOnItsWay || item.state == .paused && item.canGoOn {
      paintProgress(item, reached: row.reached, line: line, ground, on: &canvas)
      let words = label.fitting(columns.state.count, ascii: canvas.ascii)
      canvas.put(words, row: line, column: columns.state.lowerBound, style: style(label.role))
      return []
    }
    let words = label.fitting(columns.words.count, ascii: canvas.ascii)
    if words != before || isSelected {
      canvas.put(words, row: line, column: columns.words.lowerBound, style: style(label.role))
    }
    return item.state == .waiting ? words : []
  }

  /// Paints the address of a file, if the server gave one, and when the file arrived.
  private func paintPlace(
    of row: ItemList.Row, _ label: StateLabel, line: Int, _ ground: Style.Ground,
    on canvas: inout Canvas
  ) {
    var place = columns.words
    if let arrival = state.arrival(of: row) {
      let time = state.briefMoment(arrival)
      canvas.putRight(time, row: line, columns: place, style: Style(.dim, on: ground))
      place = place.lowerBound..<max(place.lowerBound, place.upperBound - time.count - 1)
    }
    guard let url = row.item.url, row.item.state.receipt?.isDoubtful != true else {
      let words = label.fitting(place.count, ascii: canvas.ascii)
      canvas.put(words, row: line, column: place.lowerBound, style: Style(label.role, on: ground))
      return
    }
    if let proof = row.item.state.receipt?.proof, place.count >= 3 * proof.count {
      canvas.put(
        "\(proof) · ", row: line, column: place.lowerBound, style: Style(label.role, on: ground))
      place = place.lowerBound + proof.count + 3..<place.upperBound
    }
    var style = Style(.dim, on: ground)
    style.link = canvas.link(to: url)
    canvas.putMiddle(
      Self.short(url, place.count, ascii: canvas.ascii), row: line, columns: place, style: style)
  }

  /// An address without its scheme and, where space is short, without its host or folders: the end tells files apart.
  private static func short(_ url: String, _ width: Int, ascii: Bool) -> String {
    let rest = url.range(scalars: "://").map { String(url[$0.upperBound...]) } ?? url
    // Names are shown as people write them, without percent-encoding.
    let bare = rest.removingPercentEncoding ?? rest
    let parts = bare.split(scalar: "/")
    let forms =
      [bare] + [parts.dropFirst(), parts.suffix(1)].map { "…/" + $0.joined(separator: "/") }
    return parts.count < 2
      ? bare : forms.first { Glyphs.width(Glyphs.of($0, ascii: ascii)) <= width } ?? forms[2]
  }

  private func paintProgress(
    _ item: UploadItem, reached: Int64, line: Int, _ ground: Style.Ground, on canvas: inout Canvas
  ) {
    // An empty file that has been sent is as complete as any other.
    let (part, whole) = item.sentSize == 0 ? (1, 1) : (reached, item.sentSize)
    let bar = Bar(parts: [(.moving, part)], total: whole)
    canvas.bar(bar, row: line, columns: columns.bar, on: ground)
    let percent = "\(HumanReadable.percent(reached, of: item.sentSize))%"
    canvas.putRight(percent, row: line, columns: columns.percent, style: Style(.plain, on: ground))
  }

  private func paintEmpty(on canvas: inout Canvas) {
    let filter = state.list.filter
    let lines =
      if !filter.isEmpty {
        state.filteredOut(filter)
      } else if state.isSetup {
        setupWords
      } else if state.isReading {
        ["Reading the queue…"]
      } else {
        emptyWords
      }
    paintWords(lines, in: layout, isCovered: state.isSummaryShown, on: &canvas)
  }

  /// Says what to do as long as there is no target.
  private var setupWords: [String] {
    let waiting = state.options.waiting
    return [
      "There is no target yet." + (waiting.isEmpty ? "" : " Waiting for one: \(waiting)."),
      "Press \(state.keyLabel(.target)) to make one: for a URL that accepts files, or for a service that hoist knows.",
      "Press \(state.keyLabel(.quit)) to quit; hoist demo shows how it all works.",
    ]
  }

  /// Says what to do if nothing is queued, and where files would go.
  private var emptyWords: [String] {
    let place = state.target == state.url ? state.url : "\(state.target), \(state.url)"
    let isOnly = state.options.targets.count <= 1
    let others =
      state.options.configuration == nil
      ? "" : "; \(state.keyLabel(.target)) \(isOnly ? "makes" : "chooses") another target"
    let (add, browse) = (state.keyLabel(.add), state.keyLabel(.browse))
    return [
      "Nothing is queued.",
      "Press \(add) to add files, \(browse) to choose them from a list, or drag them here.",
      "They go to \(place)\(others).",
      "Press \(state.keyLabel(.history)) for the history of what was sent.",
    ]
  }
}

extension AppState {
  /// The message of the queue if its filter hides all rows, perhaps because all that matched has been sent.
  fileprivate func filteredOut(_ filter: String) -> [String] {
    let count = queue.count
    return Screens.filteredOut(
      filter, of: count > 1 ? count : nil, hasTargets: queue.hasSeveralTargets)
  }

  /// When a file arrived: as this window has seen it, or else as the queue has it. Nil if that is in doubt.
  fileprivate func arrival(of row: ItemList.Row) -> Instant? {
    if let last = row.attempts.last, last.isGood { return last.at }
    guard let receipt = row.item.state.receipt, !receipt.isDoubtful, !receipt.isConfirmed else {
      return nil
    }
    return receipt.arrived.map { Instant(seconds: $0 - options.epoch) }
  }

  /// The columns of the queue's rows.
  func columns(in layout: Layout) -> Columns {
    // If all files go to one target that is not the chosen one, nothing else names it.
    let isElsewhere = queue.targetNames.contains { !$0.isEmpty && $0 != target }
    let hasTargets = queue.hasSeveralTargets || isElsewhere
    return Columns(
      in: layout.list, hasTargets: hasTargets,
      targetWidth: hasTargets ? TargetLabels(queue.targetNames).width(ascii: isASCII) : nil,
      for: queue.longest)
  }

  /// The numbers of the rows on the lines of the queue's pane. That of the row under the cursor is there twice if its
  /// file failed and the reason needs two lines.
  func queueLines(_ layout: Layout) -> [Int] {
    let height = layout.rows.count
    var lines = Array(list.window.visible(of: rowCount, height: height))
    guard height > 2, let row = row(list.cursor), row.item.state.isFailed,
      let place = lines.firstIndex(of: list.cursor)
    else { return lines }
    let room = columns(in: layout).words.count
    guard StateLabel(of: row, in: self).wrapped(to: room, ascii: isASCII).count > 1 else {
      return lines
    }
    lines.insert(list.cursor, at: place + 1)
    guard lines.count > height else { return lines }
    // Another row makes room.
    if place + 1 == height { lines.removeFirst() } else { lines.removeLast() }
    return lines
  }
}

extension ItemState {
  /// The role of a file's name: bright while the file is being sent, dimmed once it is done.
  fileprivate var nameRole: Role { isActive ? .heading : isDone ? .dim : .plain }
}
