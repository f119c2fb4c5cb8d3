import UploadDraft

/// A server's limits for an upload (draft-ietf-httpbis-resumable-upload, "Limits"): the header field `Upload-Limit`.
package struct ResumeLimits: Hashable, Sendable, Codable {
  /// The most bytes in an upload.
  package var size: Int64?
  /// The most bytes in one request.
  package var append: Int64?
  /// The fewest bytes in a request that is not the last.
  package var least: Int64?
  /// For how many seconds from now the server keeps the upload.
  package var age: Int64?

  /// The most pieces smaller than `leastPiece` in one upload.
  package static let mostTinyPieces: Int64 = 100

  package init(size: Int64? = nil, append: Int64? = nil, least: Int64? = nil, age: Int64? = nil) {
    (self.size, self.append, self.least, self.age) = (size, append, least, age)
  }
}

extension ResumeLimits {
  /// Reads the header field and skips unknown keys. Returns nil if the field is malformed, or if a value is not a
  /// number of at least 0: then the whole field counts for nothing.
  package init?(_ text: String?, in version: DraftVersion = .newest) {
    guard let text, let members = FieldValue.dictionary(text) else { return nil }
    for key in ["max-size", "min-size", "max-append-size", "min-append-size", version.ageKey] {
      if let value = members[key], (value.integer ?? -1) < 0 { return nil }
    }
    size = members["max-size"]?.integer
    append = members["max-append-size"]?.integer
    least = members["min-append-size"]?.integer
    age = members[version.ageKey]?.integer
  }
}
