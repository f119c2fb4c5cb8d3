/// Splits bytes that should be UTF-8, such as a file's name, without losing any of them.
package struct UTF8Pieces: Sequence, IteratorProtocol {
  /// A scalar with the bytes that encode it, or a single byte that is not part of valid UTF-8.
  package struct Piece {
    /// Nil for a byte that is not part of valid UTF-8.
    package let scalar: Unicode.Scalar?
    /// One to four bytes.
    package let bytes: ArraySlice<UInt8>
  }

  private var rest: ArraySlice<UInt8>

  package init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

  package mutating func next() -> Piece? {
    guard let first = rest.first else { return nil }
    let length =
      switch first {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    // The standard library rejects truncated and overlong sequences and surrogates.
    let scalar = String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars.first
    let bytes = rest.prefix(scalar == nil ? 1 : length)
    rest = rest.dropFirst(bytes.count)
    return Piece(scalar: scalar, bytes: bytes)
  }
}
