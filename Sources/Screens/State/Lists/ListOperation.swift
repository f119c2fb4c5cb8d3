/// An operation on a list, whatever the list shows.
enum ListOperation {
  /// An action that a key asks for, and that moves the cursor or changes marks.
  case key(Action.Name)
  /// The cursor moves to a row, or to the nearest one that exists.
  case row(Int)
  /// Only rows that match this `RowFilter` become visible. If the text is empty, all do.
  case filter(String)
  /// The cursor moves to the next matching row, from a given row on, wrapping around at the end.
  case find(Matcher, from: Int, step: Int)
  /// The cursor moves to the next row of one of these kinds, wrapping around at the end.
  case next([RowKind])
  /// The marking of a range ends.
  case endRange
  /// The marks are cleared if the row under the cursor is not marked.
  case forgetOtherMarks

  /// Whether it moves the cursor.
  var moves: Bool {
    switch self {
    case .key(let name): name.has(.looks)
    case .row, .find, .next: true
    case .filter, .endRange, .forgetOtherMarks: false
    }
  }
}
