import Foundation

/// The content of a request. Its length is fixed, and it can be read more than once.
package protocol ExchangeBody: Sendable {
  /// The exact number of bytes.
  var length: Int64 { get }
  /// A reader that begins with the first byte.
  func makeReader() -> any ExchangeBodyReader
}
