/// An operation on a list, whatever it shows.
enum ListOperation {
  /// What a key asks for: moving about, or marks.
  case key(Action.Name)
  /// The cursor goes to a row, or so many rows further.
  case row(Int), by(Int)
  /// Only rows whose names hold this text are seen from now on; all where it is empty.
  case filter(String)
  /// The cursor goes to the next row that matches, from one on and round the end.
  case find(Matcher, from: Int, step: Int)
  /// A range of marks ends here.
  case endRange
}
