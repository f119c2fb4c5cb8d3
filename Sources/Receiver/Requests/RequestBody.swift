import NIOCore
import NIOHTTP1

/// The bodies of a connection's requests, one after the other, each read as it arrives.
final class RequestBody {
  /// The connection ended in the middle of the body.
  struct Disconnected: Error {}

  private var parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
  /// Whether the whole body was read, so that the next request can follow.
  private(set) var isFinished = true
  /// Why the rest of the body cannot be read.
  private(set) var failure: (any Error)?

  init(_ parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator) {
    self.parts = parts
  }

  /// The head of the next request; nil if the client sends no more.
  func nextHead() async throws -> HTTPRequestHead? {
    while let part = try await parts.next() {
      guard case .head(let head) = part else { continue }
      isFinished = false
      return head
    }
    return nil
  }

  /// The next piece of the body; nil at its end.
  func next() async throws -> ByteBuffer? {
    guard !isFinished else { return nil }
    do {
      switch try await parts.next() {
      case .body(let buffer): return buffer
      case .end:
        isFinished = true
        return nil
      case .head, nil: throw Disconnected()
      }
    } catch {
      failure = error
      throw error
    }
  }

  /// Reads and discards a body that the request does not need; throws 413 if it is longer than `limit` bytes.
  func skip(atMost limit: Int) async throws {
    var rest = limit
    while let buffer = try await next() {
      rest -= buffer.readableBytes
      guard rest >= 0 else {
        throw Refusal(
          .payloadTooLarge, "This request needs no body, and the body that it has is too long.")
      }
    }
  }
}
