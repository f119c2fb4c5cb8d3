@testable import Scheduling
@testable import Screens
@testable import UploadModel

/// A state and the frame that shows it.
struct Sight {
  let state: AppState
  let frame: Frame
  let layout: Layout
  private let boxes: FrameBoxes
  private let rows: [ListedRow]
  private let heads: [Range<Int>]

  init(_ state: AppState, _ frame: Frame) {
    (self.state, self.frame) = (state, frame)
    let layout = state.layout(in: frame.size)
    self.layout = layout
    boxes = FrameBoxes(frame, isASCII: state.isASCII)
    let isPane = !layout.isTooSmall && state.dialogs.isEmpty
    let (all, heads) = isPane ? ListedRow.all(state, layout) : ([], [])
    self.heads = heads
    // The box at the end covers rows.
    let covering = boxes.boxes.filter { layout.rows.contains($0.rows.lowerBound) }
    rows = all.filter { row in
      !covering.contains { $0.rows.lowerBound - 1...$0.rows.upperBound ~= row.line }
    }
  }

  private var isPane: Bool { state.dialogs.isEmpty }
  /// Whether the uppermost dialog is a box; the others are in the last line.
  private var hasDialogBox: Bool {
    switch state.dialog {
    case nil, .find: false
    case .command(let prompt): CommandPalette(prompt, in: state) != nil
    default: true
    }
  }
  /// Whether what is behind the dialog keeps its colours, and with them its frames.
  private var isLitBehind: Bool {
    switch state.dialog {
    case .menu(let menu): menu.showsColors
    case .command(let prompt): CommandLine(prompt.line.field.text)?.action?.name == .theme
    default: false
    }
  }
  /// The box of the uppermost dialog; of several beside each other, the box round all of them.
  private var dialogBox: Layout.Box? {
    guard hasDialogBox else { return nil }
    var all = boxes.boxes
    if isLitBehind, case .menu(let menu) = state.dialog {
      let (top, columns) = MenuBox(menu: menu, size: frame.size).place
      all = all.filter { $0.rows.lowerBound == top - 1 && $0.columns == columns }
    } else if isLitBehind {
      // A pane that it cuts seems to end where it does.
      all = all.filter {
        $0.rows.upperBound == frame.size.height - 1 && $0.columns == 0..<frame.size.width
      }.suffix(1)
    }
    guard let first = all.first else { return nil }
    return all.dropFirst().reduce(first) { one, next in
      let (top, left) = (one.rows.lowerBound, one.columns.lowerBound)
      let (bottom, right) = (one.rows.upperBound, one.columns.upperBound)
      return Layout.Box(
        rows: min(top, next.rows.lowerBound)..<max(bottom, next.rows.upperBound),
        columns: min(left, next.columns.lowerBound)..<max(right, next.columns.upperBound))
    }
  }
  private var mark: String { sign("…") }
  private var lastLine: String { frame.text(frame.size.height - 1) }

  private func sign(_ sign: Unicode.Scalar) -> String {
    Glyph(sign: sign, ascii: state.isASCII).text
  }

  private func shown(_ text: String) -> String {
    Glyphs.of(text, ascii: state.isASCII).map(\.text).joined()
  }

  /// Whether a place has the whole text or the mark of a cut.
  private func has(_ text: String, _ place: String) -> Bool {
    place.contains(scalars: mark) || place.trimmed == shown(text).trimmed
  }

  // MARK: The grid

  var offTheEdge: [String] {
    let size = frame.size
    guard frame.cells.count == size.width * size.height else { return ["\(frame.cells.count)"] }
    return (0..<size.height).flatMap { row in
      HostileTests.faults(in: Array(frame.line(row))).map { "row \(row), \($0)" }
    }
  }

  var notASCII: [String] {
    guard state.isASCII else { return [] }
    let odd = frame.cells.filter { !$0.glyph.base.isASCII || $0.glyph.width != 1 }
    return odd.map(\.glyph.text) + (frame.title.utf8.allSatisfy { $0 < 0x80 } ? [] : [frame.title])
  }

  var openBoxes: [String] {
    // A dialog cuts the frames that it does not dim.
    var faults = isLitBehind ? [] : boxes.faults
    if isPane {
      let expected = [layout.box, layout.side, layout.details, layout.throughput, layout.events]
      for box in expected.compactMap(\.self) where !boxes.boxes.contains(box) {
        faults.append("no box at \(box)")
      }
    } else if hasDialogBox, dialogBox == nil {
      faults.append("no box round the dialog")
    }
    return faults
  }

  // MARK: Lists

