import Foundation
import ScalarText

/// A host and its port, as in `Host` and `Origin` (RFC 9110, section 7.2; RFC 6454, section 7).
struct Authority: Hashable {
  /// A name in lower case without a trailing dot, or an IP address in its canonical format.
  let host: String
  /// Whether the host is an IP address rather than a name.
  let isAddress: Bool
  /// The port; nil for the scheme's default.
  let port: Int?

  /// Parses a host, optionally with a port; nil if the text is anything else.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    let end: Int
    if bytes.first == UInt8(ascii: "[") {
      guard let close = bytes.firstIndex(of: UInt8(ascii: "]")),
        let address = Self.address(AF_INET6, String(decoding: bytes[1..<close], as: UTF8.self))
      else { return nil }
      (host, isAddress, end) = (address, true, close + 1)
    } else {
      end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
      let address = Self.address(AF_INET, String(decoding: bytes[..<end], as: UTF8.self))
      guard let host = address ?? Self.name(bytes[..<end]) else { return nil }
      (self.host, isAddress) = (host, address != nil)
    }
    guard let port = Self.port(bytes[end...]) else { return nil }
    self.port = port < 0 ? nil : port
  }

  /// The port, given the scheme.
  func port(of scheme: String) -> Int { port ?? (scheme == "https" ? 443 : 80) }

  /// The address as the system writes it, so that all spellings of an address become the same text.
  private static func address(_ family: Int32, _ text: String) -> String? {
    var address = in6_addr()
    guard inet_pton(family, text, &address) == 1 else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) {
      buffer in
      guard let base = buffer.baseAddress,
        inet_ntop(family, &address, base, socklen_t(buffer.count)) != nil
      else { return nil }
      return String(cString: base)
    }
  }

  private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
    let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
    let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._".utf8)
    guard (1...253).contains(name.count), name.allSatisfy(letters.contains) else { return nil }
    return String(decoding: name, as: UTF8.self).lowercasedASCII
  }

  /// Parses the text after a host: a colon and a port, or nothing. Returns -1 if there is no port, and nil if the text
  /// is invalid.
  private static func port(_ bytes: ArraySlice<UInt8>) -> Int? {
    if bytes.isEmpty || bytes.elementsEqual(":".utf8) { return -1 }
    let digits = bytes.dropFirst()
    guard bytes.first == UInt8(ascii: ":"), digits.count <= 5, digits.allSatisfy(\.isDigit),
      let port = Int(String(decoding: digits, as: UTF8.self)), port <= 65_535
    else { return nil }
    return port
  }
}
