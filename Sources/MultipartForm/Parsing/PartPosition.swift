/// Where an offset of the body is in the form.
public struct PartPosition: Hashable, Sendable {
  /// Which bytes of a part.
  public enum Place: Hashable, Sendable {
    /// The delimiter and the headers in front of the content.
    case header
    case content
  }

  /// The index of the part in the form.
  public let part: Int
  /// Whether the offset is in the part's header or in its content.
  public let place: Place
  /// How many bytes of the part's content come before the offset.
  public let contentOffset: Int64
  /// The size of the part's content in bytes.
  public let contentSize: Int64
}