  var touchingColumns: [String] {
    guard isPane else { return touchingInBrowser }
    var faults: [String] = []
    for (one, next) in zip(heads, heads.dropFirst()) where one.upperBound >= next.lowerBound {
      faults.append("columns \(one) and \(next)")
    }
    if let last = heads.last, last.upperBound > layout.list.upperBound {
      faults.append("column \(last) ends after the list")
    }
    var lines = rows.map { ($0.line, $0.places) }
    if let line = layout.headings, !rows.isEmpty { lines.append((line, heads)) }
    for (line, places) in lines {
      let start = layout.list.lowerBound + (line == layout.headings ? 0 : Columns.sign)
      for column in start..<layout.list.upperBound
      where !places.contains(where: { $0.contains(column) }) {
        let cell = frame.at(line, column)
        if cell.glyph != .space { faults.append("\(line),\(column): \(cell.glyph.text)") }
      }
    }
    return faults
  }

  /// The columns of the list of files have roles of their own.
  private var touchingInBrowser: [String] {
    guard case .browser? = state.dialog, let box = boxes.boxes.first else { return [] }
    func column(_ cell: Cell) -> Role {
      switch cell.style.role {
      case .barFull, .barEnd, .barRest: .barFull
      default: cell.style.role
      }
    }
    var faults: [String] = []
    for line in box.innerRows {
      for place in box.innerColumns.dropFirst(Columns.name + 1) {
        let (one, next) = (frame.at(line, place - 1), frame.at(line, place))
        // What a filter found lies within a name.
        let roles: Set = [column(one), column(next)]
        if one.glyph != .space, next.glyph != .space, roles.count > 1, !roles.contains(.match) {
          faults.append("\(line),\(place): \(one.glyph.text)\(next.glyph.text)")
        }
      }
    }
    return faults
  }

  var unmarkedCuts: [String] {
    var faults: [String] = []
    for row in rows {
      for (place, whole) in row.texts where !has(whole, frame.text(row.line, place)) {
        faults.append("\(row.line): \(frame.text(row.line, place)) for \(whole)")
      }
      guard let (queued, words) = row.queued, !queued.showsAddress else { continue }
      let said = frame.text(row.line, words)
      let forms = StateLabel(of: queued, in: state).forms
      // What the row above says already is not said again.
      let isSaid = queued.item.state == .waiting && row.index > 0 && said.trimmed.isEmpty
      // The time at which a file arrived stands in the same place.
      let isArrived =
        queued.item.state.isDone && forms.contains { said.hasPrefix(scalars: shown($0)) }
      if !isSaid, !isArrived, !forms.contains(where: { has($0, said) }) {
        faults.append("\(row.line): \(said) for \(forms)")
      }
    }
    for (line, columns, name) in listedNames {
      let text = frame.text(line, columns)
      if !text.contains(scalars: shown(name)), !text.contains(scalars: mark) {
        faults.append("\(line): \(text) for \(name)")
      }
    }
    if case .question(let question) = state.dialog, let box = boxes.boxes.last {
      let text = box.innerRows.map { frame.text($0, box.innerColumns) }.joined()
      let words = QuestionBox(question: question, state: state, size: frame.size).words
      let isWhole = text.unspaced.contains(scalars: shown(words.text).unspaced)
      if !isWhole, !text.contains(scalars: mark) { faults.append("\(words.text) in \(text)") }
    }
    return faults
  }

  /// The entries or choices of a dialog, with the places where they are listed.
  private var listedNames: [(line: Int, columns: Range<Int>, name: String)] {
    switch state.dialog {
    case .browser(let browser):
      let (top, columns) = BrowserBox.place(in: frame.size)
      let visible = browser.list.visible(
        of: browser.entries.count, height: BrowserBox.lines(in: frame.size))
      return zip(top..., visible).map { ($0, columns, browser.entries[$1].name) }
    case .menu(let menu):
      let (top, columns) = MenuBox(menu: menu, size: frame.size).place
      let visible = menu.list.visible(
        of: menu.shown.count, height: MenuBox.lines(menu, in: frame.size))
      return zip(top..., visible).map { ($0, columns, menu.choices[menu.shown[$1]]) }
    default: return []
    }
  }

  var missingSelection: [String] {
    let (cursor, button) = (sign("▌"), sign("▸"))
    let first = layout.list.lowerBound
    switch state.dialog {
    case nil:
      guard state.shown.count > 0, !rows.isEmpty else { return [] }
      let lit = rows.filter { row in
        layout.list.allSatisfy { frame.at(row.line, $0).style.ground == .selected }
          && frame.text(row.line, first..<first + 1) == cursor
      }
      return lit.map(\.index) == [state.shown.cursor] ? [] : ["rows \(lit.map(\.index)) are lit"]
    case .browser(let browser):
      guard !browser.entries.isEmpty, let box = boxes.boxes.first else { return [] }
      let lit = box.innerRows.filter {
        frame.at($0, box.innerColumns.lowerBound).glyph.text == cursor
          && frame.at($0, box.innerColumns.lowerBound).style.ground == .selected
      }
      return lit.count == 1 ? [] : ["\(lit.count) entries are lit"]
    case .command(let prompt) where prompt.line.chosen == nil || !hasDialogBox: return []
    case .prompt(let line) where line.chosen == nil: return []
    case .menu, .failures, .question, .command, .prompt:
      let lit = frame.cells.count { $0.style.role == .button && $0.glyph.text == button }
      return lit == 1 ? [] : ["\(lit) choices are lit"]
    default: return []
    }
  }

