import UploadModel

/// Dialogs as boxes over the queue.
struct DialogBox {
  let state: AppState
  let size: Size

  init(_ state: AppState, size: Size) {
    self.state = state
    self.size = size
  }

  func paint(on canvas: inout Canvas) {
    switch state.dialog {
    case .none: break
    case .prompt(let prompt): paint(prompt, on: &canvas)
    case .limit(let prompt): paint(prompt, on: &canvas)
    case .details(let id, let scroll):
      let name = state.queue.row(id)?.item.fileName ?? ""
      paintScrolling(title: name, scroll: scroll, on: &canvas)
    case .help(let scroll): paintScrolling(title: "Help", scroll: scroll, on: &canvas)
    case .question(let question): paint(question, on: &canvas)
    }
  }

  // MARK: Text that scrolls

  /// How many lines of a scrolling dialog a screen shows.
  static func scrollingLines(in size: Size) -> Int { max(1, size.height - 4) }

  /// All lines of the scrolling dialog that is open.
  static func lines(of state: AppState, size: Size) -> [TextLine] {
    let width = scrollingWidth(in: size) - 4
    switch state.dialog {
    case .details(let id, _):
      return state.queue.row(id).map { ItemDetails($0, in: state).everything(width: width) } ?? []
    case .help: return HelpText.lines(width: width, isASCII: state.isASCII)
    case .none, .prompt, .limit, .question: return []
    }
  }

  private static func scrollingWidth(in size: Size) -> Int {
    size.width < 60 ? size.width : min(100, size.width - 4)
  }

  private func paintScrolling(title: String, scroll: Int, on canvas: inout Canvas) {
    let lines = Self.lines(of: state, size: size)
    let visible = Self.scrollingLines(in: size)
    let width = Self.scrollingWidth(in: size)
    let left = (size.width - width) / 2
    let height = min(visible, max(lines.count, 1)) + 2
    canvas.box(row: 1, column: left, size: Size(width: width, height: height), title: title)
    let first = min(scroll, max(0, lines.count - visible))
    for (line, index) in zip(2..<2 + visible, first..<max(first, lines.count)) {
      var column = left + 2
      for run in lines[index].runs {
        column += canvas.put(
          run.glyphs, row: line, column: column, width: left + width - 2 - column,
          style: Style(run.role))
      }
    }
    if lines.count > visible {
      let place = " \(first + 1)-\(min(first + visible, lines.count)) of \(lines.count) "
      canvas.putRight(
        place, row: height, end: left + width - 2, width: width - 4, style: Style(.dim))
    }
  }

  // MARK: The prompt

  private func paint(_ prompt: PathPrompt, on canvas: inout Canvas) {
    let width = min(100, size.width - 2)
    let room = max(1, min(8, size.height - 8))
    let shown = min(room, prompt.candidates.count)
    let extra = prompt.candidates.isEmpty ? (prompt.hasNoMatch ? 1 : 0) : shown + 1
    let (left, top) = ((size.width - width) / 2, max(1, size.height / 4 - 1))
    canvas.box(
      row: top, column: left, size: Size(width: width, height: 3 + extra), title: "Add files")
    paint(prompt.field, row: top + 1, columns: left + 2..<left + width - 2, on: &canvas)
    if prompt.hasNoMatch {
      canvas.put(
        "nothing begins like this", row: top + 2, column: left + 2, style: Style(.warning))
    }
    guard shown > 0 else { return }
    let chosen = prompt.chosen ?? 0
    let first = min(max(0, chosen - shown + 1), prompt.candidates.count - shown)
    for index in first..<first + shown {
      let isChosen = index == prompt.chosen
      let row = top + 2 + index - first
      let style = Style(isChosen ? .button : .plain)
      if isChosen { canvas.put(canvas.ascii ? ">" : "▸", row: row, column: left + 2, style: style) }
      let name = Glyphs.of(Self.lastPart(prompt.candidates[index]), ascii: canvas.ascii)
      canvas.put(
        Cutting.middle(name, to: width - 6, ascii: canvas.ascii), row: row, column: left + 4,
        style: style)
    }
    canvas.put(
      "\(prompt.candidates.count) begin like this", row: top + 2 + shown, column: left + 2,
      style: Style(.dim))
  }

