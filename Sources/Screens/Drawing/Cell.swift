/// One place of the grid.
public struct Cell: Hashable, Sendable {
  /// The character in the cell. The second cell of a wide character has a glyph of width 0.
  public var glyph: Glyph
  /// How it looks.
  public var style: Style

  static let blank = Cell(glyph: .space, style: Style(.plain))
}
