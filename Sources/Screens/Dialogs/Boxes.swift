import UploadModel

/// A line of text being typed, with its cursor, scrolled so that the cursor is seen.
extension Canvas {
  mutating func field(_ field: TextField, row: Int, columns: Range<Int>, role: Role = .field) {
    fill(row: row, columns: columns, style: Style(role))
    var head = Glyphs.of(field.head, ascii: ascii)[...]
    var width = Glyphs.width(head)
    while width >= columns.count, let first = head.popFirst() { width -= Int(first.width) }
    let tail = Glyphs.of(field.text, ascii: ascii)
      .dropFirst(Glyphs.of(field.head, ascii: ascii).count)
    let column = columns.lowerBound
    put(head, row: row, column: column, style: Style(role))
    put(
      tail, row: row, column: column + width, width: columns.count - width, style: Style(role))
    setCursor(row: row, column: column + width)
  }

  /// Prepares a line for one of several choices; the one that is lit has a mark as well as a look.
  /// Returns the style of its words.
  mutating func light(row: Int, columns: Range<Int>, isLit: Bool, role: Role = .plain) -> Style {
    let style = Style(isLit ? .button : role)
    if isLit {
      fill(row: row, columns: columns, style: style)
      put([pointer], row: row, column: columns.lowerBound, style: style)
    }
    return style
  }

  /// Prepares the line of a list that the cursor is on.
  mutating func select(row: Int) {
    fill(row: row, columns: 0..<size.width, style: Style(.plain, isSelected: true))
    put([pointer], row: row, column: Columns.cursor, style: Style(.accent, isSelected: true))
  }

  /// Marks a line of a list.
  mutating func mark(row: Int, isSelected: Bool) {
    put("*", row: row, column: Columns.mark, style: Style(.accent, isSelected: isSelected))
  }

  private var pointer: Glyph { Glyph(base: ascii ? ">" : "▸") }

  /// One of several choices; the one that is lit has a mark as well as a look.
  mutating func choice(
    _ text: [Glyph], row: Int, columns: Range<Int>, isLit: Bool, role: Role = .plain
  ) {
    let style = light(row: row, columns: columns, isLit: isLit, role: role)
    put(
      Cutting.middle(text, to: columns.count - 3, ascii: ascii), row: row,
      column: columns.lowerBound + 2, style: style)
  }
}

/// A few things of which one is chosen.
struct MenuBox {
  let menu: Menu
  let size: Size

  /// How many choices are seen at once.
  static func lines(_ menu: Menu, in size: Size) -> Int {
    max(1, min(menu.choices.count, size.height - 6))
  }

  /// The line of the first choice that is seen, and the columns of the box.
  var place: (top: Int, columns: Range<Int>) {
    let longest = menu.choices.map(\.count).max() ?? 0
    let width = min(size.width - 2, max(menu.title.count + 8, longest + 8))
    let height = Self.lines(menu, in: size) + 2
    let left = (size.width - width) / 2
    return (max(1, (size.height - height) / 2) + 1, left..<left + width)
  }

  func paint(on canvas: inout Canvas) {
    let (top, columns) = place
    let visible = Self.lines(menu, in: size)
    canvas.box(
      row: top - 1, column: columns.lowerBound,
      size: Size(width: columns.count, height: visible + 2), title: menu.title)
    let first = ListState.firstRow(
      scroll: menu.list.scroll, cursor: menu.list.cursor, count: menu.choices.count,
      height: visible)
    for (row, index) in zip(top..<top + visible, first..<menu.choices.count) {
      canvas.choice(
        Glyphs.of(menu.choices[index], ascii: canvas.ascii), row: row,
        columns: columns.lowerBound + 2..<columns.upperBound - 2,
        isLit: index == menu.list.cursor)
    }
  }
}

/// How items shall be sent, being edited.
struct FormBox {
  let form: EditForm
  let state: AppState
  let size: Size

