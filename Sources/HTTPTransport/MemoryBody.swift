import Foundation

package struct MemoryBody: ExchangeBody {
  package let bytes: Data

  /// A body that consists of these bytes.
  package init(_ bytes: Data) { self.bytes = bytes }

  /// The exact number of bytes.
  package var length: Int64 { Int64(bytes.count) }

  /// A reader that starts at the first byte.
  package func makeReader() -> any ExchangeBodyReader { Reader(bytes) }

  private final class Reader: ExchangeBodyReader {
    private var left: Data
    init(_ bytes: Data) { left = bytes }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      let count = left.prefix(buffer.count).copyBytes(to: buffer)
      left = left.dropFirst(count)
      return count
    }
  }
}
