/// Controls of dialogs: text fields, choices, selected rows.
extension Canvas {
  mutating func field(_ field: TextField, row: Int, columns: Range<Int>, role: Role = .field) {
    fill(row: row, columns: columns, style: Style(role))
    var head = Glyphs.of(field.head, ascii: ascii)[...]
    let tail = Glyphs.of(field.text, ascii: ascii).dropFirst(head.count)
    var width = Glyphs.width(head)
    while width >= columns.count, let first = head.popFirst() { width -= Int(first.width) }
    let column = columns.lowerBound
    put(head, row: row, column: column, style: Style(role))
    put(tail, row: row, column: column + width, width: columns.count - width, style: Style(role))
    setCursor(row: row, column: column + width)
  }

  /// Prepares a line for one of several choices, with a mark on the selected one, and returns the style of its text.
  mutating func light(row: Int, columns: Range<Int>, isLit: Bool) -> Style {
    let style = Style(isLit ? .button : .plain)
    if isLit {
      fill(row: row, columns: columns, style: style)
      put([sign("▸")], row: row, column: columns.lowerBound, style: style)
    }
    return style
  }

  /// Prepares a line of a list: the row under the cursor and marked rows have backgrounds of their own, and signs for
  /// screens without colours. Returns the ground.
  mutating func row(
    _ row: Int, columns: Range<Int>, isSelected: Bool, isMarked: Bool
  ) -> Style.Ground {
    let ground: Style.Ground = isSelected ? .selected : isMarked ? .marked : .plain
    guard ground != .plain else { return ground }
    let (start, style) = (columns.lowerBound, Style(.accent, on: ground))
    fill(row: row, columns: columns, style: Style(.plain, on: ground))
    if isSelected { put([sign("▌")], row: row, column: start + Columns.cursor, style: style) }
    if isMarked { put("*", row: row, column: start + Columns.mark, style: style) }
    return ground
  }

  /// Paints one of several choices. The selected one has a mark as well as a style.
  mutating func choice(
    _ text: String, row: Int, columns: Range<Int>, isLit: Bool, lighting matcher: Matcher? = nil
  ) {
    let style = light(row: row, columns: columns, isLit: isLit)
    let place = columns.dropFirst(2).dropLast()
    putMiddle(text, row: row, columns: place, style: style, lighting: matcher)
  }
}
