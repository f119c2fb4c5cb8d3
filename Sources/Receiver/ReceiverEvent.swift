/// Something that happened in a receiver, for one line of a log.
@nonexhaustive
public enum ReceiverEvent: Sendable {
  /// A file arrived in full and is visible under its final name.
  case stored(StoredFile, client: String)
  /// A client deleted a stored file.
  case deleted(String, client: String)
  /// A request was answered with an error. The request line comes from the client: escape it before showing it on a
  /// terminal.
  case refused(status: Int, message: String, request: String, client: String)
  /// An endpoint threw an error of its own, or its reply cannot be sent. The client gets only a 500, which
  /// ``refused(status:message:request:client:)`` reports next.
  case failed(error: String, request: String, client: String)
  /// A client disconnected in the middle of a request or its reply. The received part of a request was deleted, unless
  /// the upload can resume.
  case disconnected(request: String, client: String)
  /// The receiver was stopped in the middle of a request. The received part was deleted, unless the upload can resume.
  case brokenOff(request: String, client: String)
}
