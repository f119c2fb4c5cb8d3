/// A file as its request described it to the server. It can differ from the file in the queue: the target's command and
/// templates may have changed its name, type and content.
package struct SentFile: Hashable, Sendable, Codable {
  package var name: String
  /// The media type, as `type/subtype`.
  package var mediaType: String
  /// The size of the whole content in bytes.
  package var size: Int64

  /// A file of `size` bytes that was called `name`.
  package init(name: String, mediaType: String, size: Int64) {
    (self.name, self.mediaType, self.size) = (name, mediaType, size)
  }
}
