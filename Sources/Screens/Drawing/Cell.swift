/// One place of the grid.
package struct Cell: Hashable, Sendable {
  /// The character in the cell. The second cell of a wide character has a glyph of width 0.
  package var glyph: Glyph
  /// How it looks.
  package var style: Style

  static let blank = Cell(glyph: .space, style: Style(.plain))
}
