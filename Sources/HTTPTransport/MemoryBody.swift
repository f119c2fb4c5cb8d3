package struct MemoryBody: ExchangeBody {
  package let bytes: [UInt8]
  private let check: @Sendable () throws -> Void

  /// A body that consists of these bytes. Each reader calls `check` before it hands out the first of them.
  package init(
    _ bytes: some Sequence<UInt8>, check: @escaping @Sendable () throws -> Void = {}
  ) {
    (self.bytes, self.check) = (Array(bytes), check)
  }

  package var length: Int64 { Int64(bytes.count) }

  package func makeReader() -> any ExchangeBodyReader { Reader(self) }

  private final class Reader: ExchangeBodyReader {
    private let bytes: [UInt8]
    private var offset = 0
    /// Nil once it has passed.
    private var check: (@Sendable () throws -> Void)?

    init(_ body: MemoryBody) { (bytes, check) = (body.bytes, body.check) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      try check?()
      check = nil
      let count = min(buffer.count, bytes.count - offset)
      bytes.withUnsafeBytes { all in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[offset..<(offset + count)]))
      }
      offset += count
      return count
    }
  }
}
