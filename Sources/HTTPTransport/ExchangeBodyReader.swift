import Foundation

/// Reads a body's bytes, on one thread.
package protocol ExchangeBodyReader: AnyObject {
  /// Fills the buffer, completely unless the body ends, and returns the number of bytes. An error ends the
  /// exchange, whose end carries it as `TransportError.Kind.body`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
