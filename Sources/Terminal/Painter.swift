import CNcurses
import Screens

/// Writes only the cells in which a frame differs from the one on the terminal.
struct Painter {
  /// Between two cells that differ, up to this many equal ones are written again, since moving the cursor past them
  /// takes more bytes.
  private static let shortGap = 6

  private let cursorAddress = ControlSequences.capability("cup")
  private let plain = Array(ControlSequences.capability("sgr0").utf8)
  /// Whether the last cell of the screen can be written without scrolling the screen.
  private let canFillLastCell = !ControlSequences.flag("am") || ControlSequences.flag("xenl")

  private var bytes: [UInt8] = []
  /// Where the terminal's cursor is, if that is certain.
  private var place: (row: Int, column: Int)?
  private var style: Style?
  /// Whether links are sent.
  private let showsLinks: Bool
  /// The address that the text written next is linked to; empty for none.
  private var link = ""

  init(showsLinks: Bool) { self.showsLinks = showsLinks }

  /// The bytes that show `frame` in place of `old`, or of unknown contents if that is nil.
  mutating func paint(_ frame: Frame, over old: Frame?, within size: Size, _ palette: inout Palette)
    -> [UInt8]
  {
    (bytes, place, style, link) = ([], nil, nil, "")
    let old = old.map { Self.comparable($0, to: frame) }
    let rows = min(frame.size.height, size.height)
    let columns = min(frame.size.width, size.width)
    for row in 0..<rows {
      let line = frame.line(row).prefix(columns)
      let before = old?.line(row).prefix(columns)
      if before == line { continue }
      paint(line, of: frame, over: before, row: row, within: size, &palette)
    }
    lead(to: 0, in: frame)
    if style != nil { bytes += plain }
    // If the program is killed, the shell continues at the bottom of the screen.
    move(to: frame.cursor?.row ?? max(0, size.height - 1), frame.cursor?.column ?? 0)
    return bytes
  }

  /// The old frame, changed so that equal cells also look alike, since cells refer to addresses by their index in the
  /// frame.
  private static func comparable(_ old: Frame, to frame: Frame) -> Frame {
    if old.links == frame.links { return old }
    var old = old
    old.forgetLinks()
    return old
  }

  private mutating func paint(
    _ line: ArraySlice<Cell>, of frame: Frame, over before: ArraySlice<Cell>?, row: Int,
    within size: Size, _ palette: inout Palette
  ) {
    func differs(_ column: Int) -> Bool {
      guard let before else { return true }
      return line[line.startIndex + column] != before[before.startIndex + column]
    }
    var column = 0
    while column < line.count {
      let cell = line[line.startIndex + column]
      let step = max(1, Int(cell.glyph.width))
      defer { column += step }
      let isSame =
        !differs(column) && (step == 1 || column + 1 >= line.count || !differs(column + 1))
      if cell.glyph.width == 0 || isSame { continue }
      if row == size.height - 1, column + step == size.width, !canFillLastCell { continue }
      // A short, plain gap is written again rather than skipped.
      if let place, place.row == row, place.column < column,
        column - place.column <= Self.shortGap,
        line[(line.startIndex + place.column)..<(line.startIndex + column)]
          .allSatisfy({ $0.glyph.width == 1 && $0.glyph.base.isASCII && $0.style == style })
      {
        for gap in place.column..<column { bytes += line[line.startIndex + gap].glyph.text.utf8 }
        self.place = (row, column)
      }
      if place?.row != row || place?.column != column { move(to: row, column) }
      if cell.style != style {
        lead(to: cell.style.link, in: frame)
        bytes += palette.sequence(cell.style)
        style = cell.style
      }
      put(cell.glyph, row: row, column: column)
      // At the right edge, terminals differ in where the cursor is.
      if column + step >= size.width { place = nil }
    }
  }

  /// Makes the following cells part of a link, or of none.
  private mutating func lead(to number: UInt8, in frame: Frame) {
    guard showsLinks else { return }
    let next = number > 0 ? frame.links[Int(number) - 1] : ""
    guard next != link else { return }
    bytes += ControlSequences.link(next, number: number).utf8
    link = next
  }

  private mutating func put(_ glyph: Glyph, row: Int, column: Int) {
    let width = Int(glyph.width)
    guard glyph.isFlexible || !glyph.base.isASCII && !isAgreed(glyph) else {
      glyph.append(to: &bytes)
      place = (row, column + width)
      return
    }
    // The glyph's real width must not shift anything else.
    bytes += repeatElement(UInt8(ascii: " "), count: width)
    move(to: row, column)
    glyph.append(to: &bytes)
    place = nil
  }

  /// Whether the system's tables, and so probably the terminal, give the glyph the width that it has here.
  private func isAgreed(_ glyph: Glyph) -> Bool {
    curses_columns(wchar_t(truncatingIfNeeded: glyph.base.value)) == Int32(glyph.width)
  }

  private mutating func move(to row: Int, _ column: Int) {
    bytes += ControlSequences.filled(cursorAddress, row, column).utf8
    place = (row, column)
  }
}

extension Glyph {
  fileprivate func append(to bytes: inout [UInt8]) {
    for scalar in [base, mark, secondMark] where scalar != "\0" {
      bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
    }
  }
}
