import Foundation
import ScalarText

/// Scheme, host and port: what connections and credentials belong to (RFC 6454 §4).
package struct Origin: Hashable, Sendable, CustomStringConvertible {
  /// `http` or `https`.
  package let scheme: String
  /// The host in lower case.
  package let host: String
  /// The port; the scheme's default if the URL names none.
  let port: Int

  /// The origin of `url`; `nil` if it is not an `http` or `https` URL with a host.
  package init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), let usual = Self.usualPorts[scheme],
      let host = url.host?.lowercased(), !host.isEmpty
    else { return nil }
    (self.scheme, self.host, port) = (scheme, host, url.port ?? usual)
  }

  /// The port of each scheme, for URLs that name none.
  static let usualPorts = ["http": 80, "https": 443]

  /// The origin of an address as text; `nil` if it has none.
  package init?(text: String) {
    guard let url = URL(written: text) else { return nil }
    self.init(url)
  }

  /// An address as it was typed, with a scheme if it lacks one: `http` for servers on this machine, `https` for all
  /// others.
  package static func addingScheme(to address: String) -> String {
    guard !address.contains(scalars: "://"), let origin = Origin(text: "http://" + address) else {
      return address
    }
    return (origin.isLoopback ? "http://" : "https://") + address
  }

  /// Whether its host is this machine.
  package var isLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }

  /// The origin as written in a URL.
  package var description: String {
    let name = host.contains(scalars: ":") ? "[\(host)]" : host
    return port == Self.usualPorts[scheme] ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
  }
}
