import Foundation
import Glibc

/// Sockets on this machine, for the demo's servers.
enum DemoSocket {
  /// A socket that listens on a free port.
  ///
  /// - Throws: the value of `errno`, as a `POSIXError`.
  static func listener() throws -> (socket: Int32, port: UInt16) {
    try open(0) {
      bind($0, $1, $2) == 0 && listen($0, 16) == 0 && getsockname($0, $1, &$2) == 0
    }
  }

  /// A connection to a port.
  ///
  /// - Throws: the value of `errno`, as a `POSIXError`.
  static func connection(to port: UInt16) throws -> Int32 {
    try open(port) { connect($0, $1, $2) == 0 }.socket
  }

  /// Sends all of it; false where the other side has ended.
  static func send(_ bytes: ArraySlice<UInt8>, to connection: Int32) -> Bool {
    (try? FileHandle(fileDescriptor: connection).write(contentsOf: bytes)) != nil
  }

  private static func open(
    _ port: UInt16, _ use: (Int32, UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Bool
  ) throws -> (socket: Int32, port: UInt16) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    address.sin_port = port.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        socket >= 0 && use(socket, $0, &length)
      }
    }
    guard isOpen else {
      let code = POSIXErrorCode(rawValue: errno) ?? .EIO
      if socket >= 0 { close(socket) }
      throw POSIXError(code)
    }
    return (socket, UInt16(bigEndian: address.sin_port))
  }
}
