/// Something that was done with the mouse; rows and columns are counted from 0.
package struct Mouse: Sendable, Hashable {
  /// What was done.
  package enum Kind: Sendable, Hashable {
    /// The left button, down and up again at the same place.
    case click
    /// Where the left button went down that is now dragged; where it is by now; where it goes up.
    case grab, drag, drop
    /// The right button.
    case menu
    case wheelUp, wheelDown
  }

  /// What was done.
  package var kind: Kind
  /// Where, counted from the top.
  package var row: Int
  /// Where, counted from the left.
  package var column: Int

  /// `kind` at a place.
  package init(_ kind: Kind, row: Int, column: Int) {
    self.kind = kind
    self.row = row
    self.column = column
  }
}
