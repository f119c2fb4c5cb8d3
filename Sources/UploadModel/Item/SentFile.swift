/// A file as the server was told of it.
///
/// Only the request knows that: the target's command and templates may have given it another name, type and content
/// than the file in the queue has.
package struct SentFile: Hashable, Sendable, Codable {
  /// The name.
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
