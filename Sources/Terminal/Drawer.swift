import CNcurses
import Screens

/// Puts frames on the screen: ncurses draws their cells, and what it has no words for is written over its rows.
///
/// Over the rows lie links, and glyphs whose width the C library does not know or sees otherwise; below them, ncurses has
/// blanks of the width that frames count with. As ncurses knows nothing of this:
/// - If a cell of a row changes, what lies over the row is written again from shortly before that cell on: ncurses moves the
///   cursor by some columns by printing what it believes to be there, and erases the ends of rows. In the cursor's old and
///   new rows, all of it is written again.
/// - Where something else lies over a row, ncurses first draws all of the row again.
/// - ncurses must not move lines, or erase their beginnings (`TerminalDescription`), or move parts of them (`idcok`).
struct Drawer {
  private let screen: curses_window
  private let output: CapturedOutput
  /// Whether links are sent.
  private let showsLinks: Bool
  private let cursorAddress = ControlSequences.capability("cup")
  /// How many columns ncurses may print to move the cursor: it takes the shortest sequence, and one with the address of a
  /// cell is no longer than this.
  private static let reach = 12

  /// What lies over the rows that anything lies over.
  private var laid: [Int: [Laid]] = [:]
  /// Where ncurses believes the cursor to be.
  private var cursor = (row: 0, column: 0)
  /// Whether the terminal may show something else than ncurses believes.
  private var isUnknown = true
  /// The cells that are being put on the screen.
  private var cells: [cchar_t] = []

  /// A cell over which something lies.
  private struct Laid: Equatable {
    var column: Int
    /// What is there, if it is a glyph of disputed width.
    var glyph: Glyph?
    var address: String
  }

  init(on screen: curses_window, _ output: CapturedOutput, showsLinks: Bool) {
    (self.screen, self.output, self.showsLinks) = (screen, output, showsLinks)
    idcok(screen, false)
    // ncurses would stop in the middle of a frame while a key waits.
    typeahead(-1)
  }

  /// Clears the screen.
  mutating func clear() {
    werase(screen)
    clearok(screen, true)
    wrefresh(screen)
    laid = [:]
    isUnknown = false
  }

  /// Makes the next frame draw all cells, since the terminal may have changed them.
  mutating func distrust() {
    laid = [:]
    isUnknown = true
  }

  /// The bytes that draw `frame` in place of `old`, or of unknown cells if that is nil.
  mutating func draw(_ frame: Frame, over old: Frame?, _ palette: inout Palette) -> [UInt8] {
    let rows = min(frame.size.height, Int(getmaxy(screen)))
    let columns = min(frame.size.width, Int(getmaxx(screen)))
    let old = old?.size == frame.size ? old : nil
    let hasOtherLinks = old?.links != frame.links
    if isUnknown { redrawwin(screen) }
    isUnknown = false
    /// For each row, the column from which on what lies over it is written again.
    var starts = Array(repeating: columns, count: rows)
    for row in 0..<rows {
      let line = frame.line(row).prefix(columns)
      let before = old?.line(row).prefix(columns)
      if before == line, !hasOtherLinks || laid[row] == nil { continue }
      let first = put(line, over: before, row: row, &palette)
      let isAnother = lay(line, of: frame, row: row)
      starts[row] = isAnother ? 0 : max(0, first - Self.reach)
    }
    if starts.indices.contains(cursor.row) { starts[cursor.row] = 0 }
    // If the program is killed, the shell continues at the bottom of the screen.
    cursor = frame.cursor.map { ($0.row, $0.column) } ?? (max(0, rows - 1), 0)
    if starts.indices.contains(cursor.row) { starts[cursor.row] = 0 }
    wmove(screen, Int32(cursor.row), Int32(cursor.column))
    wnoutrefresh(screen)
    let drawn = output.capture {
      doupdate()
      if old == nil || (frame.cursor == nil) != (old?.cursor == nil) {
        curs_set(frame.cursor == nil ? 0 : 1)
      }
    }
    return drawn + over(starts, of: frame, &palette)
  }

  // MARK: What ncurses draws

  /// Puts the cells of a row between the first and the last that differ. Returns the column of the first.
  private mutating func put(
    _ line: ArraySlice<Cell>, over before: ArraySlice<Cell>?, row: Int, _ palette: inout Palette
  ) -> Int {
    var (first, last) = (0, line.count - 1)
    let start = line.startIndex
    if let before {
      while first <= last, line[start + first] == before[before.startIndex + first] { first += 1 }
      while last > first, line[start + last] == before[before.startIndex + last] { last -= 1 }
    }
    while first > 0, first <= last, line[start + first].glyph.width == 0 { first -= 1 }
    cells.removeAll(keepingCapacity: true)
    var column = first
    var ink: (style: Style, value: Palette.Ink)?
    while column <= last {
      let cell = line[start + column]
      // Most cells are like the one before: blanks, a bar's, a rule's.
      if column > first, cell == line[start + column - 1], cell.glyph.width == 1,
        let same = cells.last
      {
        cells.append(same)
        column += 1
        continue
      }
      let width = max(1, Int(cell.glyph.width))
      if ink?.style != cell.style { ink = (cell.style, palette.ink(cell.style)) }
      guard let ink = ink?.value else { break }
      if isDisputed(cell.glyph) || column + width > line.count {
        for _ in 0..<min(width, line.count - column) { add(" ", in: ink) }
      } else {
        add(cell.glyph.base, cell.glyph.mark, cell.glyph.secondMark, in: ink)
      }
      column += width
    }
    if !cells.isEmpty {
      mvwadd_wchnstr(screen, Int32(row), Int32(first), cells, Int32(cells.count))
    }
    return first
  }

