import Foundation
import Synchronization
import TestSupport

/// Something that is shut until a test opens it.
final class Gate: Sendable {
  private let condition = NSCondition()
  private nonisolated(unsafe) var isOpen = false  // Only touched under the condition's lock.

  func open() {
    condition.lock()
    defer { condition.unlock() }
    isOpen = true
    condition.broadcast()
  }

  /// Returns when it is open, or after two minutes, so that no thread stays for ever.
  func pass() {
    let limit = Date(timeIntervalSinceNow: 120)
    condition.lock()
    defer { condition.unlock() }
    while !isOpen, condition.wait(until: limit) {}
  }
}

/// A server that takes the beginning of each upload and then nothing until a gate opens; then it takes
/// the rest, throws it away and says 200.
final class SlowServer: Sendable {
  private struct Visitors {
    var now = 0
    var most = 0
  }

  private final class Book: Sendable {
    let visitors = Mutex(Visitors())
  }

  private let server: HostileServer
  private let book: Book

  /// - Parameter beginning: how many bytes of each upload it takes before the gate opens.
  init(_ gate: Gate, beginning: Int = 100_000) throws {
    let book = Book()
    self.book = book
    // The kernel would take as much as tcp_rmem allows, whole files among it.
    server = try HostileServer(receiveBuffer: 1 << 20) { connection, _ in
      guard let head = connection.readHead() else { return }
      if head.headers["expect"] != nil { connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
      let length = Int(head.headers["content-length"] ?? "") ?? 0
      let first = min(length, beginning)
      guard connection.discard(first) else { return }
      book.visitors.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      gate.pass()
      let isWhole = connection.discard(length - first)
      book.visitors.withLock { $0.now -= 1 }
      guard isWhole else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
    }
  }

  deinit { server.stop() }

  var url: String { server.url().absoluteString }

  /// How many uploads have begun and not ended.
  var visitors: Int { book.visitors.withLock { $0.now } }

  /// How many there have been at once.
  var mostVisitors: Int { book.visitors.withLock { $0.most } }
}
