/// RFC 8187 §3.2: a charset, a language and percent-encoded bytes, as in `UTF-8''na%C3%AFve.txt`.
enum ExtendedValue {
  /// The decoded bytes; nil unless the charset is UTF-8 and every percent sign is followed by two hexadecimal digits.
  static func decode(_ bytes: [UInt8]) -> [UInt8]? {
    let pieces = split(bytes)
    guard pieces.count == 3, isUTF8(pieces[0]), let decoded = percentDecoded(pieces[2]),
      // Percent-encoding must not let through a NUL, which is refused when unencoded.
      !decoded.contains(0)
    else { return nil }
    return decoded
  }

  /// The bytes with their percent escapes decoded; nil unless every percent sign is followed by two hexadecimal digits.
  static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.allSatisfy(ASCII.isAlphanumeric),
        let decoded = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      result.append(decoded)
      rest = rest.dropFirst(2)
    }
    return result
  }

  /// Whether the value is in a charset other than UTF-8, which receivers need not support.
  static func isInOtherCharset(_ bytes: [UInt8]) -> Bool {
    let pieces = split(bytes)
    return pieces.count == 3 && !isUTF8(pieces[0])
  }

  private static func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
  }

  private static func isUTF8(_ charset: ArraySlice<UInt8>) -> Bool {
    ASCII.equalIgnoringCase(charset, "utf-8".utf8)
  }
}
