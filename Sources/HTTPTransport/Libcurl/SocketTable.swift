import CCurl
import Foundation

/// The sockets that libcurl has opened, and what the kernel knows about them.
///
/// libcurl does not reveal the socket of a running transfer. Sockets are therefore created here, and identified
/// by the addresses that libcurl reports when a request starts.
struct SocketTable {
  /// Identifies a connection.
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
    found = found.filter { $0.value != descriptor }
    return Glibc.close(descriptor)
  }

  /// The socket of a connection; nil if it is not in the table.
  mutating func socket(of connection: Connection) -> Int32? {
    if let known = found[connection] { return known }
    let candidates = sockets.filter { descriptor in
      Self.address(of: descriptor, getsockname)?.port == connection.localPort
        && Self.address(of: descriptor, getpeername)?.port == connection.peerPort
    }
    // Linux lets two connections share a local port if they lead to different hosts.
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
        // IPv4 and IPv6 addresses have the port in the same place.
        let port = general.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          UInt16(bigEndian: $0.pointee.sin_port)
        }
        return (
          host.withUnsafeBufferPointer { String(cString: $0.baseAddress.unsafelyUnwrapped) }, port
        )
      }
    }
  }

  /// How many bytes written to a socket are not yet acknowledged; nil if the kernel does not say.
  static func unacknowledged(at descriptor: Int32) -> Int64? {
    let bytes = hoist_unacknowledged(descriptor)
    return bytes < 0 ? nil : Int64(bytes)
  }

  /// Whether a socket is open.
  func isOpen(_ descriptor: Int32) -> Bool { sockets.contains(descriptor) }

  /// Sets whether the end of a connection, even by the death of this process, resets it and discards the bytes that the
  /// kernel has not sent yet. Otherwise the kernel goes on sending them.
  static func setDiscardsUnsent(_ discards: Bool, at descriptor: Int32) {
    var atOnce = linger(l_onoff: discards ? 1 : 0, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
  }

  /// Resets a connection and discards the bytes that the kernel has not sent yet. Returns whether the other side
  /// certainly lacks some of them, beyond the last `slack` bytes. `speed` is how many bytes a second it has taken so
  /// far.
  static func reset(_ descriptor: Int32, slack: Int64, speed: Double) -> Bool {
    let isHeldUp = isHeldUp(at: descriptor, slack: slack, speed: speed)
    // This call makes Linux reset the connection at once (connect(2)). No other call comes between the look and this
    // one.
    var nowhere = sockaddr()
    nowhere.sa_family = sa_family_t(AF_UNSPEC)
    connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    return isHeldUp
  }

  /// Whether bytes that have not left would not leave before a reset now, beyond the last `slack` bytes.
  static func isHeldUp(at descriptor: Int32, slack: Int64, speed: Double) -> Bool {
    isHeldUp(
      unsent: unsent(at: descriptor) - slack, silence: hoist_look_at(descriptor).silence,
      speed: speed)
  }

  /// How many bytes written to a socket have not left yet.
  static func unsent(at descriptor: Int32) -> Int64 { max(0, Int64(hoist_unsent(descriptor))) }

  /// Whether bytes that have not left will not leave before a reset that follows at once: there are many of them,
  /// nothing has left for a while, or they would take a while at `speed`, in bytes a second.
  static func isHeldUp(unsent: Int64, silence: Double, speed: Double) -> Bool {
    unsent > 0
      && (unsent >= manyUnsent || silence > longSilence || Double(unsent) >= speed * whileToSend)
  }

  private static let manyUnsent: Int64 = 64 << 10
  // Seconds.
  private static let longSilence = 1.0
  private static let whileToSend = 0.05

  /// Whether a connection can neither send nor receive.
  static func isClosed(_ descriptor: Int32) -> Bool {
    hoist_look_at(descriptor).state == TCP_CLOSE
  }

  /// The position after the last byte written to a connection, counted from the connection's beginning; nil if
  /// the kernel does not say.
  static func end(of descriptor: Int32) -> Int64? {
    end(of: descriptor, hoist_look_at(descriptor))
  }

  /// The same, given what `hoist_look_at` has just found.
  static func end(of descriptor: Int32, _ found: hoist_connection) -> Int64? {
    guard found.state >= 0, let waiting = unacknowledged(at: descriptor) else { return nil }
    return found.acknowledged + waiting
  }

  /// What is known of the end of what was written to a connection.
  enum Loss {
    /// Nobody can tell whether it has arrived, or it has.
    case none
    /// A part has not arrived, and never will.
    case some
    /// Not decided yet: a reset or an acknowledgement will decide.
    case open
  }

  /// Whether a part of what was written will never arrive, beyond the last `slack` bytes, which are not the body's.
  ///
  /// What had not left when the connection was reset has not arrived. What was on its way may have, even without an
  /// acknowledgement, but not much of it: a receiver acknowledges at least every second full segment (RFC 9293
  /// §3.8.6.3), and, as its program reads them, all that it has.
  static func loss(of descriptor: Int32, slack: Int64) -> Loss {
    let found = hoist_look_at(descriptor)
    guard let waiting = unacknowledged(at: descriptor), waiting > slack else { return .none }
    guard found.state == TCP_CLOSE else { return .open }
    let unsent = Int64(hoist_unsent(descriptor))
    return unsent > slack || waiting - unsent > slack + 2 * Int64(found.segment) ? .some : .none
  }

  /// Whether the other side has announced that it will send no more (FIN).
  static func hasEnd(_ found: hoist_connection) -> Bool { found.state == TCP_CLOSE_WAIT }

  /// The verdict on a request whose connection has ended.
  enum Sight {
    /// The other side has not seen the request.
    case unseen
    /// The other side may have seen the request; there is no way to tell.
    case uncertain
    /// Not decided yet: a reset or an acknowledgement will decide.
    case open
  }

  /// Whether the other side has seen anything that was sent after `mark`, a position from `end(of:)`.
  ///
  /// A FIN alone proves nothing: a server that closes one direction may still read the other, and data in transit will
  /// arrive. Nor does a reset alone: a server may have read the request without acknowledging it yet. But a reset after
  /// a FIN, with nothing acknowledged, means that nobody has read the request. Calling this clears the connection's
  /// error.
  static func sight(of descriptor: Int32, after mark: Int64) -> Sight {
    let found = hoist_look_at(descriptor)
    guard found.acknowledged <= mark else { return .uncertain }
    switch Int(found.state) {
    case TCP_CLOSE_WAIT, TCP_LAST_ACK, TCP_CLOSING: return .open
    case TCP_CLOSE:
      // The kernel's error is EPIPE for a connection that was reset after its FIN, otherwise ECONNRESET.
      var error: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      let isAsked = getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0
      return isAsked && error == EPIPE ? .unseen : .uncertain
    default: return .uncertain
    }
  }
}
