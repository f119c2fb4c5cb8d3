/// An operation on a list, whatever it shows.
enum ListOperation {
  /// What a key asks for: moving about, or marks.
  case key(Action.Name)
  /// The cursor moves to a row, or by a number of rows.
  case row(Int), by(Int)
  /// Only rows whose names contain this text are visible from now on; all if it is empty.
  case filter(String)
  /// The cursor moves to the next row that matches, from a given one and around the end.
  case find(Matcher, from: Int, step: Int)
  /// A range of marks ends here.
  case endRange
}
