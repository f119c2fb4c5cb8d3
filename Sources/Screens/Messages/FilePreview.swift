package struct FilePreview: Hashable, Sendable {
  /// A description of the file, in a few words: "PNG, 640 × 480", "zip archive, 12 files".
  package var words: String
  /// Its beginning, line by line, made safe for the terminal.
  package var lines: [String]
  /// Whether there is more than these lines.
  package var isCut: Bool
  /// The file as a picture, if it can be shown as one.
  package var picture: Picture?

  package init(
    _ words: String, lines: [String] = [], isCut: Bool = false, picture: Picture? = nil
  ) {
    (self.words, self.lines, self.isCut, self.picture) = (words, lines, isCut, picture)
  }

  /// A picture, two pixels of which fit into a cell, one above the other. Width and height are in pixels.
  package struct Picture: Hashable, Sendable {
    package let width: Int
    /// Red, green and blue of each pixel, row by row.
    package let bytes: [UInt8]

    package var height: Int { width > 0 ? bytes.count / 3 / width : 0 }

    /// A picture; nil if its last row is incomplete.
    package init?(width: Int, bytes: [UInt8]) {
      guard width > 0, !bytes.isEmpty, bytes.count % (3 * width) == 0 else { return nil }
      (self.width, self.bytes) = (width, bytes)
    }

    /// The colour of a pixel; nil outside the picture.
    func color(_ x: Int, _ y: Int) -> Theme.Color? {
      let place = (y * width + x) * 3
      guard place + 3 <= bytes.count, x < width else { return nil }
      return .rgb(bytes[place], bytes[place + 1], bytes[place + 2])
    }
  }

  /// Which file to preview, and how much room there is.
  package struct Request: Hashable, Sendable {
    /// The path, byte for byte.
    package var path: [UInt8]
    /// The room in cells.
    package var room: Size
    package var showsPictures: Bool
  }
}