  private func paint(_ prompt: LimitPrompt, on canvas: inout Canvas) {
    let width = min(56, size.width - 2)
    let (left, top) = ((size.width - width) / 2, max(1, size.height / 4 - 1))
    canvas.box(
      row: top, column: left, size: Size(width: width, height: 4), title: "Limit the bandwidth")
    paint(prompt.field, row: top + 1, columns: left + 2..<left + width - 2, on: &canvas)
    canvas.put(
      prompt.isRefused ? "this is no speed: 2 MB/s, 500k" : "such as 2 MB/s; empty for no limit",
      row: top + 2, column: left + 2, style: Style(prompt.isRefused ? .warning : .dim))
  }

  /// The text with its cursor, scrolled so that the cursor is seen.
  private func paint(
    _ field: TextField, row: Int, columns: Range<Int>, on canvas: inout Canvas
  ) {
    canvas.fill(row: row, columns: columns, style: Style(.field))
    var head = Glyphs.of(field.head, ascii: canvas.ascii)[...]
    var width = Glyphs.width(head)
    while width >= columns.count, let first = head.popFirst() { width -= Int(first.width) }
    let tail = Glyphs.of(field.text, ascii: canvas.ascii)
      .dropFirst(Glyphs.of(field.head, ascii: canvas.ascii).count)
    let column = columns.lowerBound
    canvas.put(head, row: row, column: column, style: Style(.field))
    canvas.put(
      tail, row: row, column: column + width, width: columns.count - width, style: Style(.field))
    canvas.setCursor(row: row, column: column + width)
  }

  private static func lastPart(_ path: String) -> String {
    let isFolder = path.last == "/"
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return isFolder ? name + "/" : name
  }

  // MARK: Questions

  private func paint(_ question: Question, on canvas: inout Canvas) {
    let (title, text) = words(of: question)
    let width = min(56, size.width - 2)
    let lines = Cutting.wrapped(Glyphs.of(text, ascii: canvas.ascii), to: width - 4)
    let height = lines.count + question.buttons.count + 3
    let (left, top) = ((size.width - width) / 2, max(1, (size.height - height) / 2))
    canvas.box(row: top, column: left, size: Size(width: width, height: height), title: title)
    for (index, line) in lines.enumerated() {
      canvas.put(line, row: top + 1 + index, column: left + 2, style: Style(.plain))
    }
    for (index, button) in question.buttons.enumerated() {
      let row = top + lines.count + 2 + index
      let isLit = index == question.lit
      let style = Style(isLit ? .button : .plain)
      if isLit {
        canvas.fill(row: row, columns: left + 2..<left + width - 2, style: style)
        canvas.put(canvas.ascii ? ">" : "▸", row: row, column: left + 2, style: style)
      }
      let key = button.keys.first?.label(ascii: canvas.ascii) ?? ""
      canvas.put(
        key, row: row, column: left + 4, style: isLit ? style : Style(.accent))
      canvas.put(button.hint ?? "", row: row, column: left + 9, style: style)
    }
  }

  private func words(of question: Question) -> (title: String, text: String) {
    switch question.subject {
    case .quitting:
      let totals = state.queue.totals
      let waiting = totals.waiting + totals.retrying + totals.paused
      let rest = waiting > 0 ? ", \(waiting) still to come" : ""
      return ("Quit?", "\(Wording.count(totals.active, "upload")) under way\(rest).")
    case .removing(let ids):
      let active = ids.count { state.queue.row($0)?.item.state.isActive == true }
      let others = ids.count > active ? " of the \(ids.count)" : ""
      return (
        "Remove?",
        active == 1
          ? "It is being sent\(others.isEmpty ? "" : ": one\(others)"). The server gets no whole file."
          : "\(active)\(others) are being sent. The server gets no whole file of them."
      )
    }
  }
}