  private mutating func add(
    _ base: Unicode.Scalar, _ mark: Unicode.Scalar = "\0", _ secondMark: Unicode.Scalar = "\0",
    in ink: Palette.Ink
  ) {
    var cell = cchar_t()
    curses_fill_cell(
      &cell, base.value, mark.value, secondMark.value, ink.attributes, ink.pair)
    cells.append(cell)
  }

  /// Whether the C library, and so ncurses and probably some terminals, give the glyph another width than it has here.
  private func isDisputed(_ glyph: Glyph) -> Bool {
    func columns(_ scalar: Unicode.Scalar) -> Int32 {
      curses_columns(wchar_t(truncatingIfNeeded: scalar.value))
    }
    if glyph.isPlain { return false }
    return glyph.isFlexible || columns(glyph.base) != Int32(glyph.width)
      || [glyph.mark, glyph.secondMark].contains { $0 != "\0" && columns($0) != 0 }
  }

  // MARK: What lies over it

  /// Notes what lies over a row. Returns whether that is something else than before.
  private mutating func lay(_ line: ArraySlice<Cell>, of frame: Frame, row: Int) -> Bool {
    var new: [Laid] = []
    for (column, cell) in line.enumerated() where cell.glyph.width > 0 {
      if cell.glyph.isPlain, cell.style.link == 0 { continue }
      let address = address(of: cell, in: frame)
      let isDisputed = isDisputed(cell.glyph)
      guard isDisputed || !address.isEmpty else { continue }
      new.append(Laid(column: column, glyph: isDisputed ? cell.glyph : nil, address: address))
    }
    let old = laid[row] ?? []
    if !old.isEmpty, old != new { wredrawln(screen, Int32(row), 1) }
    laid[row] = new.isEmpty ? nil : new
    return old != new
  }

  private func address(of cell: Cell, in frame: Frame) -> String {
    showsLinks && cell.style.link > 0 ? frame.links[Int(cell.style.link) - 1] : ""
  }

  /// The bytes that write what lies over each row from a column on, and bring the cursor back to its place.
  private func over(_ starts: [Int], of frame: Frame, _ palette: inout Palette) -> [UInt8] {
    Self.bytes = []
    for (row, start) in starts.enumerated() where laid[row] != nil {
      let line = frame.line(row).prefix(Int(getmaxx(screen)))
      var link: (address: String, number: UInt8) = ("", 0)
      /// Where the terminal's cursor is, if that is certain, and the end of the last disputed glyph.
      var (place, end): (Int?, Int?)
      for (column, cell) in line.enumerated() where cell.glyph.width > 0 {
        guard column + Int(cell.glyph.width) > start else { continue }
        let address = address(of: cell, in: frame)
        let isDisputed = isDisputed(cell.glyph)
        // After a disputed glyph, which may have covered its beginning, the next one is written again.
        guard isDisputed || !address.isEmpty || end == column else { continue }
        if place != column { move(to: row, column) }
        if address != link.address {
          Self.bytes += ControlSequences.link(address, number: cell.style.link).utf8
          link = (address, cell.style.link)
        }
        show(palette.ink(cell.style))
        Self.bytes += cell.glyph.text.utf8
        let next = column + Int(cell.glyph.width)
        (place, end) = isDisputed ? (nil, next) : (next, nil)
      }
      if !link.address.isEmpty { Self.bytes += ControlSequences.link("", number: 0).utf8 }
    }
    guard !Self.bytes.isEmpty else { return [] }
    show(Palette.Ink(attributes: 0, pair: 0))
    move(to: cursor.row, cursor.column)
    return Self.bytes
  }

  private func move(to row: Int, _ column: Int) {
    Self.bytes += ControlSequences.filled(cursorAddress, row, column).utf8
  }

  /// What `vid_puts` writes, which takes a function of C.
  private static var bytes: [UInt8] = []

  private func show(_ ink: Palette.Ink) {
    var pair = ink.pair
    vid_puts(ink.attributes, 0, &pair) { character in
      MainActor.assumeIsolated { Drawer.bytes.append(UInt8(truncatingIfNeeded: character)) }
      return character
    }
  }
}

extension Glyph {
  /// Whether nobody disputes its width: it is of ASCII, or belongs to what frames are drawn with.
  fileprivate var isPlain: Bool {
    mark == "\0" && (base.isASCII || (0x2500..<0x25A0).contains(base.value))
  }
}