  func paint(on canvas: inout Canvas) {
    let width = min(84, size.width - 2)
    let height = form.rows.count + 3
    let (left, top) = ((size.width - width) / 2, max(1, (size.height - height) / 2 - 1))
    let name =
      form.ids.count == 1
      ? form.ids.first.flatMap { state.queue.row($0)?.item.fileName } ?? ""
      : "\(form.ids.count) files"
    canvas.box(
      row: top, column: left, size: Size(width: width, height: height), title: "Edit \(name)")
    for (index, row) in form.rows.enumerated() {
      let line = top + 1 + index
      let hasFocus = index == form.focus
      canvas.put(
        row.field.label, row: line, column: left + 2,
        style: Style(hasFocus ? .accent : .dim))
      let columns = left + 13..<left + width - 2
      if hasFocus {
        canvas.field(row.text, row: line, columns: columns)
      } else {
        let text = row.isMixed && row.text.text.isEmpty ? "(several)" : row.text.text
        canvas.put(
          Cutting.middle(
            Glyphs.of(text, ascii: canvas.ascii), to: columns.count, ascii: canvas.ascii),
          row: line, column: columns.lowerBound,
          style: Style(row.isMixed && row.text.text.isEmpty ? .dim : .plain))
      }
    }
    let words = form.complaint ?? form.rows[form.focus].field.explanation
    canvas.put(
      words, row: top + 1 + form.rows.count, column: left + 2, width: width - 4,
      style: Style(form.complaint == nil ? .dim : .warning))
  }
}

/// A question with its answers as buttons.
struct QuestionBox {
  let question: Question
  let state: AppState
  let size: Size

  private var width: Int { min(56, size.width - 2) }
  private var left: Int { (size.width - width) / 2 }

  private func lines(ascii: Bool) -> (title: String, text: [ArraySlice<Glyph>]) {
    let (title, text) = words
    return (title, Cutting.wrapped(Glyphs.of(text, ascii: ascii), to: width - 4))
  }

  /// The line of the first button.
  private func firstButton(lineCount: Int) -> (top: Int, row: Int) {
    let height = lineCount + question.buttons.count + 3
    let top = max(1, (size.height - height) / 2)
    return (top, top + lineCount + 2)
  }

  /// The button at a place.
  func button(row: Int, column: Int) -> Int? {
    let first = firstButton(lineCount: lines(ascii: state.isASCII).text.count).row
    let index = row - first
    let isInside = (left + 2..<left + width - 2).contains(column)
    return isInside && question.buttons.indices.contains(index) ? index : nil
  }

  func paint(on canvas: inout Canvas) {
    let (title, text) = lines(ascii: canvas.ascii)
    let (top, first) = firstButton(lineCount: text.count)
    let height = text.count + question.buttons.count + 3
    canvas.box(row: top, column: left, size: Size(width: width, height: height), title: title)
    for (index, line) in text.enumerated() {
      canvas.put(line, row: top + 1 + index, column: left + 2, style: Style(.plain))
    }
    for (index, button) in question.buttons.enumerated() {
      let row = first + index
      let isLit = index == question.lit
      let style = canvas.light(row: row, columns: left + 2..<left + width - 2, isLit: isLit)
      canvas.put(
        state.keymap.label(button, ascii: canvas.ascii), row: row, column: left + 4,
        style: isLit ? style : Style(.accent))
      canvas.put(button.hint ?? "", row: row, column: left + 9, style: style)
    }
  }

  private static let mayHaveArrived = "What awaits its reply may have arrived."

  /// The title and the question itself.
  var words: (title: String, text: String) {
    switch question.subject {
    case .quitting:
      let totals = state.queue.totals
      var parts: [String] = []
      let moving = totals.active - totals.awaiting
      if moving > 0 { parts.append(Wording.count(moving, "upload") + " under way") }
      if totals.awaiting > 0 { parts.append("\(totals.awaiting) only awaiting a reply") }
      let waiting = totals.waiting + totals.retrying
      if waiting > 0 { parts.append("\(waiting) still to come") }
      if totals.paused > 0 { parts.append("\(totals.paused) paused") }
      if state.isReading { parts.append("and the queue is still being read") }
      let promise = totals.awaiting > 0 ? " \(Self.mayHaveArrived)" : ""
      return ("Quit?", parts.joined(separator: ", ") + "." + promise)
    case .removing(let ids, let active, let mayHaveArrived):
      let others = ids.count > active ? " of the \(ids.count)" : ""
      let promise =
        mayHaveArrived
        ? Self.mayHaveArrived
        : active == 1 ? "The server gets no whole file." : "The server gets no whole file of them."
      return (
        "Remove?",
        active == 1
          ? "It is being sent\(others.isEmpty ? "" : ": one\(others)"). \(promise)"
          : "\(active)\(others) are being sent. \(promise)"
      )
    case .deleting(let rows):
      guard rows.count == 1, let name = rows.first?.name else {
        return (
          "Delete on the server?",
          "\(Wording.count(rows.count, "file")) will be gone there, and nothing brings them back."
        )
      }
      // However long the name is, the answers stay on the screen.
      let cut = Cutting.middle(name, to: width - 4, ascii: state.isASCII)
      return ("Delete on the server?", "\(cut) will be gone there, and nothing brings it back.")
    }
  }
}
