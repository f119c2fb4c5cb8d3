import Foundation

/// The content of a request: so many bytes, given as often as they are asked for.
public protocol ExchangeBody: Sendable {
  /// How many bytes there are, exactly.
  var length: Int64 { get }
  /// Something that gives them from the first byte on.
  func makeReader() -> any ExchangeBodyReader
}
