import Foundation

/// Gives a body's bytes, on one thread.
public protocol ExchangeBodyReader: AnyObject {
  /// Fills the buffer; with less only at the end of the body. An error ends the exchange and is in its
  /// end, as `TransportError.Kind.body`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
