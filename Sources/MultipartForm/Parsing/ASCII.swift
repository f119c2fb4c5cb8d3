/// Byte values and classes of the grammars in RFC 2045, RFC 2046 and RFC 9110.
enum ASCII {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let dash = UInt8(ascii: "-")
  static let backslash = UInt8(ascii: "\\")
  static let semicolon = UInt8(ascii: ";")
  static let equals = UInt8(ascii: "=")
  static let colon = UInt8(ascii: ":")
  static let slash = UInt8(ascii: "/")

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(byte))
  }

  /// RFC 9110 §5.6.2 `tchar`.
  static func isToken(_ byte: UInt8) -> Bool {
    // Most of a boundary's bytes are dashes.
    isAlphanumeric(byte) || byte == dash || "!#$%&'*+.^_`|~".utf8.contains(byte)
  }

  /// RFC 2046 §5.1.1 `bchars`.
  static func isBoundary(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "'()+_,-./:=? ".utf8.contains(byte)
  }

  /// Whether a byte may occur in a header value: everything except controls other than tab.
  static func isFieldValue(_ byte: UInt8) -> Bool {
    byte == tab || (byte >= 0x20 && byte != 0x7F)
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  static func equalIgnoringCase(
    _ left: some Collection<UInt8>, _ right: some Collection<UInt8>
  ) -> Bool {
    left.elementsEqual(right) { lowercased($0) == lowercased($1) }
  }

  /// The bytes between leading and trailing spaces and tabs.
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
    let end = bytes[start...].lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return bytes[start..<end]
  }
}
