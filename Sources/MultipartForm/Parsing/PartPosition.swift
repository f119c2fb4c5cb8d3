/// The place in a form that an offset in the body belongs to.
public struct PartPosition: Hashable, Sendable {
  /// A region of a part.
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
