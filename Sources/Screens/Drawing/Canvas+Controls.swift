/// Controls of dialogs: text fields, choices, selected rows.
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

  /// Prepares a line for one of several choices. The selected one has a mark as well as a style. Returns the
  /// style of its text.
  mutating func light(row: Int, columns: Range<Int>, isLit: Bool, role: Role = .plain) -> Style {
    let style = Style(isLit ? .button : role)
    if isLit {
      fill(row: row, columns: columns, style: style)
      put([sign("▸")], row: row, column: columns.lowerBound, style: style)
    }
    return style
  }

  /// Prepares the line of a list that the cursor is on.
  mutating func select(row: Int, width: Int = .max) {
    fill(row: row, columns: 0..<width, style: Style(.plain, isSelected: true))
    put([sign("▸")], row: row, column: Columns.cursor, style: Style(.accent, isSelected: true))
  }

  /// Marks a line of a list.
  mutating func mark(row: Int, isSelected: Bool) {
    put("*", row: row, column: Columns.mark, style: Style(.accent, isSelected: isSelected))
  }

  /// One of several choices. The selected one has a mark as well as a style.
  mutating func choice(
    _ text: String, row: Int, columns: Range<Int>, isLit: Bool, role: Role = .plain
  ) {
    let style = light(row: row, columns: columns, isLit: isLit, role: role)
    let place = columns.dropFirst(2).dropLast()
    putMiddle(text, row: row, columns: place, style: style)
  }
}
