/// One place of the grid.
public struct Cell: Hashable, Sendable {
  /// What stands there. The second cell of a wide character holds a glyph of width 0.
  public var glyph: Glyph
  /// How it looks.
  public var style: Style

  static let blank = Cell(glyph: .space, style: Style(.plain))
}
