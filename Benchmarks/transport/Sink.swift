import Dispatch
import Foundation
import Synchronization

/// A server that reads from every connection and never answers. It knows when the first one was closed.
final class Sink: Sendable {
  struct Failure: Error {
    let call: String
    let number = errno
  }

  let url: URL
  private let listener: Int32
  private let isClosed = DispatchSemaphore(value: 0)
  /// On the clock of `DispatchTime`, in nanoseconds.
  private let closing = Mutex<UInt64?>(nil)

  init() throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard listener >= 0 else { throw Failure(call: "socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    guard isListening, let url = URL(string: "http://127.0.0.1:\(address.sin_port.bigEndian)/")
    else {
      throw Failure(call: "listen")
    }
    self.url = url
    Thread.detachNewThread { [self] in accept() }
  }

  deinit { close(listener) }

  private func accept() {
    // As many as the benchmark opens: the thread ends, and so does the server.
    for _ in 0..<4 {
      let connection = Glibc.accept(listener, nil, nil)
      guard connection >= 0 else { return }
      Thread.detachNewThread { [self] in read(from: connection) }
    }
  }

  private func read(from connection: Int32) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while Glibc.read(connection, buffer.baseAddress, buffer.count) > 0 {}
    let now = DispatchTime.now().uptimeNanoseconds
    close(connection)
    let isFirst = closing.withLock { closing in
      guard closing == nil else { return false }
      closing = now
      return true
    }
    if isFirst { isClosed.signal() }
  }

  /// When the first connection was closed, on the clock of `DispatchTime`. Waits for it.
  func firstClose() -> UInt64 {
    isClosed.wait()
    return closing.withLock { $0 ?? 0 }
  }
}
