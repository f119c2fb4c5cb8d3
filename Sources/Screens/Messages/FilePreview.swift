/// What a glance into a file shows.
package struct FilePreview: Hashable, Sendable {
  /// What it is, in a few words: "PNG, 640 × 480", "zip archive, 12 files".
  package var words: String
  /// What is in it, line by line, made safe.
  package var lines: [String]
  /// Whether there is more than these lines.
  package var isCut: Bool
  /// The picture that it is, if it can be shown.
  package var picture: Picture?

  /// A preview.
  package init(
    _ words: String, lines: [String] = [], isCut: Bool = false, picture: Picture? = nil
  ) {
    (self.words, self.lines, self.isCut, self.picture) = (words, lines, isCut, picture)
  }

  /// A picture, of which two points fit into a cell.
  package struct Picture: Hashable, Sendable {
    /// How many points it has from left to right.
    package let width: Int
    /// Red, green and blue of each point, line by line.
    package let bytes: [UInt8]

    /// How many points it has from top to bottom.
    package var height: Int { width > 0 ? bytes.count / 3 / width : 0 }

    /// A picture; nil if its last line is not whole.
    package init?(width: Int, bytes: [UInt8]) {
      guard width > 0, !bytes.isEmpty, bytes.count % (3 * width) == 0 else { return nil }
      (self.width, self.bytes) = (width, bytes)
    }

    /// The colour of a point; nil outside the picture.
    func color(_ x: Int, _ y: Int) -> Theme.Color? {
      let place = (y * width + x) * 3
      guard place + 3 <= bytes.count, x < width else { return nil }
      return .rgb(bytes[place], bytes[place + 1], bytes[place + 2])
    }
  }

  /// What is to be looked at, and how much of it there is room for.
  package struct Request: Hashable, Sendable {
    /// The path, byte for byte.
    package var path: [UInt8]
    /// The cells that there are.
    package var room: Size
    /// Whether the terminal can show pictures.
    package var showsPictures: Bool

    /// A request.
    package init(path: [UInt8], room: Size, showsPictures: Bool) {
      (self.path, self.room, self.showsPictures) = (path, room, showsPictures)
    }
  }
}
