/// A frame being painted. What does not fit is left out, never wrapped or shifted.
struct Canvas {
  /// The pieces of one line, each in its own role.
  typealias Spans = [(text: String, role: Role)]

  private(set) var frame: Frame
  let ascii: Bool
  /// The keys in the top border of the boxes drawn from now on.
  var keys: Spans = []
  /// The frames drawn so far.
  private var frames: [Layout.Box] = []
  /// The upper and lower edges of frames that are in sight as a whole, and the rules.
  private var edges: [Edge] = []

  private struct Edge {
    let row: Int
    let columns: Range<Int>
    var isRule = false
  }

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
    edges.append(Edge(row: row, columns: 0..<size.width, isRule: true))
    fill(row: row, columns: 0..<size.width, with: sign("─"), style: Style(.rule))
    putSpaced(spans, row: row, column: 1, width: min(end, size.width - 1) - 1)
  }

  /// Draws a line round a pane. Its upper edge has a title, which ends before column `end`, and keys; its lower edge
  /// has words and the cursor's position.
  mutating func outline(
    _ box: Layout.Box, _ title: Spans = [], end: Int = .max, keys: Spans = [], foot: Spans = [],
    position: String = ""
  ) {
    let (top, bottom) = (box.rows.lowerBound, box.rows.upperBound - 1)
    let (left, right) = (box.columns.lowerBound, box.columns.upperBound - 1)
    frames.append(box)
    for row in [top, bottom] {
      edges.append(Edge(row: row, columns: box.columns))
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
    let used = putSpaced(title, row: top, column: start, width: min(end, right - 1) - start)
    putRight(keys, row: top, end: right - 1, from: start + used + 2)
    putSpaced(foot, row: bottom, column: start, width: right - left - 3)
    if !position.isEmpty { putRight([(position, .dim)], row: bottom, end: right - 1, from: left) }
  }

  /// Paints words into an edge, with a blank on both sides, even if they are cut. Returns how many columns they take.
  @discardableResult
  private mutating func putSpaced(_ spans: Spans, row: Int, column: Int, width: Int) -> Int {
    guard !spans.isEmpty, width > 2 else { return 0 }
    let blank: Spans = [(" ", .rule)]
    put(blank, row: row, column: column)
    let used = put(spans, row: row, column: column + 1, width: width - 2)
    put(blank, row: row, column: column + 1 + used)
    return used + 2
  }

  private func spaced(_ spans: Spans) -> Spans {
    spans.isEmpty ? [] : [(" ", .rule)] + spans + [(" ", .rule)]
  }

  /// Paints `spans` so that they end before column `end`, unless they would begin before column `from`.
  private mutating func putRight(_ spans: Spans, row: Int, end: Int, from start: Int) {
    let column = end - spaced(spans).reduce(0) { $0 + $1.text.count }
    if column >= start { put(spaced(spans), row: row, column: column) }
  }

  /// How many blank columns there are at least between a box and what is beside it.
  static let margin = 3

  /// Clears a rectangle and draws a frame round it, with a title in the upper edge. If `isDimming`, everything behind
  /// it is dimmed except the last line. What is beside the box in the columns `within` makes room for it.
  mutating func box(
    row: Int, columns: Range<Int>, height: Int, title: String, within: Range<Int>? = nil,
    isDimming: Bool = true
  ) {
    let box = Layout.Box(rows: row..<row + max(1, height), columns: columns)
    // A text field under the box must not keep the cursor.
    frame.cursor = nil
    for index in isDimming ? frame.cells.indices.dropLast(size.width) : 0..<0 {
      frame.cells[index].style = Style(.dim)
    }
    makeRoom(
      for: box, within: within ?? 0..<size.width, style: Style(isDimming ? .dim : .rule))
    for y in box.rows {
      clearHalves(row: y, column: columns.lowerBound)
      clearHalves(row: y, column: columns.upperBound)
      fill(row: y, columns: columns, style: Style(.plain))
    }
    outline(box, [(title, .heading)], keys: keys)
  }

  /// Clears the lines beside a box, and one above and below it, so that nothing there looks like a part of the box or is
  /// cut by it. Of the frames behind it, these lines stay: sides that are not near the box or lead to its corners, and
  /// edges above and below that pass it on both sides. Where an edge is cleared, the sides go on, so that nothing is left
  /// of it. The last two lines of the screen stay unless the box covers them.
  private mutating func makeRoom(
    for box: Layout.Box, within columns: Range<Int>, style: Style
  ) {
    let near = box.columns.lowerBound - Self.margin..<box.columns.upperBound + Self.margin
    func isOverlaid(_ edge: Edge) -> Bool {
      box.rows.contains(edge.row)
        || edge.columns.overlaps(near)
          && !(edge.columns.lowerBound < near.lowerBound
            && edge.columns.upperBound > near.upperBound)
    }
    let first = max(1, box.rows.lowerBound - 1)
    let last = max(box.rows.upperBound - 1, min(box.rows.upperBound, size.height - 3))
    let rows = first..<min(last + 1, size.height - 1)
    let overlaid = edges.filter { rows.contains($0.row) && isOverlaid($0) }
    edges.removeAll { rows.contains($0.row) && isOverlaid($0) }
    let corners = box.sides
    for y in rows {
      let sides = sides(inRow: y).filter {
        !near.contains($0) || !box.rows.contains(y) && corners.contains($0)
      }
      let kept = edges.filter { $0.row == y }.map(\.columns) + sides.map { $0..<$0 + 1 }
      let line = y * size.width
      // Copies, since slices of the frame would have all of it copied when it changes.
      let cells = kept.map { Array(frame.cells[line + $0.lowerBound..<line + $0.upperBound]) }
      fill(row: y, columns: columns, style: Style(.plain))
      for (columns, cells) in zip(kept, cells) {
        frame.cells.replaceSubrange(
          line + columns.lowerBound..<line + columns.upperBound, with: cells)
      }
      for edge in overlaid where edge.row == y && !edge.isRule {
        for x in [edge.columns.lowerBound, edge.columns.upperBound - 1]
        where columns.contains(x) && !near.contains(x) {
          put([sign("│")], row: y, column: x, style: style)
        }
      }
    }
  }

  /// The columns of a line in which sides of frames are in sight.
  private func sides(inRow row: Int) -> [Int] {
    frames.filter { $0.rows.contains(row) }.flatMap(\.sides)
      .filter { frame.cells[row * size.width + $0].glyph == sign("│") }
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
