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
