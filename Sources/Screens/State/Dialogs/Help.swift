/// The help overlay: how far it is scrolled, and what is looked for in it.
struct Help: Sendable {
  /// Where it was asked for: the keys of that come first.
  var mode = Mode.queue
  var scroll = 0
  /// Only actions whose keys or words hold this text are shown; all where it is empty.
  var filter = ""
  /// The filter, while it is being typed.
  var prompt: TextField?
}
