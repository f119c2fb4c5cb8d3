import Foundation
import Glibc
import ScalarText
import Synchronization
import UploadModel

/// A server with the manners that a person will meet one day: one path refuses what it gets, one is busy
/// the first time, and one takes everything and says nothing.
///
/// It answers one request after the other on each connection, and stores nothing.
final class DemoServer: Sendable {
  private let listener: Int32
  private let connections = Mutex<Set<Int32>>([])
  private let isBusy = Mutex(true)
  /// Where it listens.
  let port: UInt16

  /// Listens on a free port of this machine.
  ///
  /// - Throws: the value of `errno`, as a `POSIXError`.
  init() throws {
    (listener, port) = try DemoSocket.listener()
    Thread.detachNewThread { [self] in accept() }
  }

  /// Ends what is under way and listens no more.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    connections.withLock { open in for connection in open { shutdown(connection, Int32(SHUT_RDWR)) }
    }
  }

  private func accept() {
    while true {
      let connection = Glibc.accept(listener, nil, nil)
      guard connection >= 0 else { break }
      connections.withLock { _ = $0.insert(connection) }
      Thread.detachNewThread { [self] in
        while answer(on: connection) {}
        connections.withLock { _ = $0.remove(connection) }
        close(connection)
      }
    }
    close(listener)
  }

  /// Reads a request and answers it; false where the connection is over.
  private func answer(on connection: Int32) -> Bool {
    guard let (text, rest) = readHead(from: connection) else { return false }
    let head = text.lowercased()
    let length = head.split(scalar: "\n").lazy
      .compactMap { line -> Int64? in
        guard line.hasPrefix(scalars: "content-length:") else { return nil }
        return Int64(line.split(scalar: ":").last?.trimming(\.isWhiteSpace) ?? "")
      }.first
    guard let length else { return false }
    if head.contains(scalars: "100-continue") {
      send("HTTP/1.1 100 Continue\r\n\r\n", to: connection)
    }
    guard skip(length - rest, on: connection) else { return false }
    if head.contains(scalars: " /strict") {
      reply(
        "413 Content Too Large", #"{"error": {"message": "no more than 1 MB, please"}}"#,
        to: connection)
    } else if head.contains(scalars: " /busy"),
      isBusy.withLock({ was in
        defer { was = false }
        return was
      })
    {
      reply(
        "503 Service Unavailable", #"{"error": "busy, come back in a moment"}"#,
        header: "Retry-After: 5\r\n", to: connection)
    } else if head.contains(scalars: " /silent") {
      return false
    } else {
      reply("201 Created", "{}", to: connection)
    }
    return true
  }

  /// The head of a request, and how much of the body came with it.
  private func readHead(from connection: Int32) -> (head: String, rest: Int64)? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < 65_536 {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
      let end = Array("\r\n\r\n".utf8)
      let start = bytes.indices.dropLast(3).first { Array(bytes[$0..<$0 + 4]) == end }
      if let start {
        return (String(decoding: bytes[..<start], as: UTF8.self), Int64(bytes.count - start - 4))
      }
    }
    return nil
  }

  private func skip(_ length: Int64, on connection: Int32) -> Bool {
    var (left, buffer) = (length, [UInt8](repeating: 0, count: 65_536))
    while left > 0 {
      let count = recv(connection, &buffer, Int(min(left, Int64(buffer.count))), 0)
      guard count > 0 else { return false }
      left -= Int64(count)
    }
    return true
  }

  private func reply(_ status: String, _ body: String, header: String = "", to connection: Int32) {
    send(
      "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(header)"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)", to: connection)
  }

  private func send(_ text: String, to connection: Int32) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
