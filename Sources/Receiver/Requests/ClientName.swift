import Foundation
import NIOCore

/// Names a client for a log, and tells which connections count as one client.
enum ClientName {
  /// A name such as "127.0.0.1:44354" or "[::1]:44354"; "unknown" if the connection is already gone.
  static func of(_ channel: any Channel) -> String {
    guard let address = channel.remoteAddress, let host = address.ipAddress, let port = address.port
    else { return "unknown" }
    return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// The address that the connections of one client share. For IPv6, it is only the first half of the address, since a
  /// client can choose the second half freely (RFC 4291, section 2.5.1). Empty if the connection is already gone.
  static func network(of address: SocketAddress?) -> [UInt8] {
    switch address {
    case .v4(let address)?:
      return withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
    case .v6(let address)?:
      let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
      // An IPv4 client on a dual-stack socket (RFC 4291, section 2.5.5.2).
      let isMapped = bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
      return isMapped ? Array(bytes.suffix(4)) : Array(bytes.prefix(8))
    case .unixDomainSocket?, nil: return []
    }
  }
}
