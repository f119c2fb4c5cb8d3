import Foundation
import Glibc
import Synchronization

/// A line between hoist and its receiver that is cut once, so that the demo can show how an upload goes on.
///
/// Each connection has two threads, one for each direction.
final class DemoLine: Sendable {
  private let listener: Int32
  private let receiver: UInt16
  /// The bytes that go up before the cut; negative once it was made.
  private let untilCut: Mutex<Int>
  private let open = Mutex<Set<Int32>>([])
  /// Where it listens.
  let port: UInt16

  /// Listens on a free port of this machine.
  ///
  /// - Parameters:
  ///   - receiver: the port that it leads to.
  ///   - bytes: how many bytes go up before it is cut.
  /// - Throws: the value of `errno`, as a `POSIXError`.
  init(to receiver: Int, cutAfter bytes: Int) throws {
    (listener, port) = try DemoSocket.listener()
    self.receiver = UInt16(receiver)
    untilCut = Mutex(bytes)
    Thread.detachNewThread { [self] in accept() }
  }

  /// Ends what is under way and listens no more.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    open.withLock { for socket in $0 { shutdown(socket, Int32(SHUT_RDWR)) } }
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { break }
      guard let server = try? DemoSocket.connection(to: receiver) else {
        close(client)
        continue
      }
      open.withLock { $0.formUnion([client, server]) }
      Thread.detachNewThread { [self] in
        let back = DispatchGroup()
        back.enter()
        Thread.detachNewThread { [self] in
          pass(from: server, to: client, isUp: false)
          back.leave()
        }
        pass(from: client, to: server, isUp: true)
        back.wait()
        open.withLock { open in
          for socket in [client, server] {
            open.remove(socket)
            close(socket)
          }
        }
      }
    }
    close(listener)
  }

  /// Passes bytes on until one side ends, or the line is cut; then both sides have ended.
  private func pass(from source: Int32, to sink: Int32, isUp: Bool) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(source, &buffer, buffer.count, 0)
      guard count > 0, !isUp || !isCut(after: count), DemoSocket.send(buffer[..<count], to: sink)
      else { break }
    }
    shutdown(source, Int32(SHUT_RDWR))
    shutdown(sink, Int32(SHUT_RDWR))
  }

  private func isCut(after count: Int) -> Bool {
    untilCut.withLock { left in
      guard left >= 0 else { return false }
      left -= count
      return left < 0
    }
  }
}
