/// The prompt for a text to find.
struct FindPrompt: Sendable {
  var field = TextField()
  /// Whether everything else is to be hidden.
  let isFilter: Bool
  /// The cursor and the filter from before.
  let cursor: Int
  let filter: String
}
