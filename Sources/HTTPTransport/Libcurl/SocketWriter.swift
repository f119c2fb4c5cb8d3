import CCurl
import Foundation

/// Writes the rest of a large body to the socket itself, once libcurl has sent the request's head and the first bytes:
/// each piece is read into one buffer and sent from there. The kernel gets a copy: pages of the file itself
/// (sendfile(2)) would change on their way with every write to it, until the reader has taken them.
///
/// libcurl is told of a body that is over after those bytes, beside a `Content-Length` for all of it, and
/// waits for the reply as after any other body. So this is for HTTP/1.1 without TLS alone.
final class SocketWriter {
  /// How many bytes of the body libcurl sends.
  static let share: Int64 = 64 << 10
  /// From how many bytes on a body is sent so.
  static let smallestBody: Int64 = 4 << 20
  /// How many bytes a limit is asked for at once.
  static let piece = 1 << 20
  /// The most bytes in one turn of the loop, for others wait meanwhile.
  private static let mostInTurn = 4 << 20

  /// What it waits for.
  enum State {
    /// For libcurl, for a limit, or for nothing any more.
    case idle
    /// For room in the socket.
    case blocked
  }

  private(set) var state = State.idle
  /// Bytes that were read and not yet written.
  private var pending: Range<Int> = 0..<0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: Transfer.largeBuffer, alignment: 16)
  /// Whether writing has failed. libcurl finds out from the socket, and whether there was a reply.
  private(set) var isBroken = false

  deinit { buffer.deallocate() }

  /// Begins again, on another connection.
  func reset() { (state, pending, isBroken) = (.idle, 0..<0, false) }

  /// Waits for nothing, and forgets what was not written.
  func rest() {
    state = .idle
    if isBroken { pending = 0..<0 }
  }

  /// Whether a request is one of which libcurl may leave the rest to it: large, without TLS to the server or to a
  /// proxy, and without a challenge, which libcurl answers with bodies of its own.
  static func suits(_ request: ExchangeRequest) -> Bool {
    guard let length = request.body?.length, length >= smallestBody,
      request.mayStartOver, request.url.scheme == "http", request.digest == nil
    else { return false }
    return ["http_proxy", "all_proxy", "ALL_PROXY"].allSatisfy { (name: String) in
      getenv(name) == nil
    }
  }

  /// How many bytes were given and are not with the kernel.
  var unwritten: Int64 { Int64(pending.count) }

  /// Writes as much as the socket takes, and the limits let through.
  func write(_ transfer: Transfer, to socket: Int32, from reader: any ExchangeBodyReader) throws {
    state = .idle
    var written = 0
    while !isBroken, written < Self.mostInTurn {
      if pending.isEmpty {
        let wanted = transfer.granted(upTo: Self.piece)
        guard wanted > 0 else { return }
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(wanted))
        pending = 0..<(try transfer.handOver(room.count) { try reader.read(into: room) } ?? 0)
      }
      guard !pending.isEmpty else { return }
      let count = send(
        socket, buffer.baseAddress?.advanced(by: pending.lowerBound), pending.count,
        Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      if count > 0 {
        pending = (pending.lowerBound + count)..<pending.upperBound
        written += count
      } else if errno == EAGAIN || errno == EINTR {
        state = .blocked
        return
      } else {
        isBroken = true
        // libcurl sees by itself that a connection was reset, and has to be shown any other end.
        if ![EPIPE, ECONNRESET].contains(errno) { shutdown(socket, Int32(SHUT_RDWR)) }
      }
    }
    // There may be room for more.
    if !isBroken, !(transfer.hasGivenAll && pending.isEmpty) { state = .blocked }
  }
}
