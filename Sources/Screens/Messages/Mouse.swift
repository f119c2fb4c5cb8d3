/// Something that was done with the mouse; rows and columns are counted from 0.
public struct Mouse: Sendable, Hashable {
  /// What was done.
  public enum Kind: Sendable, Hashable {
    case click, wheelUp, wheelDown
  }

  /// What was done.
  public var kind: Kind
  /// Where, counted from the top.
  public var row: Int
  /// Where, counted from the left.
  public var column: Int

  /// `kind` at a place.
  public init(_ kind: Kind, row: Int, column: Int) {
    self.kind = kind
    self.row = row
    self.column = column
  }
}
