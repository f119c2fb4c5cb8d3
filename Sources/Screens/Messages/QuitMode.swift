/// How to leave.
package enum QuitMode: Sendable, Equatable {
  /// Nothing is being sent.
  case idle
  /// Break off what is being sent, in order, then leave.
  case stopping
  /// Break off what is being sent, in order, and let another process continue with the queue.
  case background
  /// Leave at once: the user asked twice.
  case forced
}
