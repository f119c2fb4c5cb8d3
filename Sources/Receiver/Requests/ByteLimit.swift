/// The most bytes that something may have.
struct ByteLimit {
  let bytes: Int64
  /// The limit that was set, in words.
  let words: String

  init(_ bytes: Int64) { self.init(bytes, words: "at most \(bytes) are accepted") }

  /// A limit that was worked out from others, which `words` name, since people know those.
  init(_ bytes: Int64, words: String) { (self.bytes, self.words) = (bytes, words) }
}
