/// A file's name prepared for look-ups: as written and in lower case.
struct FileName {
  let exact: String
  let folded: String
  /// The first and the last byte of each.
  let (exactEnds, foldedEnds): (Ends, Ends)
  /// The name from its first dot on, without the dot, as it is in the file system; nil if it has no suffix.
  let ending: ArraySlice<UInt8>?

  init(_ bytes: [UInt8]) {
    // Bytes that are not UTF-8 become U+FFFD, which no table contains. The extension stays readable.
    exact = String(decoding: bytes, as: UTF8.self)
    folded = exact.lowercased()
    (exactEnds, foldedEnds) = (Ends(exact), Ends(folded))
    ending = bytes.dropFirst().firstIndex(of: Self.dot).map { bytes[($0 + 1)...] }
  }

  /// The part from each dot on, without the dot, longest first. The dot of a hidden file does not start an extension.
  var suffixes: [(exact: ArraySlice<UInt8>, folded: ArraySlice<UInt8>)] {
    zip(Self.suffixes(of: Array(exact.utf8)), Self.suffixes(of: Array(folded.utf8)))
      .map { (exact: $0, folded: $1) }
  }

  /// The first and the last byte of a text.
  struct Ends: Hashable {
    let (first, last): (UInt8?, UInt8?)

    init(_ text: String) { (first, last) = (text.utf8.first, text.utf8.last) }
  }

  private static let dot = UInt8(ascii: ".")

  private static func suffixes(of name: [UInt8]) -> [ArraySlice<UInt8>] {
    name.indices.dropFirst().lazy.filter { name[$0] == dot }.map { name[($0 + 1)...] }
  }
}
