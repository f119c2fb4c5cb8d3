/// A text to look for, being typed.
struct FindPrompt: Sendable {
  var field = TextField()
  /// Whether everything else is to be hidden.
  let isFilter: Bool
  /// Where the cursor was, and what was filtered, before.
  let cursor: Int
  let filter: String
}
