/// A file's name prepared for look-ups: as written and in lower case.
struct FileName {
  let exact: String
  let folded: String
  /// The part from each dot on, without the dot, longest first. The dot of a hidden file does not start an extension.
  let suffixes: [(exact: ArraySlice<UInt8>, folded: ArraySlice<UInt8>)]

  init(_ bytes: [UInt8]) {
    // Bytes that are not UTF-8 become U+FFFD, which no table contains. The extension stays readable.
    exact = String(decoding: bytes, as: UTF8.self)
    folded = exact.lowercased()
    suffixes = zip(Self.suffixes(of: Array(exact.utf8)), Self.suffixes(of: Array(folded.utf8)))
      .map { (exact: $0, folded: $1) }
  }

  private static func suffixes(of name: [UInt8]) -> [ArraySlice<UInt8>] {
    let dot = UInt8(ascii: ".")
    return name.indices.dropFirst().lazy.filter { name[$0] == dot }.map { name[($0 + 1)...] }
  }
}
