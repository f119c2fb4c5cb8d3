import NIOCore

/// What a client is called in a log.
enum ClientName {
  /// "127.0.0.1:44354", "[::1]:44354"; "unknown" where the connection is gone already.
  static func of(_ channel: any Channel) -> String {
    guard let address = channel.remoteAddress, let host = address.ipAddress, let port = address.port
    else { return "unknown" }
    return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
