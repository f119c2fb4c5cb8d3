/// RFC 8187 §3.2: a charset, a language and percent-encoded bytes, as in `UTF-8''na%C3%AFve.txt`.
enum ExtendedValue {
  /// Nil unless the charset is UTF-8 and every percent sign has two hexadecimal digits behind it.
  static func decode(_ bytes: [UInt8]) -> String? {
    let pieces = bytes.split(
      separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard pieces.count == 3, ASCII.equalIgnoringCase(pieces[0], "utf-8".utf8) else { return nil }
    var result: [UInt8] = []
    var rest = pieces[2]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, !digits.contains(UInt8(ascii: "+")),
        let decoded = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      // What the plain form cannot carry, the encoded one may not either.
      guard decoded != 0 else { return nil }
      result.append(decoded)
      rest = rest.dropFirst(2)
    }
    return String(decoding: result, as: UTF8.self)
  }
}
