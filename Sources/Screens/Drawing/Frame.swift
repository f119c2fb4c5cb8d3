/// The size of the screen in cells.
public struct Size: Hashable, Sendable {
  /// Columns.
  public var width: Int
  /// Lines.
  public var height: Int

  /// A screen of `width` columns and `height` lines.
  public init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }
}

/// What a cell means; the terminal decides how it looks. Nothing is told by the role alone: with
/// neither colour nor attributes the words and glyphs still say all of it.
public enum Role: UInt8, Hashable, Sendable, CaseIterable {
  case plain, dim, heading, rule, accent, good, bad, warning, barFull, barRest, field, button
}

/// How a cell is to be drawn.
public struct Style: Hashable, Sendable {
  /// What the cell means.
  public var role: Role
  /// Whether the cell belongs to the row under the cursor.
  public var isSelected: Bool

  /// A style for `role`.
  public init(_ role: Role, isSelected: Bool = false) {
    self.role = role
    self.isSelected = isSelected
  }
}

/// One place of the grid.
public struct Cell: Hashable, Sendable {
  /// What stands there. The second cell of a wide character holds a glyph of width 0.
  public var glyph: Glyph
  /// How it looks.
  public var style: Style

  static let blank = Cell(glyph: .space, style: Style(.plain))
}

/// A whole screen: what the terminal should show, and nothing about how it gets there.
public struct Frame: Hashable, Sendable {
  /// A place on the screen, counted from 0 at the top left.
  public struct Position: Hashable, Sendable {
    /// The line.
    public var row: Int
    /// The column.
    public var column: Int
  }

  /// The size of the grid.
  public let size: Size
  /// The cells, line by line; `size.width * size.height` of them.
  public internal(set) var cells: [Cell]
  /// Where text is being typed; `nil` hides the cursor.
  public internal(set) var cursor: Position?
  /// The title for the terminal's window, safe to send.
  public internal(set) var title = ""
  /// How far everything is, for terminals that show it beside their title; `nil` where nothing is
  /// being sent.
  public internal(set) var progress: Progress?

  /// How far everything is.
  public struct Progress: Hashable, Sendable {
    /// Whole percent, 0 to 100.
    public var percent: Int
    /// Whether something has failed.
    public var hasFailures: Bool
  }

  init(size: Size) {
    self.size = size
    cells = Array(repeating: .blank, count: size.width * size.height)
  }

  /// The cells of one line.
  public func line(_ row: Int) -> ArraySlice<Cell> {
    cells[row * size.width..<(row + 1) * size.width]
  }
}
