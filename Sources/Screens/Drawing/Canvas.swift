/// A frame being painted. What does not fit is left out, never wrapped or shifted.
struct Canvas {
  /// The pieces of one line, each in its own role.
  typealias Spans = [(text: String, role: Role)]

  private(set) var frame: Frame
  let ascii: Bool
  /// The keys in the top border of the boxes drawn from now on.
  var keys: Spans = []

  init(size: Size, ascii: Bool, theme: Theme = .usual) {
    frame = Frame(size: size)
    frame.theme = theme
    self.ascii = ascii
  }

  var size: Size { frame.size }

  /// Paints `glyphs` from `column` on, in at most `width` columns; returns the columns used.
  @discardableResult
  mutating func put(
    _ glyphs: some Sequence<Glyph>, row: Int, column: Int, width: Int = .max, style: Style
  ) -> Int {
    guard row >= 0, row < size.height, column >= 0, column < size.width else { return 0 }
    let line = row * size.width
    let limit = width > size.width - column ? size.width : column + width
    var at = column
    for glyph in glyphs {
      let next = at + Int(glyph.width)
      if next > limit { break }
      frame.cells[line + at] = Cell(glyph: glyph, style: style)
      if glyph.width == 2 { frame.cells[line + at + 1] = Cell(glyph: .rightHalf, style: style) }
      at = next
    }
    return at - column
  }

  /// Paints text, made safe and cut at its end if it is too long; returns the columns used.
  @discardableResult
  mutating func put(
    _ text: String, row: Int, column: Int, width: Int = .max, style: Style
  ) -> Int {
    let room = min(width, size.width - column)
    let glyphs = TextFitting.end(Glyphs.of(text, ascii: ascii), to: room, ascii: ascii)
    return put(glyphs, row: row, column: column, width: room, style: style)
  }

  /// Paints `spans` one after the other; the last one is cut if it does not fit.
  @discardableResult
  mutating func put(_ spans: Spans, row: Int, column: Int, width: Int = .max) -> Int {
    var at = column
    let limit = width > size.width - column ? size.width : column + width
    for span in spans where at < limit {
      at += put(span.text, row: row, column: at, width: limit - at, style: Style(span.role))
    }
    return at - column
  }

  /// Paints text in columns, made safe and cut at its end if it is too long.
  mutating func put(_ text: String, row: Int, columns: Range<Int>, style: Style) {
    put(text, row: row, column: columns.lowerBound, width: columns.count, style: style)
  }

  /// Paints text, made safe and cut in its middle if it does not fit into the columns.
  mutating func putMiddle(
    _ text: String, row: Int, columns: Range<Int>, style: Style, lighting matcher: Matcher? = nil
  ) {
    let whole = Glyphs.of(text, ascii: ascii)
    let glyphs = TextFitting.middle(whole, to: columns.count, ascii: ascii)
    let places = matcher?.places(in: whole, isLoose: true) ?? []
    let lit = places.isEmpty ? [] : TextFitting.places(places, of: whole, inMiddleOf: columns.count)
    put(glyphs, lit: lit, row: row, columns: columns, style: style)
  }

  /// Paints text, made safe and cut at its end if it does not fit into the columns.
  mutating func putEnd(
    _ text: String, row: Int, columns: Range<Int>, style: Style, lighting matcher: Matcher?
  ) {
    let whole = Glyphs.of(text, ascii: ascii)
    let glyphs = TextFitting.end(whole, to: columns.count, ascii: ascii)
    let places = matcher?.places(in: whole) ?? []
    let isCut = glyphs.count < whole.count || Glyphs.width(whole) > columns.count
    let lit = isCut ? places.filter { $0 < glyphs.count - 1 } : places
    put(glyphs, lit: lit, row: row, columns: columns, style: style)
  }

  private mutating func put(
    _ glyphs: [Glyph], lit places: [Int], row: Int, columns: Range<Int>, style: Style
  ) {
    put(glyphs, row: row, column: columns.lowerBound, width: columns.count, style: style)
    var lit = style
    lit.role = .match
    if style.role == .button { lit.ground = .lit }
    var (at, rest) = (columns.lowerBound, places[...])
    for (index, glyph) in glyphs.enumerated() where !rest.isEmpty {
      if rest.first == index {
        rest.removeFirst()
        put(CollectionOfOne(glyph), row: row, column: at, width: Int(glyph.width), style: lit)
      }
      at += Int(glyph.width)
    }
  }

  /// Paints text, made safe, so that it ends with the columns.
  mutating func putRight(_ text: String, row: Int, columns: Range<Int>, style: Style) {
    let glyphs = TextFitting.end(Glyphs.of(text, ascii: ascii), to: columns.count, ascii: ascii)
    let start = columns.upperBound - Glyphs.width(glyphs)
    put(glyphs, row: row, column: start, width: columns.count, style: style)
  }

  /// Fills columns of one line with a glyph.
  mutating func fill(row: Int, columns: Range<Int>, with glyph: Glyph = .space, style: Style) {
    guard row >= 0, row < size.height else { return }
    for column in columns.clamped(to: 0..<size.width) {
      frame.cells[row * size.width + column] = Cell(glyph: glyph, style: style)
    }
  }

