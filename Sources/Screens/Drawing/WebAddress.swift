import ScalarText

/// An address that a terminal may open when it is clicked.
package enum WebAddress {
  /// No longer than browsers accept.
  private static let longest = 2048

  /// Whether it is a web address: other schemes can start programs.
  static func isOne(_ url: String) -> Bool {
    ["http://", "https://"].contains { url.lowercasedASCII.hasPrefix(scalars: $0) }
  }

  /// An address as it may be sent to a terminal: nothing but printable ASCII, whatever a server said; nil if it is not
  /// an address of the web, or too long.
  package static func link(_ url: String) -> String? {
    guard isOne(url), url.utf8.count <= longest else { return nil }
    let digits = Array("0123456789ABCDEF".utf8)
    let bytes = url.utf8.flatMap { byte in
      (0x21...0x7E).contains(byte)
        ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return bytes.count <= longest ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
