/// How a cell is to be drawn.
package struct Style: Hashable, Sendable {
  /// What the cell means.
  package var role: Role
  /// Whether the cell belongs to the row under the cursor.
  package var isSelected: Bool

  /// A style for `role`.
  package init(_ role: Role, isSelected: Bool = false) {
    self.role = role
    self.isSelected = isSelected
  }
}