  /// Draws a horizontal rule over the whole width, with words in it that end before column `end`.
  mutating func rule(row: Int, _ spans: Spans = [], end: Int = .max) {
    fill(row: row, columns: 0..<size.width, with: sign("─"), style: Style(.rule))
    put(spaced(spans), row: row, column: 1, width: min(end, size.width - 1) - 1)
  }

  /// Draws a line round a pane. Its upper edge has a title, which ends before column `end`, and keys; its lower edge
  /// has words and the cursor's position.
  mutating func outline(
    _ box: Layout.Box, _ title: Spans = [], end: Int = .max, keys: Spans = [], foot: Spans = [],
    position: String = ""
  ) {
    let (top, bottom) = (box.rows.lowerBound, box.rows.upperBound - 1)
    let (left, right) = (box.columns.lowerBound, box.columns.upperBound - 1)
    for row in [top, bottom] {
      fill(row: row, columns: left + 1..<right, with: sign("─"), style: Style(.rule))
    }
    for row in box.innerRows {
      for column in [left, right] {
        put([sign("│")], row: row, column: column, style: Style(.rule))
      }
    }
    put([sign("╭")], row: top, column: left, style: Style(.rule))
    put([sign("╮")], row: top, column: right, style: Style(.rule))
    put([sign("╰")], row: bottom, column: left, style: Style(.rule))
    put([sign("╯")], row: bottom, column: right, style: Style(.rule))
    let start = left + 2
    let used = put(spaced(title), row: top, column: start, width: min(end, right - 1) - start)
    putRight(keys, row: top, end: right - 1, from: start + used + 2)
    put(spaced(foot), row: bottom, column: start, width: right - left - 3)
    if !position.isEmpty { putRight([(position, .dim)], row: bottom, end: right - 1, from: left) }
  }

  private func spaced(_ spans: Spans) -> Spans {
    spans.isEmpty ? [] : [(" ", .rule)] + spans + [(" ", .rule)]
  }

  /// Paints `spans` so that they end before column `end`, unless they would begin before column `from`.
  private mutating func putRight(_ spans: Spans, row: Int, end: Int, from start: Int) {
    let column = end - spaced(spans).reduce(0) { $0 + $1.text.count }
    if column >= start { put(spaced(spans), row: row, column: column) }
  }

  /// Clears a rectangle and draws a frame round it, with a title in the upper edge. If `isDimming`, everything behind
  /// it is dimmed except the last line. Blank cells around the box set it off, without covering the header, the footer
  /// or the edges of panes.
  mutating func box(row: Int, column: Int, size: Size, title: String, isDimming: Bool = true) {
    let box = Layout.Box(
      rows: row..<row + max(1, size.height), columns: column..<column + size.width)
    let (last, end) = (box.rows.upperBound - 1, box.columns.upperBound)
    // A text field under the box must not keep the cursor.
    frame.cursor = nil
    for index in isDimming ? frame.cells.indices.dropLast(self.size.width) : 0..<0 {
      frame.cells[index].style = Style(.dim)
    }
    for y in max(1, row - 1)...max(last, min(last + 1, self.size.height - 3)) where !isEdge(y) {
      clearHalves(row: y, column: column - 1)
      clearHalves(row: y, column: end + 1)
      clearRow(y)
      fill(row: y, columns: column - 1..<end + 1, style: Style(.plain))
    }
    for y in box.rows {
      clearHalves(row: y, column: column)
      clearHalves(row: y, column: end)
      fill(row: y, columns: box.columns, style: Style(.plain))
    }
    outline(box, [(title, .heading)], keys: keys)
  }

  /// Whether a line is the upper or lower edge of panes.
  private func isEdge(_ row: Int) -> Bool {
    guard row >= 0, row < size.height else { return false }
    return ["╭", "╰", "─"].contains { sign($0) == frame.cells[row * size.width].glyph }
  }

  /// Clears a line between the edges of the panes, so that no row is cut in half by what lies over it.
  private mutating func clearRow(_ row: Int) {
    let bar = sign("│")
    let line = row * size.width
    // The last lines show no rows.
    guard row < size.height - 2 else { return }
    for index in line..<line + size.width where frame.cells[index].glyph != bar {
      frame.cells[index] = Cell(glyph: .space, style: Style(.dim))
    }
  }

  /// The number of a link to this address, for a style; 0 if it cannot be linked to.
  mutating func link(to url: String) -> UInt8 {
    guard let link = WebAddress.link(url) else { return 0 }
    if let index = frame.links.firstIndex(of: link) { return UInt8(index + 1) }
    guard frame.links.count < UInt8.max - 1 else { return 0 }
    frame.links.append(link)
    return UInt8(frame.links.count)
  }

  /// Shows the cursor where text is typed.
  mutating func setCursor(row: Int, column: Int) {
    guard row < size.height, column < size.width else { return }
    frame.cursor = Frame.Position(row: row, column: column)
  }

  mutating func setTitle(_ title: String, progress: Frame.Progress?) {
    (frame.title, frame.progress) = (title, progress)
  }

  func sign(_ sign: Unicode.Scalar) -> Glyph { Glyph(sign: sign, ascii: ascii) }

  /// Removes a wide character that an edge at `column` would cut in half.
  private mutating func clearHalves(row: Int, column: Int) {
    guard row >= 0, row < size.height, column > 0, column < size.width else { return }
    let at = row * size.width + column
    guard frame.cells[at].glyph.width == 0 else { return }
    frame.cells[at].glyph = .space
    frame.cells[at - 1].glyph = .space
  }
}
