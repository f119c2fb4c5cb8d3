/// Text from outside is compared and taken apart as the bytes that it came as: `String` sees a sign and
/// a combining mark behind it as one `Character`, and takes texts for equal that are not.
extension StringProtocol {
  /// Whether the bytes begin with those of another text.
  func beginsWithBytes(_ front: StaticString) -> Bool { after(front) != nil }

  /// What follows the bytes of `front`; nil where the text does not begin with them.
  func after(_ front: StaticString) -> String? {
    front.withUTF8Buffer { front in
      utf8.starts(with: front) ? String(decoding: utf8.dropFirst(front.count), as: UTF8.self) : nil
    }
  }

  /// Whether the bytes are the same.
  func hasSameBytes(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// The pieces between the bytes of this sign, empty ones among them.
  func pieces(at sign: Unicode.Scalar, atMost count: Int = .max) -> [String] {
    utf8.split(
      separator: UInt8(ascii: sign), maxSplits: count - 1, omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The text without the blanks around it (RFC 9110, section 5.6.3).
  var withoutBlanks: String {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    var bytes = Array(utf8)[...].drop(while: isBlank)
    while let end = bytes.last, isBlank(end) { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text with the letters of ASCII in lower case, and no others changed.
  var inLowerASCII: String {
    String(
      decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
      as: UTF8.self)
  }
}
