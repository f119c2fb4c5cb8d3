import Dispatch
import Synchronization

/// The bytes of a body in chunks, from ``FormBody/chunks(of:)``.
///
/// Files are read on a separate queue, so that a slow disk blocks no thread on which Swift runs tasks. No chunk is read
/// before it is requested. A task that is cancelled still gets every chunk.
public struct BodyChunks: AsyncSequence, Sendable {
  /// A chunk.
  public typealias Element = [UInt8]

  let body: FormBody
  let size: Int

  /// Begins at the first byte. Each iterator gives the same bytes.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(source: Source(body, size: size))
  }

  /// Reads the chunks.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let source: Source

    /// The next chunk, which has the requested size unless it is the last one; nil after the last one.
    ///
    /// - Throws: ``BodyError/file(_:)`` if a file changed or cannot be read. Each later call throws it too.
    public func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws(BodyError) -> [UInt8]? {
      let source = source
      return try await withCheckedContinuation(isolation: isolation) { continuation in
        source.queue.async { continuation.resume(returning: source.read()) }
      }.get()
    }
  }

  fileprivate final class Source: Sendable {
    let queue = DispatchQueue(label: "MultipartForm.BodyChunks")
    private let reader: Mutex<BodyReader>
    private let size: Int

    init(_ body: FormBody, size: Int) {
      reader = Mutex(body.makeReader())
      self.size = size
    }

    func read() -> Result<[UInt8]?, BodyError> {
      reader.withLock { reader in
        Result { () throws(BodyError) in
          let chunk = try reader.read(atMost: size)
          return chunk.isEmpty ? nil : chunk
        }
      }
    }
  }
}

extension FormBody {
  /// The bytes of the body as an async sequence, for an HTTP client that takes one.
  ///
  /// - Parameter size: the size of all chunks but the last, in bytes, at least 1.
  public func chunks(of size: Int = 64 << 10) -> BodyChunks {
    BodyChunks(body: self, size: Swift.max(1, size))
  }
}
