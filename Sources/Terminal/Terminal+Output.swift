import CNcurses
import Foundation
import Screens

/// Drawing frames.
extension Terminal {
  /// Shows `frame`, sending only the lines that have changed.
  package func draw(_ frame: Frame) {
    guard isOpen, frame != shown else { return }
    send(ControlSequences.beginUpdate)
    if hasTitle, frame.title != shown?.title { send(ControlSequences.title(frame.title)) }
    if features.showsProgress, frame.progress != shown?.progress {
      send(ControlSequences.progress(frame.progress))
    }
    let old = shown?.size == frame.size ? shown : nil
    var overlay = Overlay()
    let (rows, columns) = (
      min(frame.size.height, Int(getmaxy(screen))), min(frame.size.width, Int(getmaxx(screen)))
    )
    for row in 0..<rows {
      let line = frame.line(row).prefix(columns)
      if let old, old.line(row) == frame.line(row) { continue }
      for (column, cell) in line.enumerated() {
        put(cell, row: row, column: column)
        if cell.glyph.isFlexible {
          overlay.add(cell.glyph.text, row: row, column: column, look: palette.codes(cell.style))
        }
      }
    }
    if let cursor = frame.cursor {
      wmove(screen, Int32(cursor.row), Int32(cursor.column))
    }
    if shown == nil || (frame.cursor == nil) != (shown?.cursor == nil) {
      curs_set(frame.cursor == nil ? 0 : 1)
    }
    wrefresh(screen)
    send(overlay.sequence() + ControlSequences.endUpdate)
    shown = frame
  }

  private func put(_ cell: Cell, row: Int, column: Int) {
    let glyph = cell.glyph
    guard glyph.width > 0 else { return }
    let look = palette.look(cell.style)
    let base = wchar_t(bitPattern: glyph.base.value)
    if glyph.isFlexible {
      return fill(cell, with: Overlay.blank, row: row, column: column)
    }
    // ncurses would miscount columns if the system's tables lack the character.
    guard glyph.base.isASCII || curses_columns(base) == Int32(glyph.width) else {
      return fill(cell, with: "?", row: row, column: column)
    }
    curses_put(
      screen, Int32(row), Int32(column), base, mark(glyph.mark), mark(glyph.secondMark),
      look.attributes, look.pair)
  }

  private func fill(_ cell: Cell, with scalar: Unicode.Scalar, row: Int, column: Int) {
    let look = palette.look(cell.style)
    for offset in 0..<Int(cell.glyph.width) {
      curses_put(
        screen, Int32(row), Int32(column + offset), wchar_t(bitPattern: scalar.value), 0, 0,
        look.attributes, look.pair)
    }
  }

  private func mark(_ scalar: Unicode.Scalar) -> wchar_t {
    let value = wchar_t(bitPattern: scalar.value)
    return value != 0 && curses_columns(value) == 0 ? value : 0
  }

  func send(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return
      }
    }
  }
}
