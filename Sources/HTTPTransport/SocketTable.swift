import CCurl
import Foundation

/// The sockets that libcurl has open, and what the kernel says of them.
///
/// libcurl does not tell which socket a running transfer uses. It makes them here, and names the local
/// port of the connection when a request begins on it.
struct SocketTable {
  /// A socket and the local port that it was found at.
  private var ports: [Int32: UInt16] = [:]
  private var sockets: [UInt16: Int32] = [:]
  /// Why the last socket could not be made; 0 where it was.
  private(set) var trouble: Int32 = 0

  mutating func open(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
    let descriptor = Glibc.socket(
      address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
      address.pointee.protocol)
    trouble = descriptor < 0 ? errno : 0
    guard descriptor >= 0 else { return -1 }
    ports[descriptor] = 0
    return descriptor
  }

  mutating func close(_ descriptor: Int32) -> Int32 {
    if let port = ports.removeValue(forKey: descriptor), sockets[port] == descriptor {
      sockets[port] = nil
    }
    return Glibc.close(descriptor)
  }

  /// The socket of the connection with this local port; nil where it is none of these.
  mutating func socket(atLocalPort port: UInt16) -> Int32? {
    if let known = sockets[port] { return known }
    for (descriptor, known) in ports where known == 0 {
      guard Self.localPort(of: descriptor) == port else { continue }
      ports[descriptor] = port
      sockets[port] = descriptor
      return descriptor
    }
    return nil
  }

  private static func localPort(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard result == 0 else { return nil }
    // The port has the same place in both families' addresses.
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
  }

  /// Bytes that were written to a socket and not acknowledged; nil where the kernel does not say.
  static func unacknowledged(at descriptor: Int32) -> Int64? {
    let bytes = hoist_unacknowledged(descriptor)
    return bytes < 0 ? nil : Int64(bytes)
  }

  /// The number of the last byte written to a connection, counted from its beginning.
  static func end(of descriptor: Int32) -> Int64? {
    let found = hoist_look_at(descriptor)
    guard found.state >= 0, let waiting = unacknowledged(at: descriptor) else { return nil }
    return found.acknowledged + waiting
  }

  /// Whether the other side ended a connection in order without having seen anything after `mark`, a
  /// number from `end(of:)`.
  ///
  /// Its last packet says what it had received until then. A reset alone proves nothing: it may come
  /// from a server that had read the request and not yet acknowledged it.
  static func hasEnded(_ descriptor: Int32, before mark: Int64) -> Bool {
    let found = hoist_look_at(descriptor)
    guard found.state >= 0, found.acknowledged <= mark else { return false }
    switch UInt32(found.state) {
    case UInt32(TCP_CLOSE_WAIT), UInt32(TCP_LAST_ACK), UInt32(TCP_CLOSING): return true
    case UInt32(TCP_CLOSE):
      // The kernel keeps EPIPE for a connection that was reset after its end, ECONNRESET otherwise.
      var error: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == EPIPE
    default: return false
    }
  }
}