  // MARK: States

  var statesAlike: [String] {
    var faults: [String] = []
    var kinds: [String: String] = [:]
    for row in rows {
      guard let (queued, words) = row.queued else { continue }
      let label = StateLabel(of: queued, in: state)
      let signCell = frame.at(row.line, layout.list.lowerBound + Columns.sign)
      if signCell.glyph != label.sign(ascii: state.isASCII) || signCell.style.role != label.role {
        faults.append("\(row.line): the sign is \(signCell)")
      }
      let said = frame.text(row.line, words).trimmed
      let start = frame.at(row.line, words.lowerBound)
      guard !said.isEmpty, !queued.showsAddress else { continue }
      if start.style.role != label.role { faults.append("\(row.line): \(said) is \(start.style)") }
      let bare =
        "\(signCell.glyph.text) \(String(said.unicodeScalars.filter { !(48...57).contains($0.value) }))"
      // After an edit, it does not matter why they failed.
      let isEdited = state.recordAtFailure(of: queued) != nil
      let kind = isEdited ? "edited" : queued.item.state.kind
      if kinds[bare, default: kind] != kind { faults.append("\(kind) says \(bare) as well") }
      kinds[bare] = kind
    }
    return faults
  }

  // MARK: Around the panes

  var missingInHeader: [String] {
    let header = frame.text(0)
    var words: [String] = []
    if !header.contains(scalars: mark) { words.append(shown(state.target)) }
    if state.nextProbe != nil {
      words.append("no ")
    } else if !state.settings.isStarted {
      words.append("stopped")
    } else if state.filesToFinish != nil {
      words.append("quits ")
    }
    return words.filter { !header.contains(scalars: $0) }.map { "no \($0) in \(header)" }
  }

  var missingWayOut: [String] {
    if !isPane && (state.message != nil || !hasDialogBox) { return [] }
    let name: Action.Name = isPane ? .quit : .close
    guard let action = Action.inMode(state.mode).first(where: { $0.name == name }) else {
      return ["no key"]
    }
    let words = "\(state.keyLabel(name, in: state.mode)) \(action.hint ?? "close")"
    // Where a question covers the last line, its answers have the key; above a command line, the edge of the box has it.
    let isTaken =
      state.mode == .command || boxes.boxes.contains { $0.rows.upperBound == frame.size.height }
    let isShown = (isTaken ? 0..<frame.size.height : frame.size.height - 1..<frame.size.height)
      .contains { row in
        frame.text(row).split(separator: " ").joined(separator: " ").contains(scalars: words)
      }
    return isShown ? [] : ["no \(words)"]
  }

  var litBehindTheDialog: [String] {
    guard let box = dialogBox, !isLitBehind else { return [] }
    var faults: [String] = []
    for row in 0..<frame.size.height - 1 {
      for column in 0..<frame.size.width
      where !(box.rows.contains(row) && box.columns.contains(column)) {
        let cell = frame.at(row, column)
        if cell.style != Style(.dim), cell != .blank { faults.append("\(row),\(column): \(cell)") }
      }
    }
    return faults
  }

  var leftBesideTheDialog: [String] {
    guard let box = dialogBox else { return [] }
    let size = frame.size
    let near = box.columns.lowerBound - Canvas.margin..<box.columns.upperBound + Canvas.margin
    // The last lines have no frames, and a dialog hides them only as a whole.
    let last = max(box.rows.upperBound - 1, min(box.rows.upperBound, size.height - 3))
    var faults: [String] = []
    for row in max(1, box.rows.lowerBound - 1)...min(last, size.height - 2) {
      let isBeside = box.rows.contains(row)
      if !isBeside, isPassingEdge(row, near) { continue }
      // Above and below, a pane beside the dialog may have an edge of its own.
      for column in 0..<size.width
      where isBeside ? !box.columns.contains(column) : near.contains(column) {
        let cell = frame.at(row, column)
        let isSide = cell.glyph.text == sign("│")
        let isAway = !near.contains(column) || !isBeside && box.sides.contains(column)
        if cell.glyph != .space, !(isSide && isAway) {
          faults.append("\(row),\(column): \(cell.glyph.text)")
        }
      }
    }
    return faults
  }

