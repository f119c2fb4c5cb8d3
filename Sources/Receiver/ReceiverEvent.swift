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

/// A file that arrived whole.
public struct StoredFile: Hashable, Sendable, Encodable {
  /// The name of the form field that it came in.
  public var field: String
  /// The file name as the client sent it: not safe as a path.
  public var name: String
  /// The name of the file in the receiver's folder.
  public var stored: String
  /// The length, in bytes.
  public var size: Int64
  /// The part's Content-Type as the client sent it, `text/plain` if it sent none.
  public var type: String
  /// SHA-256 of the content, 64 lower-case hexadecimal digits.
  public var sha256: String
  /// Where the file can be fetched.
  public var url: String
}
