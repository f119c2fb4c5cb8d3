import Foundation

/// A socket that a test speaks through byte by byte: blocking, with a limit on each wait so that a
/// server that never answers fails a test and does not hang it.
public final class RawClient {
  /// What the system said, or what was wrong with a reply.
  public struct Failure: Error, CustomStringConvertible {
    /// In words.
    public let description: String
    /// The value of `errno`, zero if the system said nothing.
    public let code: Int32
  }

  /// An HTTP/1 reply whose body is as long as its Content-Length says.
  public struct Reply {
    /// The three digits.
    public var status: Int
    /// The first line.
    public var statusLine: String
    /// In order, names in lower case.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]

    /// The value of the first header of a name, which is given in lower case.
    public subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }
  }

  private var descriptor: Int32
  private var unread: [UInt8] = []

  /// Connects to a port of the loopback address.
  public init(port: Int, secondsToWait: Int = 30) throws {
    // A program that another test starts meanwhile must not keep the connection open.
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: secondsToWait, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      // The socket is closed by `deinit`, which runs here too. A second close would hit another thread's file.
      let code = errno
      throw Failure(description: "connect: \(String(cString: strerror(code)))", code: code)
    }
  }

  deinit { close() }

  /// Sends all of it.
  public func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Foundation.send(
          descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("send") }
      sent += count
    }
  }

  /// Sends all of it as UTF-8.
  public func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Ends this direction; the other stays open.
  public func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes the socket.
  public func close() {
    guard descriptor >= 0 else { return }
    Foundation.close(descriptor)
    descriptor = -1
  }

  /// Ends the connection with a reset.
  public func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  /// Whether there is something to read at this moment, or the end.
  public var isReadable: Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return !unread.isEmpty || Foundation.poll(&poll, 1, 0) > 0
  }

  /// Everything until the server ends its direction.
  public func readToEnd() throws -> [UInt8] {
    while try fill() {}
    defer { unread = [] }
    return unread
  }

  /// The next reply.
  public func readReply(hasBody: Bool = true) throws -> Reply {
    let end = Array("\r\n\r\n".utf8)
    var headEnd: Int?
    while headEnd == nil {
      headEnd = unread.indices.first { unread[$0...].starts(with: end) }
      if headEnd == nil, try !fill() {
        throw Failure(
          description: "the connection ended after \(unread.count) bytes of a reply", code: 0)
      }
    }
    let head = String(decoding: unread[..<(headEnd ?? 0)], as: UTF8.self)
    unread.removeFirst((headEnd ?? 0) + end.count)
    // CR LF is one Character, so split on the scalars' level.
    let lines = head.components(separatedBy: "\r\n")
    let headers = lines.dropFirst().map { line in
      let name = line.prefix { $0 != ":" }
      return (
        name: name.lowercased(),
        value: line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
      )
    }
    let words = lines[0].split(separator: " ")
    guard words.count >= 2, let status = Int(words[1]) else {
      throw Failure(description: "not a status line: \(lines[0])", code: 0)
    }
    var reply = Reply(status: status, statusLine: lines[0], headers: headers, body: [])
    let length = hasBody ? reply["content-length"].flatMap { Int($0) } ?? 0 : 0
    while unread.count < length {
      guard try fill() else {
        throw Failure(description: "the connection ended within the body of a reply", code: 0)
      }
    }
    reply.body = Array(unread.prefix(length))
    unread.removeFirst(length)
    return reply
  }

  private func fill() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    // A call with a limit on its wait is not begun again where the process was stopped meanwhile.
    if count < 0, errno == EINTR { return try fill() }
    guard count >= 0 else { throw failure("recv") }
    unread += buffer.prefix(count)
    return count > 0
  }

  private func failure(_ call: String) -> Failure {
    let code = errno
    return Failure(description: "\(call): \(String(cString: strerror(code)))", code: code)
  }
}
