import Foundation
import Synchronization

/// A server on a loopback port that does to its clients whatever a test tells it: a closure gets each
/// connection as a raw socket and may answer, stall, lie or hang up.
public final class HostileServer: Sendable {
  /// What one connection does, given its number from 0.
  public typealias Script = @Sendable (_ connection: HostileConnection, _ number: Int) -> Void

  /// The port that it listens on.
  public let port: Int
  private let listener: Int32
  private let seen = Mutex<[SeenRequest]>([])
  private let open = Mutex<Set<Int32>>([])
  private let hasStopped = Mutex(false)
  private let stalls = DispatchSemaphore(value: 0)

  /// A request as it came in.
  public struct SeenRequest: Sendable {
    /// The request line.
    public var line: String
    /// The header fields, names in lower case.
    public var headers: [String: String]
    /// The bytes of the body that arrived.
    public var body: [UInt8]
  }

  /// Starts to listen and runs `script` for every connection, each on a thread of its own.
  ///
  /// - Parameters:
  ///   - port: the port to listen on; a free one unless given.
  ///   - receiveBuffer: the bytes that the kernel keeps for each connection until they are read; as many
  ///     as it likes unless given.
  public init(port: Int = 0, receiveBuffer: Int32? = nil, _ script: @escaping Script) throws {
    (listener, self.port) = try Self.bind(port: port)
    if var receiveBuffer {
      setsockopt(
        listener, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
    }
    guard Glibc.listen(listener, 256) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    Thread.detachNewThread { [self] in
      var number = 0
      while true {
        let socket = accept(listener, nil, nil)
        if socket < 0, errno == EINTR || errno == ECONNABORTED { continue }
        guard socket >= 0 else { break }
        // A program that a test starts meanwhile must not keep the connection open.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        let (connection, index) = (HostileConnection(socket: socket, server: self), number)
        open.withLock { _ = $0.insert(socket) }
        Thread.detachNewThread {
          script(connection, index)
          connection.close()
        }
        number += 1
      }
      // Closed here and nowhere else: while this thread could still accept, the number must not go
      // to the listener of another test, whose clients it would steal.
      Glibc.close(listener)
    }
  }

  /// A server whose connections each answer every request with the same reply after reading it.
  public static func answering(_ reply: String) throws -> HostileServer {
    try HostileServer { connection, _ in
      while connection.readRequest() != nil { connection.send(reply) }
    }
  }

  /// A port on which nothing listens. It stays taken for as long as the process lives, so that no
  /// other test's server comes to stand there; a server may be told to.
  public static func closedPort() throws -> Int { try bind(port: 0).port }

  /// Whether somebody listens on a loopback port.
  static func isListening(on port: Int) -> Bool {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { Glibc.close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    address.sin_port = in_port_t(port).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// `http://127.0.0.1:port/` with the path.
  public func url(_ path: String = "/upload") -> URL {
    URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: "/")
  }

  /// What has been asked so far.
  public var requests: [SeenRequest] { seen.withLock { $0 } }

  /// Hangs up on everybody.
  public func stop() {
    // Only once: then its number may be that of another test's socket.
    let isFirst = hasStopped.withLock { hasStopped in
      defer { hasStopped = true }
      return !hasStopped
    }
    if isFirst { shutdown(listener, Int32(SHUT_RDWR)) }
    open.withLock { for socket in $0 { shutdown(socket, Int32(SHUT_RDWR)) } }
  }

  /// Returns once a connection stands still, each time for another one.
  public func stalled() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        self.stalls.wait()
        continuation.resume()
      }
    }
  }

  fileprivate func recordStall() { stalls.signal() }

  fileprivate func record(_ request: SeenRequest) { seen.withLock { $0.append(request) } }

  /// Closes a connection's socket, and not between another thread's look at it and its shutdown.
  fileprivate func close(_ socket: Int32) {
    open.withLock {
      $0.remove(socket)
      Glibc.close(socket)
    }
  }

  private static func bind(port: Int) throws -> (socket: Int32, port: Int) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var reuse: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    guard socket >= 0, result else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
  }
}

/// One connection of a `HostileServer`, used by the thread that runs its script.
public final class HostileConnection: @unchecked Sendable {
  // Unchecked: made on the accepting thread, handed to the script's thread once, and only used there.
  private let socket: Int32
  private let server: HostileServer
  private var buffered: [UInt8] = []
  private var isClosed = false

  init(socket: Int32, server: HostileServer) {
    self.socket = socket
    self.server = server
  }

