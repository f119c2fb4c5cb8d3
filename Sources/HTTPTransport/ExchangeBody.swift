import Foundation

/// The content of a request. Its length is fixed, and it can be read more than once.
package protocol ExchangeBody: Sendable {
  /// The exact number of bytes.
  var length: Int64 { get }
  /// A reader that starts at the first byte.
  func makeReader() -> any ExchangeBodyReader
}

/// Reads a body's bytes. Used on a single thread.
package protocol ExchangeBodyReader: AnyObject {
  /// Fills the buffer, completely unless the body ends, and returns the number of bytes. An error ends the
  /// exchange, which reports it as `TransportError.Kind.body`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
