/// A whole screen, independent of how the terminal draws it.
package struct Frame: Hashable, Sendable {
  /// A place on the screen, counted from 0 at the top left.
  package struct Position: Hashable, Sendable {
    package var row: Int
    package var column: Int
  }

  package let size: Size
  /// The cells, line by line; `size.width * size.height` of them.
  package internal(set) var cells: [Cell]
  /// Where text is being typed; `nil` hides the cursor.
  package internal(set) var cursor: Position?
  /// The theme, which says how the roles of the cells look.
  package internal(set) var theme = Theme.usual
  /// The addresses of links, safe to send to the terminal. A cell refers to one by its index in this array, from 1.
  package internal(set) var links: [String] = []
  /// The title for the terminal's window, safe to send to the terminal.
  package internal(set) var title = ""
  /// The total progress, for terminals that show it beside their title; `nil` if nothing is being sent.
  package internal(set) var progress: Progress?

  package struct Progress: Hashable, Sendable {
    /// Whole percent, 0 to 100.
    package var percent: Int
    package var hasFailures: Bool
  }

  init(size: Size) {
    self.size = size
    cells = Array(repeating: .blank, count: size.width * size.height)
  }

  package func line(_ row: Int) -> ArraySlice<Cell> {
    cells[row * size.width..<(row + 1) * size.width]
  }
}

/// One place of the grid.
package struct Cell: Hashable, Sendable {
  /// The character in the cell. The second cell of a wide character has a glyph of width 0.
  package var glyph: Glyph
  package var style: Style

  static let blank = Cell(glyph: .space, style: Style(.plain))
}

/// The size of the screen in columns and lines.
package struct Size: Hashable, Sendable {
  package var width: Int
  package var height: Int

  package init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }
}

extension Size {
  /// The columns of a box of this width in the middle of the screen, or as near as possible to column `left`. If the box
  /// would come near a side of the screen, it goes up to there, since a sliver of the panes beside it would look like a
  /// part of it.
  func columns(of width: Int, from left: Int? = nil) -> Range<Int> {
    let far = Canvas.margin + 1
    let start = left ?? (self.width - width) / 2
    let isAtTheLeft = start < far
    let isAtTheRight = start + width > self.width - far
    if width > self.width - far || isAtTheLeft && left == nil { return 0..<self.width }
    if isAtTheRight { return self.width - width..<self.width }
    return isAtTheLeft ? 0..<width : start..<start + width
  }
}