  /// Whether a line is the edge of a pane or of another dialog that begins and ends beyond these columns.
  private func isPassingEdge(_ row: Int, _ columns: Range<Int>) -> Bool {
    guard columns.lowerBound > 0, columns.upperBound < frame.size.width else { return false }
    if layout.box == nil, row == 1 { return true }
    let corners = Set(["╭", "╮", "╰", "╯"].map(sign))
    func hasCorner(_ columns: Range<Int>) -> Bool {
      columns.contains { corners.contains(frame.at(row, $0).glyph.text) }
    }
    return hasCorner(0..<columns.lowerBound) && !hasCorner(columns)
      && hasCorner(columns.upperBound..<frame.size.width)
  }

  var strayCursor: [String] {
    let isTyped = Mode.typing.contains(state.mode)
    guard let cursor = frame.cursor else { return isTyped ? ["no cursor"] : [] }
    let isInside =
      (0..<frame.size.height).contains(cursor.row) && (0..<frame.size.width).contains(cursor.column)
    return isTyped && isInside ? [] : ["\(cursor)"]
  }

  var uncounted: [String] {
    let words: String
    switch state.dialog {
    case nil:
      let list = state.shown
      guard list.count > layout.rows.count else { return [] }
      words = "\(list.cursor + 1)/\(list.count)"
    case .details?, .page?, .help?:
      guard let dialog = state.dialog else { return [] }
      let count = DialogBox(dialog: dialog, state: state, size: frame.size).lines.count
      guard count > DialogBox.scrollingLines(in: frame.size) else { return [] }
      words = " of \(count) "
    default: return []
    }
    let isShown = (0..<frame.size.height).contains { frame.text($0).contains(scalars: words) }
    return isShown ? [] : ["no \(words)"]
  }

  var missingTabs: [String] {
    guard isPane, layout.box?.columns.count ?? frame.size.width >= 76 else { return [] }
    let line = frame.text(1)
    return Pane.allCases.filter { pane in
      let words = " \(state.keyLabel(pane.action)) \(pane.title) "
      guard let place = line.range(scalars: words) else { return true }
      // All characters of this line have one column each.
      let start = line.unicodeScalars.distance(from: line.startIndex, to: place.lowerBound)
      return frame.at(1, start + 1).style.role != (pane == state.pane ? .heading : .dim)
    }.map { "no tab of \($0)" }
  }

  var touchedTitles: [String] {
    guard isPane, !state.isASCII else { return [] }
    let line = frame.text(1)
    let edges = " ─╭╮".unicodeScalars
    let scalars = Array(line.unicodeScalars)
    let isTouched = zip(scalars, scalars.dropFirst()).contains { left, right in
      left == "─" && !edges.contains(right) || right == "─" && !edges.contains(left)
    }
    return isTouched ? [line] : []
  }

  var missingTotals: [String] {
    let totals = state.queue.totals
    var faults: [String] = []
    let title = totals.busy > 0 ? "\(totals.percent)% hoist" : "hoist"
    if !frame.title.hasPrefix(scalars: title) { faults.append(frame.title) }
    guard isPane, totals.all > 0 else { return faults }
    let line = frame.text(layout.total)
    let total = TotalLine(state: state)
    let progress = shown(total.progress)
    // The counts beside it say more than that the time is not known.
    let least = total.progress.hasSuffix("ETA —") ? shown(total.progress(fitting: 0)) : progress
    let isShown = line.contains(scalars: least) || line.contains(scalars: mark)
    return faults + (isShown ? [] : ["\(progress) in \(line)"])
  }

  var missingMessage: [String] {
    guard isPane, let message = state.message else { return [] }
    let count = state.messageLines(in: frame.size.width).count
    let text = (layout.total - count..<layout.total).map { frame.text($0).trimmed }
      .joined(separator: " ")
    return has(message, text) ? [] : ["\(message) in \(text)"]
  }
}

extension ItemList.Row {
  /// Whether the address of the file takes the place of the words for its state.
  fileprivate var showsAddress: Bool {
    item.state.isDone && item.url != nil && item.state.receipt?.isDoubtful != true
  }
}

extension ItemState {
  /// The states that a person has to tell apart.
  var kind: String {
    switch self {
    case .waiting: "waiting"
    case .preparing: "preparing"
    case .sending: "sending"
    case .awaitingReply: "awaiting a reply"
    case .processing: "being processed"
    case .retrying: "retrying"
    case .paused: "paused"
    case .done(let receipt): receipt.isDoubtful ? "doubtful" : "done"
    case .failed(let failure): "failed: \(failure.code)"
    }
  }
}

extension String {
  fileprivate var trimmed: String { trimming { $0 == " " } }

  fileprivate var unspaced: String {
    String(String.UnicodeScalarView(unicodeScalars.filter { $0 != " " }))
  }
}
