/// Something that a receiver tells its owner, for a line of a log.
public enum ReceiverEvent: Sendable {
  /// A file arrived whole and is visible under its final name.
  case stored(StoredFile, client: String)
  /// A request was answered with an error. The request line is what the client sent: make it safe before
  /// showing it on a terminal.
  case refused(status: Int, message: String, request: String, client: String)
  /// A client went away in the middle of a request, so what it had sent is deleted, or in the middle of
  /// the reply.
  case disconnected(request: String, client: String)
  /// The receiver was stopped in the middle of a request, and what had come of it is deleted.
  case brokenOff(request: String, client: String)
}
