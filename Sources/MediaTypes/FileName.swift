/// A file's name prepared for look-ups: as written and in lower case.
struct FileName {
  let exact: String
  let folded: String

  init(_ bytes: [UInt8]) {
    // Bytes that are not UTF-8 become U+FFFD, which no table contains. The extension stays readable.
    exact = String(decoding: bytes, as: UTF8.self)
    folded = exact.lowercased()
  }

  private init(exact: String, folded: String) {
    self.exact = exact
    self.folded = folded
  }

  /// The part from each dot on, longest first. The dot of a hidden file does not start an extension.
  func suffixes(upTo longest: Int) -> [FileName] {
    var (rest, found) = (exact.utf8.dropFirst().suffix(longest), [FileName]())
    while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
      let text = String(exact[dot...])
      found.append(FileName(exact: text, folded: text.lowercased()))
      rest = rest[dot...].dropFirst()
    }
    return found
  }
}
