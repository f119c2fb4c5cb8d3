/// An action of the mouse; rows and columns are counted from 0.
package struct Mouse: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// The left button, down and up again at the same place.
    case click
    /// A drag with the left button: where the button went down, where the pointer is now, where the button went up.
    case grab, drag, drop
    /// The right button.
    case menu
    case wheelUp, wheelDown
  }

  package var kind: Kind
  package var row: Int
  package var column: Int

  package init(_ kind: Kind, row: Int, column: Int) {
    (self.kind, self.row, self.column) = (kind, row, column)
  }
}
