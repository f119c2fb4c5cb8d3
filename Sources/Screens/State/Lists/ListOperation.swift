/// An operation on a list, whatever it shows.
enum ListOperation {
  /// What a key asks for: moving about, or marks.
  case key(Action.Name)
  /// The cursor moves to a row, or by a number of rows.
  case row(Int), by(Int)
  /// Only rows that `RowFilter` shows are visible from now on; all if the text is empty.
  case filter(String)
  /// The cursor moves to the next row that matches, from a given one and around the end.
  case find(Matcher, from: Int, step: Int)
  /// The cursor moves to the next row of one of these kinds, around the end.
  case next([RowKind])
  /// A range of marks ends here.
  case endRange
  /// Marks go if the row under the cursor is not one of those that have them.
  case forgetOtherMarks

  /// Whether it moves the cursor.
  var moves: Bool {
    switch self {
    case .key(let name): name.has(.looks)
    case .row, .by, .find, .next: true
    case .filter, .endRange, .forgetOtherMarks: false
    }
  }
}
