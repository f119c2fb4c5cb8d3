/// Searching, splitting and replacing by Unicode scalars.
///
/// The standard library's methods of the same names work on `Character`, a grapheme cluster: `"a/\u{301}b"`
/// does not contain the `Character` `"/"`, because the combining mark has become part of it. A file system, a
/// shell, a CSV reader and an HTTP server still see the slash. Text that is escaped, quoted, split, hidden,
/// compared for safety or parsed as a protocol therefore goes through these methods, or through `utf8` and
/// `unicodeScalars`; `make lint` finds other uses (`Tools/lint/text.py`).
extension StringProtocol {
  /// Calls `body` with the UTF-8 bytes. Callers in other rooms share one copy of these methods, in which each step
  /// through a text of any type would take as long as fifty steps through its bytes.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
  }

  package func hasPrefix(scalars prefix: some StringProtocol) -> Bool {
    withBytes { bytes in prefix.withBytes { bytes.starts(with: $0) } }
  }

  package func hasSuffix(scalars suffix: some StringProtocol) -> Bool {
    withBytes { bytes in
      suffix.withBytes { bytes.count >= $0.count && bytes.suffix($0.count).elementsEqual($0) }
    }
  }

  /// The text after these scalars; nil if it does not start with them.
  package func removingPrefix(scalars prefix: some StringProtocol) -> String? {
    hasPrefix(scalars: prefix)
      ? String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self) : nil
  }

  /// Whether both texts consist of the same scalars. `==` is weaker: it uses Unicode's canonical equivalence,
  /// so texts that only look alike are equal.
  package func hasSameScalars(as other: some StringProtocol) -> Bool {
    withBytes { bytes in other.withBytes { bytes.elementsEqual($0) } }
  }

  /// The text with the letters A to Z in lower case; all others are unchanged.
  package var lowercasedASCII: String {
    String(
      decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
      as: UTF8.self)
  }

  package func contains(scalars wanted: some StringProtocol) -> Bool {
    nextRange(of: wanted.unicodeScalars.map(\.self), from: startIndex) != nil
  }

  /// The first occurrence of these scalars; nil if there is none or `wanted` is empty.
  package func range(scalars wanted: some StringProtocol) -> Range<Index>? {
    nextRange(of: wanted.unicodeScalars.map(\.self), from: startIndex)
  }

  /// The text with each occurrence of these scalars replaced, from left to right.
  package func replacing(scalars wanted: some StringProtocol, with text: some StringProtocol)
    -> String
  {
    let wanted = wanted.unicodeScalars.map(\.self)
    var result = String.UnicodeScalarView()
    var position = startIndex
    while let range = nextRange(of: wanted, from: position) {
      result.append(contentsOf: unicodeScalars[position..<range.lowerBound])
      result.append(contentsOf: text.unicodeScalars)
      position = range.upperBound
    }
    result.append(contentsOf: unicodeScalars[position...])
    return String(result)
  }

  /// The text as it is written in an element or a quoted attribute of XML (XML 1.0 §2.4) or HTML (HTML §13.3). HTML
  /// before version 5 has no `&apos;`.
  package func markup(apostrophe: String = "&apos;") -> String {
    guard utf8.contains(where: { "&<>\"'".utf8.contains($0) }) else { return String(self) }
    return [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", apostrophe)]
      .reduce(String(self)) { $0.replacing(scalars: $1.0, with: $1.1) }
  }

  /// The pieces between separators, including empty ones by default, so that joining them restores the text.
  package func split(
    scalar separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = false
  ) -> [String] {
    guard separator.isASCII else {
      return unicodeScalars.split(
        separator: separator, maxSplits: maxSplits,
        omittingEmptySubsequences: omittingEmptySubsequences
      ).map { String(String.UnicodeScalarView($0)) }
    }
    return withBytes { bytes in
      bytes.split(
        separator: UInt8(ascii: separator), maxSplits: maxSplits,
        omittingEmptySubsequences: omittingEmptySubsequences
      ).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// The lines of a text file: LF ends a line, and a CR before it belongs to the line break.
  package var textLines: [String] {
    split(scalar: "\n").map { line in
      line.utf8.last == UInt8(ascii: "\r") ? String(line.unicodeScalars.dropLast()) : line
    }
  }

  /// The text without leading and trailing scalars of this kind.
  package func trimming(_ isBlank: (Unicode.Scalar) -> Bool) -> String {
    let start = unicodeScalars.firstIndex { !isBlank($0) } ?? endIndex
    let last = unicodeScalars.lastIndex { !isBlank($0) }
    let end = last.map { unicodeScalars.index(after: $0) } ?? start
    return start < end ? String(self[start..<end]) : ""
  }

  private func nextRange(of wanted: [Unicode.Scalar], from start: Index) -> Range<Index>? {
    guard let first = wanted.first else { return nil }
    var rest = unicodeScalars[start...]
    while let found = rest.firstIndex(of: first) {
      rest = unicodeScalars[found...]
      if rest.starts(with: wanted) {
        return found..<unicodeScalars.index(found, offsetBy: wanted.count)
      }
      rest = rest.dropFirst()
    }
    return nil
  }
}

extension String {
  /// The same for two strings, which callers compare for each file: the method for texts of any type is not specialised
  /// for them, and takes ten times as long.
  package func hasSameScalars(as other: String) -> Bool {
    utf8.count == other.utf8.count
      && withBytes { bytes in other.withBytes { bytes.elementsEqual($0) } }
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a space or a tab.
  package var isBlank: Bool { self == " " || self == "\t" }

  /// Whether the scalar is white space of any kind, including line breaks (Unicode's `White_Space`).
  package var isWhiteSpace: Bool { properties.isWhitespace }

  /// Whether any convention treats the scalar as a line break (Unicode UAX #14, class BK and similar).
  package var isLineBreak: Bool {
    switch value {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII digit.
  @inlinable package var isDigit: Bool { (0x30...0x39).contains(self) }

  /// Whether the byte is an ASCII letter or digit.
  @inlinable package var isAlphanumeric: Bool { isDigit || (0x61...0x7A).contains(self | 0x20) }
}
