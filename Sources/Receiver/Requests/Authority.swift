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
    // Nothing follows, or a colon and a port, which may be empty.
    let digits = bytes[end...].dropFirst()
    guard end == bytes.endIndex || bytes[end] == UInt8(ascii: ":"), digits.count <= 5,
      digits.allSatisfy(\.isDigit)
    else { return nil }
    port = Int(String(decoding: digits, as: UTF8.self))
    if let port, port > 65_535 { return nil }
  }

  /// The address as the system writes it, so that all spellings of an address become the same text.
  private static func address(_ family: Int32, _ text: String) -> String? {
    var address = in6_addr()
    guard inet_pton(family, text, &address) == 1 else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) {
      inet_ntop(family, &address, $0.baseAddress, socklen_t($0.count)).map { String(cString: $0) }
    }
  }

  private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
    let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
    let isValid = name.allSatisfy { $0.isAlphanumeric || "-._".utf8.contains($0) }
    guard isValid, (1...253).contains(name.count) else { return nil }
    return String(decoding: name, as: UTF8.self).lowercasedASCII
  }
}
