/// A form that has arrived in full, before any of its files can be seen.
public struct ReceivedForm: Hashable, Sendable {
  /// A file of the form.
  public struct File: Hashable, Sendable {
    /// The name of the form field that it came in.
    public var field: String
    /// The file's name as the client sent it. Never use it as a path.
    public var name: String
    /// The part's Content-Type as the client sent it, `text/plain` if it sent none.
    public var type: String
    /// The length, in bytes.
    public var size: Int64
    /// The first 4,096 bytes, or all if there are fewer. They tell more than the type that the client sent.
    public var beginning: [UInt8]
  }

  /// The names of all parts, in their order.
  public var order: [String]
  /// The media types that parts were sent with, by the names of the parts.
  public var types: [String: String]
  /// The values of each field, in their order.
  public var fields: [String: [String]]
  /// The files, in their order.
  public var files: [File]
}
