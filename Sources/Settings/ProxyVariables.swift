import Foundation
import ScalarText
import UploadModel

// All text in here is Unicode scalars.

/// The variables that name a proxy, as libcurl reads them: `http_proxy` in small letters only, `https_proxy`
/// and `all_proxy` in capitals too, and `no_proxy` (curl's manual, "Environment").
///
/// libcurl's own complaint about one that it cannot read repeats all of it, with its password. So it is
/// read here first, and what is wrong with it is said without it.
struct ProxyVariables {
  private let environment: [String: String]

  init(_ environment: [String: String]) { self.environment = environment }

  /// The target, with the password of its proxy among what is kept from view.
  ///
  /// - Throws: where a variable that counts for its requests holds no address.
  func checked(for target: Target) throws(ConfigError) -> Target {
    var checked = target
    let calls = [
      target.server.list?.call, target.server.delete, target.server.create, target.ticket?.call,
    ]
    let others = calls.compactMap { call in call.flatMap { URL(string: $0.url.sample("a")) } }
    for url in [target.url] + others {
      guard let variable = variable(for: url), let value = environment[variable] else { continue }
      guard let proxy = ProxyAddress(value) else {
        throw ConfigError(
          "the environment variable \(variable) holds no address of a proxy (it is not shown, for it may "
            + "hold a password); expected one such as http://proxy:3128 or "
            + "http://name:password@proxy:3128, with %2F for a \"/\" in a password")
      }
      checked.ingredients += proxy.secrets
    }
    return checked
  }

  /// The name of the variable that libcurl takes for a URL, if it takes any.
  private func variable(for url: URL) -> String? {
    guard let origin = Origin(url), !isExempt(origin.host) else { return nil }
    let names = origin.scheme == "http" ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
    return (names + ["all_proxy", "ALL_PROXY"]).first { environment[$0]?.isEmpty == false }
  }

  private func isExempt(_ host: String) -> Bool {
    let list = environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""
    return list.lowercased().unicodeScalars.split { $0 == "," || $0.isBlank }.contains { item in
      let scalars = item.drop { $0 == "." }
      let name = String(String.UnicodeScalarView(scalars))
      return name == "*" || name == host || host.hasSuffix(scalars: ".\(name)")
    }
  }
}

/// The address of a proxy: `[scheme://][name[:password]@]host[:port]`, perhaps with a path, which nobody
/// looks at.
struct ProxyAddress {
  /// What must not be shown.
  let secrets: [String]

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
    guard port.allSatisfy({ (0x30...0x39).contains($0) }), port.count <= 5 else { return false }
    return port.isEmpty || Int(String(decoding: port, as: UTF8.self)).map { $0 <= 65_535 } ?? false
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte > 0x7F
      || "-._~".utf8.contains(byte)
  }
}
