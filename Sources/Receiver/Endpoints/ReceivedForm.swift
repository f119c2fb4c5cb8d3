/// A form that has arrived in full, before any of its files is visible.
public struct ReceivedForm: Hashable, Sendable {
  /// A file of the form.
  public struct File: Hashable, Sendable {
    /// The name of the file's form field.
    public var field: String
    /// The file's name as the client sent it. Never use it as a path.
    public var name: String
    /// The part's Content-Type as the client sent it; `text/plain` if it sent none.
    public var type: String
    /// The length, in bytes.
    public var size: Int64
    /// The first 4,096 bytes, or all if there are fewer. They tell more reliably what the file is than the type that
    /// the client sent.
    public var beginning: [UInt8]
  }

  /// The names of all parts, in order.
  public var order: [String]
  /// The media types of those parts that were sent with one, by the names of the parts.
  public var types: [String: String]
  /// The values of each field, in order.
  public var fields: [String: [String]]
  /// The files, in order.
  public var files: [File]
}
