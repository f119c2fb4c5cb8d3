import Foundation
import Glibc

/// Sockets on this machine, for the demo's servers.
enum DemoSocket {
  /// A socket that listens on a free port.
  ///
  /// - Throws: the value of `errno`, as a `POSIXError`.
  static func listener() throws -> (socket: Int32, port: UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
        listener >= 0 && bind(listener, plain, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, plain, &length) == 0
      }
    }
    guard isListening else {
      let code = POSIXErrorCode(rawValue: errno) ?? .EIO
      if listener >= 0 { close(listener) }
      throw POSIXError(code)
    }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  /// A connection to a port; nil if nobody is there.
  static func connection(to port: UInt16) -> Int32? {
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard connection >= 0 else { return nil }
    var address = address(port)
    let isOpen = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
        connect(connection, plain, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isOpen else {
      close(connection)
      return nil
    }
    return connection
  }

  /// Sends all of it; false where the other side has ended.
  static func send(_ bytes: ArraySlice<UInt8>, to connection: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    address.sin_port = port.bigEndian
    return address
  }
}
