import CCurl
import Foundation

/// The sockets that libcurl has open, and what the kernel says of them.
///
/// libcurl does not reveal a running transfer's socket. Sockets are created here, and found again by the
/// addresses that libcurl reports when a request starts.
struct SocketTable {
  /// What tells a connection from others.
  struct Connection: Hashable {
    let localPort: UInt16
    let peerPort: UInt16
    /// The peer's address as text.
    let peer: String
  }

  private var sockets: Set<Int32> = []
  private var found: [Connection: Int32] = [:]

  mutating func open(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
    let descriptor = Glibc.socket(
      address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
      address.pointee.protocol)
    if descriptor >= 0 { sockets.insert(descriptor) }
    return descriptor
  }

  mutating func close(_ descriptor: Int32) -> Int32 {
    sockets.remove(descriptor)
    if let connection = found.first(where: { $0.value == descriptor })?.key {
      found[connection] = nil
    }
    return Glibc.close(descriptor)
  }

  /// The socket of a connection; nil where it is none of these.
  mutating func socket(of connection: Connection) -> Int32? {
    if let known = found[connection] { return known }
    let candidates = sockets.filter { descriptor in
      Self.address(of: descriptor, getsockname)?.port == connection.localPort
        && Self.address(of: descriptor, getpeername)?.port == connection.peerPort
    }
    // Linux lets two connections share a local port where they lead to different hosts.
    let socket =
      candidates.count < 2
      ? candidates.first
      : candidates.first { Self.address(of: $0, getpeername)?.host == connection.peer }
    found[connection] = socket
    return socket
  }

  private typealias AddressCall = (
    Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>
  ) -> Int32

  private static func address(
    of descriptor: Int32, _ call: AddressCall
  ) -> (host: String, port: UInt16)? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
        guard call(descriptor, general, &size) == 0 else { return nil }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
          getnameinfo(general, size, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        // The port has the same place in both families' addresses.
        let port = general.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          UInt16(bigEndian: $0.pointee.sin_port)
        }
        return (
          host.withUnsafeBufferPointer { String(cString: $0.baseAddress.unsafelyUnwrapped) }, port
        )
      }
    }
  }

  /// Bytes that were written to a socket and not acknowledged; nil where the kernel does not say.
  static func unacknowledged(at descriptor: Int32) -> Int64? {
    let bytes = hoist_unacknowledged(descriptor)
    return bytes < 0 ? nil : Int64(bytes)
  }

  /// Has the connection end with a reset, so that the kernel throws away what has not left yet when it is closed. Returns
  /// how many bytes that is.
  static func discardUnsent(at descriptor: Int32) -> Int64 {
    var atOnce = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
    return Int64(hoist_unsent(descriptor))
  }

  /// Whether nothing can be sent on a connection any more, or received.
  static func isClosed(_ descriptor: Int32) -> Bool {
    hoist_look_at(descriptor).state == Int32(TCP_CLOSE)
  }

  /// The number of the last byte written to a connection, counted from its beginning.
  static func end(of descriptor: Int32) -> Int64? {
    let found = hoist_look_at(descriptor)
    guard found.state >= 0, let waiting = unacknowledged(at: descriptor) else { return nil }
    return found.acknowledged + waiting
  }

  /// Whether the other side has said that it will send nothing more (FIN).
  static func hasEnd(_ descriptor: Int32) -> Bool {
    UInt32(exactly: hoist_look_at(descriptor).state) == UInt32(TCP_CLOSE_WAIT)
  }

  /// What is known of a request on a connection that has ended.
  enum Sight {
    /// The other side has not seen it.
    case unseen
    /// It may have, and nothing will tell.
    case uncertain
    /// An answer to it is still to come: a reset, or that it has arrived.
    case open
  }

  /// Whether the other side has seen anything of what was sent after `mark`, a number from `end(of:)`.
  ///
  /// Its end (FIN) alone does not tell: a server that ends one direction may still read the other, and what was on its way
  /// then
  /// arrives. A reset alone does not either: a server may have read the request and not yet acknowledged it. A reset
  /// after the end, with nothing acknowledged, comes from where nobody reads any more. Asking takes the connection's
  /// error from it.
  static func sight(of descriptor: Int32, after mark: Int64) -> Sight {
    let found = hoist_look_at(descriptor)
    guard let state = UInt32(exactly: found.state), found.acknowledged <= mark else {
      return .uncertain
    }
    switch state {
    case UInt32(TCP_CLOSE_WAIT), UInt32(TCP_LAST_ACK), UInt32(TCP_CLOSING): return .open
    case UInt32(TCP_CLOSE):
      // The kernel keeps EPIPE for a connection that was reset after its end, ECONNRESET otherwise.
      var error: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      let isAsked = getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0
      return isAsked && error == EPIPE ? .unseen : .uncertain
    default: return .uncertain
    }
  }
}
