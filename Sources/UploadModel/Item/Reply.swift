/// The beginning of what a server answered. It came from outside: make it safe before it is shown.
public struct Reply: Hashable, Sendable, Codable {
  /// The text, at most `Reply.limit` bytes of it.
  public var text: String
  /// Whether the server said more than was kept.
  public var isCut: Bool
  /// The reply's media type, without parameters, in lower case.
  public var mediaType: String?

  /// How many bytes of a reply are kept. A 20 MB error page tells no more than its beginning.
  public static let limit = 64 * 1024

  /// A reply with this text.
  public init(text: String = "", isCut: Bool = false, mediaType: String? = nil) {
    self.text = text
    self.isCut = isCut
    self.mediaType = mediaType
  }
}
