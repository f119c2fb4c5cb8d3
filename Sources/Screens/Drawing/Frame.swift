/// A whole screen, independent of how the terminal draws it.
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
  /// The total progress, for terminals that show it beside their title; `nil` if nothing is being sent.
  public internal(set) var progress: Progress?

  /// The total progress.
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
