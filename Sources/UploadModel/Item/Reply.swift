/// The beginning of a server's reply. It is untrusted: make it safe before showing it.
package struct Reply: Hashable, Sendable, Codable {
  /// The text, at most `Reply.limit` bytes of it.
  package var text: String
  /// Whether the reply was longer than `text`.
  package var isCut: Bool
  /// The reply's media type, without parameters, in lower case.
  package var mediaType: String?

  /// How many bytes of a reply are kept. The rest of a 20 MB error page tells nothing new.
  package static let limit = 64 * 1024

  package init(text: String = "", isCut: Bool = false, mediaType: String? = nil) {
    (self.text, self.isCut, self.mediaType) = (text, isCut, mediaType)
  }

  /// Whether the text begins as a JSON object or list does.
  var mayBeJSON: Bool {
    let first = text.utf8.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}
