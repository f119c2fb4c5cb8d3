import Foundation

/// A host that gets a target's own credentials if a ticket names an address there.
package struct NamedHost: Hashable, Sendable, CustomStringConvertible {
  private let host: String
  /// The port; nil for the scheme's default.
  private let port: Int?

  /// Reads a host such as `uploads.example` or `uploads.example:8443`.
  package init(_ text: String) throws(InvalidInput) {
    let wanted = "expected a host such as \"uploads.example\" or \"uploads.example:8443\""
    // This is the parser that reads addresses too, so that both spell a host in the same way.
    let known = Set("abcdefghijklmnopqrstuvwxyz0123456789.-:[]".utf8)
    guard text.lowercased().utf8.allSatisfy(known.contains),
      let url = URL(string: "https://\(text)/"), let origin = Origin(url),
      origin.host.utf8.last != UInt8(ascii: "."), text.utf8.last != UInt8(ascii: ":")
    else { throw InvalidInput("\(wanted), found \"\(text)\"") }
    (host, port) = (origin.host, url.port)
  }

  /// The host as written in the configuration.
  package var description: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return port.map { "\(name):\($0)" } ?? name
  }

  /// Whether an address is exactly at this host. The address must use TLS, unless it is on this machine and the
  /// target's own origin is an `http` one on this machine.
  package func holds(for url: URL, from home: Origin?) -> Bool {
    guard let origin = Origin(url), url.user == nil, url.password == nil,
      origin.host == host, origin.port == port ?? Origin.usualPorts[origin.scheme]
    else { return false }
    return origin.scheme == "https"
      || home.map { $0.scheme == "http" && $0.isLoopback } == true && origin.isLoopback
  }
}
