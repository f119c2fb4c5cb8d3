package struct FilePreview: Hashable, Sendable {
  /// A description of the file, in a few words: "PNG, 640 × 480", "folder, 12 names".
  package var words: String
  /// Its beginning, line by line, made safe for the terminal.
  package var lines: [String]
  /// Whether there is more than these lines.
  package var isCut: Bool

  /// What is neither a text nor a picture.
  package static let opaque = FilePreview("not text")

  package init(_ words: String, lines: [String] = [], isCut: Bool = false) {
    (self.words, self.lines, self.isCut) = (words, lines, isCut)
  }

  /// Which file to preview, and how much room there is.
  package struct Request: Hashable, Sendable {
    /// The path, byte for byte.
    package var path: [UInt8]
    /// The room in cells.
    package var room: Size
  }
}
