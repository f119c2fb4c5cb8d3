import Foundation

/// Gives a body's bytes, on one thread.
public protocol ExchangeBodyReader: AnyObject {
  /// Fills the buffer; with less only at the end of the body. An error ends the exchange and is in its
  /// end, as `TransportError.Kind.body`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

  /// Hands the next bytes to a socket straight from a file (sendfile(2)), at most so many. The caller
  /// does not call `read` until the other side has acknowledged them.
  ///
  /// Returns how many it took, 0 where it has no room at the moment; nil where they have to be read.
  func send(to socket: Int32, atMost count: Int) throws -> Int?

  /// Whether an error came only from a doubt about bytes that were sent so. The body is then sent again, and read.
  var isInDoubt: Bool { get }

  /// Looks, after the reply to a body of which something was sent so, whether all of it was what it should be.
  func confirm() throws
}

extension ExchangeBodyReader {
  /// All bytes are read.
  public func send(to socket: Int32, atMost count: Int) throws -> Int? { nil }
  /// What was read leaves no doubt.
  public var isInDoubt: Bool { false }
  /// What was read needs no second look.
  public func confirm() throws {}
}
