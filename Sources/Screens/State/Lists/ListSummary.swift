/// A summary of a list, whatever it shows.
struct ListSummary {
  var cursor: Int
  var scroll: Int
  /// How many rows are visible.
  var count: Int
  var filter = ""
  var marked = 0
  var isMarkingRange = false
  /// The name of the row that the cursor is on.
  var name: String?
}
