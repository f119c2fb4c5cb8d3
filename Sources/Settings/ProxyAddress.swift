import Foundation
import ScalarText

// All text in here is Unicode scalars.

/// The address of a proxy: `[scheme://][name[:password]@]host[:port]`, perhaps with a path, which nobody
/// looks at.
struct ProxyAddress {
  /// What must not be shown.
  let secrets: [String]
  /// Its host and port, as they were written.
  let place: String

  private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// Reads one; nil where libcurl could not tell a host from it.
  init?(_ text: String) {
    var rest = text
    if let mark = text.range(scalars: "://") {
      guard Self.schemes.contains(text[..<mark.lowerBound].lowercased()) else { return nil }
      rest = String(text[mark.upperBound...])
    }
    let authority = rest.unicodeScalars.prefix { !"/?#".unicodeScalars.contains($0) }
    // A "/" in a password would end the authority early.
    guard !rest.unicodeScalars[authority.endIndex...].contains("@") else { return nil }
    let at = authority.lastIndex(of: "@")
    let place = at.map { authority[authority.index(after: $0)...] } ?? authority
    guard Self.isHostAndPort(Array(String(String.UnicodeScalarView(place)).utf8)) else {
      return nil
    }
    self.place = String(String.UnicodeScalarView(place))
    guard let at else {
      secrets = []
      return
    }
    let user = String(String.UnicodeScalarView(authority[..<at]))
    guard user.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
      return nil
    }
    let parts = user.split(scalar: ":", maxSplits: 1)
    let password = parts.count > 1 ? [parts[1]] : []
    secrets =
      password + password.compactMap(\.removingPercentEncoding)
      // As it goes to the proxy (RFC 7617 §2).
      + (parts.count > 1
        ? [Data((user.removingPercentEncoding ?? user).utf8).base64EncodedString()] : [])
  }

  private static func isHostAndPort(_ bytes: [UInt8]) -> Bool {
    var (host, port) = (bytes[...], [UInt8]()[...])
    if bytes.first == UInt8(ascii: "["), let close = bytes.lastIndex(of: UInt8(ascii: "]")) {
      host = bytes[1..<close]
      let rest = bytes[(close + 1)...]
      guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { return false }
      port = rest.dropFirst()
      guard host.allSatisfy({ isHexadecimal($0) || ":.%".utf8.contains($0) || isName($0) }) else {
        return false
      }
    } else {
      if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
        (host, port) = (bytes[..<colon], bytes[(colon + 1)...])
      }
      guard host.allSatisfy(isName) else { return false }
    }
    guard !host.isEmpty else { return false }
    guard port.allSatisfy(\.isDigit), port.count <= 5 else { return false }
    return port.isEmpty || Int(String(decoding: port, as: UTF8.self)).map { $0 <= 65_535 } ?? false
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    byte.isDigit || (0x41...0x46).contains(byte & 0xDF)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || byte > 0x7F || "-._~".utf8.contains(byte)
  }
}
