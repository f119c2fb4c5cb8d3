import Foundation
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

  /// Returns when it is open, or after two minutes, so that no thread is left for ever.
  func pass() {
    let limit = Date(timeIntervalSinceNow: 120)
    condition.lock()
    defer { condition.unlock() }
    while !isOpen, condition.wait(until: limit) {}
  }
}

/// A server that takes the beginning of each upload and then nothing until a gate opens; then it takes
/// the rest and says 200.
struct SlowServer {
  private let server: HostileServer

  init(_ gate: Gate) throws {
    server = try HostileServer { connection, _ in
      guard let head = connection.readHead() else { return }
      if head.headers["expect"] != nil { connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
      let length = Int(head.headers["content-length"] ?? "") ?? 0
      let first = min(length, 100_000)
      guard connection.read(first) != nil else { return }
      gate.pass()
      guard connection.discard(length - first) else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
    }
  }

  var url: String { server.url().absoluteString }
}
