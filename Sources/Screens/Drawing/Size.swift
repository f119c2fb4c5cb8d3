/// The size of the screen in cells.
package struct Size: Hashable, Sendable {
  /// Columns.
  package var width: Int
  /// Lines.
  package var height: Int

  /// A screen of `width` columns and `height` lines.
  package init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }
}
