import Foundation

/// The system calls for Unix sockets.
enum LocalSocket {
  /// A non-blocking stream socket that child processes do not inherit.
  static func make() throws(LinkError) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw LinkError("cannot create a socket", errno: errno) }
    prepare(descriptor)
    return descriptor
  }

  static func prepare(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// Calls `bind` or `connect` on a socket.
  static func call(
    _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32,
    _ address: sockaddr_un
  ) -> Int32 {
    var address = address
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Whether the process at the other end is this user's (unix(7), SO_PEERCRED).
  static func isOwn(_ descriptor: Int32) -> Bool {
    // struct ucred: process, user and group IDs.
    var peer: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
    var size = socklen_t(MemoryLayout.size(ofValue: peer))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return false }
    return peer.user == geteuid()
  }

  enum Result: Equatable {
    case bytes(Int)
    /// Nothing can be transferred now; try again later.
    case later
    case ended
  }

  static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Result {
    let count = bytes.withUnsafeBytes {
      Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    return count >= 0 ? .bytes(count) : isToBeRepeated ? .later : .ended
  }

  static func receive(from descriptor: Int32, into buffer: inout [UInt8]) -> Result {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? .bytes(count) : count < 0 && isToBeRepeated ? .later : .ended
  }

  private static var isToBeRepeated: Bool { [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) }
}

/// Why the socket cannot be created or reached.
package struct LinkError: Error, Hashable, CustomStringConvertible {
  /// One sentence without its full stop.
  package let description: String

  init(_ description: String) { self.description = description }

  init(_ doing: String, errno code: Int32) {
    description = "\(doing): \(String(cString: strerror(code)))"
  }
}
