import Foundation
import NIOCore

/// What a client is called in a log, and as whom it counts.
enum ClientName {
  /// "127.0.0.1:44354", "[::1]:44354"; "unknown" where the connection is gone already.
  static func of(_ channel: any Channel) -> String {
    guard let address = channel.remoteAddress, let host = address.ipAddress, let port = address.port
    else { return "unknown" }
    return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// What connections of one client have in common: its address, of IPv6 the first half, for the other
  /// one is the client's own to choose (RFC 4291, section 2.5.1). Nothing where it is gone already.
  static func network(of address: SocketAddress?) -> [UInt8] {
    switch address {
    case .v4(let address)?:
      return withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
    case .v6(let address)?:
      let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
      // An address of IPv4 at a socket for both (RFC 4291, section 2.5.5.2).
      let isMapped = bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
      return isMapped ? Array(bytes.suffix(4)) : Array(bytes.prefix(8))
    case .unixDomainSocket?, nil: return []
    }
  }
}
