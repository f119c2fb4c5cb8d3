import CCurl
import Foundation

/// A reply that was still in the kernel when libcurl gave its connection up.
///
/// A server that refuses a body before it has read all of it may close the connection at once, which resets it. If
/// libcurl is just sending, it reports only that, and does not read what arrived before the reset. On Linux, that is
/// still there.
struct LastReply {
  let head: ReplyHead
  /// The content, as far as it arrived and was wanted. No coding is removed but the chunked one.
  let content: Data
  /// Whether there was more content than was wanted.
  let isCut: Bool
  /// The number of bytes that arrived, including interim replies.
  let size: Int

  /// Reads what has arrived at a socket. Nil if that is not the head of a final reply.
  init?(at socket: Int32, mostContent: Int) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count < Self.mostBytes(for: mostContent) {
      let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 { bytes += buffer[..<count] } else if count == 0 || errno != EINTR { break }
    }
    self.init(bytes, mostContent: mostContent)
  }

  /// Reads a reply (RFC 9112) after any interim ones. Nil if its head is not complete.
  init?(_ bytes: [UInt8], mostContent: Int) {
    var parser = ReplyHeadParser()
    var rest = bytes.prefix(Transfer.mostHead)
    while parser.head == nil {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      rest[...end].withUnsafeBytes { _ = parser.consume($0) }
      rest = rest[(end + 1)...]
    }
    guard let head = parser.head else { return nil }
    (self.head, size) = (head, bytes.count)
    let content = Self.content(bytes[rest.startIndex...], of: head).content
    isCut = content.count > mostContent
    self.content = Data(content.prefix(mostContent))
  }

  /// The number of bytes that a head and this much content may take. Chunks take more room than their content, but hardly
  /// twice as much.
  static func mostBytes(for mostContent: Int) -> Int { Transfer.mostHead + 2 * mostContent }

  /// The content in what follows a head, and whether that is certainly all of it.
  static func content(
    _ bytes: ArraySlice<UInt8>, of head: ReplyHead
  ) -> (content: ArraySlice<UInt8>, isWhole: Bool) {
    let coding = head.headers["transfer-encoding"]?.lowercased() ?? ""
    if coding.utf8.reversed().starts(with: "chunked".utf8.reversed()) {
      return withoutChunks(bytes)
    }
    guard let length = head.headers["content-length"].flatMap({ Int($0) }), length >= 0 else {
      return (bytes, false)
    }
    return (bytes.prefix(length), bytes.count >= length)
  }

  /// The content of chunks (RFC 9112 §7.1), as far as they are complete, and whether the last one is there.
  private static func withoutChunks(
    _ bytes: ArraySlice<UInt8>
  ) -> (content: ArraySlice<UInt8>, isWhole: Bool) {
    var (rest, content) = (bytes, [UInt8]())
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let digits = rest[..<end].prefix { Character(Unicode.Scalar($0)).isHexDigit }
      guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else {
        break
      }
      if size == 0 { return (content[...], true) }
      rest = rest[(end + 1)...]
      content += rest.prefix(size)
      // A line break follows each chunk.
      rest = rest.dropFirst(size).dropFirst(2)
    }
    return (content[...], false)
  }
}

extension Transfer {
  /// Takes the reply that the kernel still has, if the connection was reset. `socket` is about to be closed.
  func takeLastReply(at socket: Int32) {
    // What arrived over TLS cannot be decrypted here. What was sent before the server had seen any of the request, such
    // as a 408 for an idle connection, is no reply to it.
    guard request.url.scheme == "http", parser.head == nil, bodyError == nil, let mark,
      case let found = hoist_look_at(socket), Int(found.state) == TCP_CLOSE,
      found.acknowledged > mark,
      let reply = LastReply(at: socket, mostContent: request.mostReply)
    else { return }
    // A success that comes before all of the body has arrived does not count. And a challenge is answered over a connection
    // that holds.
    let status = reply.head.status
    guard status >= 300, !isAsking else { return }
    parser.take(reply.head)
    recordChallenge(reply.head)
    hasLastReply = true
    // What was not acknowledged before the reset has not arrived.
    let isWhole = arrived(at: socket).map { $0 >= length } ?? true
    task.content.withLock { content in
      if !isWhole, !content.isStopped {
        content.progress.handedOver = min(content.progress.handedOver, length - 1)
      }
      content.end.head = reply.head
      (content.end.reply, content.end.isReplyCut) = (reply.content, reply.isCut)
      content.progress.received += reply.size
      content.progress.hasReplyBegun = true
    }
  }
}
