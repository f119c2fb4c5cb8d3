extension Canvas {
  /// Paints a progress bar: eighths of a cell, or `#` and `.` in ASCII. It is full only where
  /// everything is done, and shows a sliver as soon as anything is.
  mutating func bar(_ done: Int64, of total: Int64, row: Int, columns: Range<Int>, selected: Bool) {
    let steps = ascii ? 1 : 8
    let cells = columns.count
    let share = total > 0 ? Double(min(max(0, done), total)) / Double(total) : 0
    var filled = Int(share * Double(cells * steps))
    if done > 0, filled == 0 { filled = 1 }
    let full = columns.lowerBound + filled / steps
    let style = Style(.barFull, isSelected: selected)
    let rest = Style(.barRest, isSelected: selected)
    fill(row: row, columns: columns, with: Glyph(base: ascii ? "." : "·"), style: rest)
    fill(
      row: row, columns: columns.lowerBound..<full, with: Glyph(base: ascii ? "#" : "█"),
      style: style)
    if filled % steps > 0, full < columns.upperBound {
      put([Glyph(base: Self.eighths[filled % steps - 1])], row: row, column: full, style: style)
    }
  }

  private static let eighths: [Unicode.Scalar] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]
}