  /// Reads a request's head, without its body. `nil` where the client has hung up.
  public func readHead() -> HostileServer.SeenRequest? {
    while true {
      if let end = Self.headEnd(in: buffered) {
        let head = String(decoding: buffered[..<end], as: UTF8.self)
        buffered.removeFirst(end + 4)
        var lines = head.components(separatedBy: "\r\n")
        let line = lines.removeFirst()
        var headers: [String: String] = [:]
        for field in lines {
          let pair = field.split(separator: ":", maxSplits: 1)
          guard pair.count == 2 else { continue }
          headers[pair[0].lowercased()] = pair[1].trimmingCharacters(in: .whitespaces)
        }
        return HostileServer.SeenRequest(line: line, headers: headers, body: [])
      }
      guard receive() else { return nil }
    }
  }

  /// How many bytes have come beyond those that were read.
  public var unread: Int { buffered.count }

  /// Reads a whole request and keeps it among the server's `requests`. `nil` where the client has
  /// hung up before its end.
  @discardableResult
  public func readRequest() -> HostileServer.SeenRequest? {
    guard var request = readHead() else { return nil }
    let length = Int(request.headers["content-length"] ?? "") ?? 0
    guard let body = read(length) else { return nil }
    request.body = body
    server.record(request)
    return request
  }

  /// Keeps a request among the server's `requests` that was read in parts.
  public func record(_ request: HostileServer.SeenRequest) { server.record(request) }

  /// Reads a whole request and keeps nothing of it; false where the client has hung up before its end.
  public func discardRequest() -> Bool {
    guard let head = readHead() else { return false }
    return discard(Int(head.headers["content-length"] ?? "") ?? 0)
  }

  /// Reads this many bytes of a body; `nil` if there are fewer.
  public func read(_ count: Int) -> [UInt8]? {
    while buffered.count < count {
      guard receive() else { return nil }
    }
    defer { buffered.removeFirst(count) }
    // A copy: an array of the whole slice would share its memory, and each request would keep what the largest
    // one took.
    return buffered.withUnsafeBufferPointer { Array($0[..<count]) }
  }

  /// Reads this many bytes, and leaves what follows with the kernel; `nil` if there are fewer.
  public func readNoMore(_ count: Int) -> [UInt8]? {
    while buffered.count < count {
      guard receive(atMost: count - buffered.count) else { return nil }
    }
    return read(count)
  }

  /// Waits until the kernel has this many unread bytes; false if the client hangs up first.
  public func awaitUnread(_ count: Int) -> Bool {
    var bytes = [UInt8](repeating: 0, count: count)
    let flags = Int32(MSG_PEEK) | Int32(MSG_WAITALL)
    return recv(socket, &bytes, count, flags) == count
  }

  /// Reads this many bytes and throws them away; false if there are fewer.
  public func discard(_ count: Int) -> Bool {
    let early = min(count, buffered.count)
    buffered.removeFirst(early)
    var left = count - early
    while left > 0 {
      let taken = forget(left)
      guard taken > 0 else { return false }
      left -= taken
    }
    return true
  }

  /// Sends text as it is.
  public func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends bytes as they are. Returns whether the client took them.
  @discardableResult
  public func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Breaks the connection with a reset instead of an orderly end.
  public func reset() {
    var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    close()
  }

  /// Ends the server's direction in order, and leaves the client's open.
  public func endSending() { shutdown(socket, Int32(SHUT_WR)) }

  /// Does nothing until the client, or the server's end, hangs up, or the time is over. Reads nothing meanwhile.
  public func stall(atMost time: Duration? = nil) {
    server.recordStall()
    let peerHungUp: Int16 = 0x2000  // POLLRDHUP, which Glibc hides behind _GNU_SOURCE
    var poller = pollfd(fd: socket, events: peerHungUp, revents: 0)
    poll(&poller, 1, time.map { Int32($0 / .milliseconds(1)) } ?? -1)
  }

  /// Reads and throws away until the client hangs up.
  public func drain() {
    buffered = []
    while forget(.max) > 0 {}
  }

  /// Waits for the next byte or the end. Returns whether the client ended the connection in order, and not with a
  /// reset.
  public func endsInOrder() -> Bool {
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, 0) == 0
  }

  /// Ends the connection in order.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    server.close(socket)
  }

  private func receive(atMost most: Int = 256 * 1024) -> Bool {
    guard !isClosed else { return false }
    var chunk = [UInt8](repeating: 0, count: min(most, 256 * 1024))
    let count = recv(socket, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    buffered += chunk[..<count]
    return true
  }

  /// Has the kernel throw away what has come, up to this many bytes, and returns how many; 0 or less if
  /// the client has hung up. Nothing is copied, so that no client is faster.
  private func forget(_ most: Int) -> Int {
    isClosed ? 0 : recv(socket, nil, min(most, 4 << 20), Int32(MSG_TRUNC))
  }

  private static func headEnd(in bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (0...(bytes.count - 4)).first {
      bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
    }
  }
}
