/// The help overlay: its scroll position and its filter.
struct Help: Sendable {
  /// Where it was opened, whose keys come first.
  var mode = Mode.queue
  var scroll = 0
  /// Only actions whose keys or words contain this text are shown; all if it is empty.
  var filter = ""
  /// The filter, while it is being typed.
  var prompt: TextField?
}
