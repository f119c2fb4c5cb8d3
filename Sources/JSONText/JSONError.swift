/// Why bytes are rejected as JSON.
package struct JSONError: Error, Hashable, CustomStringConvertible, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The bytes end inside a value.
    case ended
    /// The grammar does not allow this byte here (RFC 8259 §2 to §7).
    case unexpected(UInt8)
    /// A string contains bytes that are not UTF-8 (RFC 8259 §8.1).
    case notUTF8
    /// A number exceeds the range of `Double` (RFC 8259 §6 leaves the range to the reader).
    case numberOutOfRange
    /// Arrays and objects are nested deeper than ``JSONLimits/depth``.
    case tooDeep(limit: Int)
    /// There are more values than ``JSONLimits/values``.
    case tooManyValues(limit: Int)
  }

  package let reason: Reason
  /// Where the error is, in bytes from the start of the document.
  package let offset: Int

  package var description: String {
    let what =
      switch reason {
      case .ended: "it ends too early"
      case .unexpected(let byte):
        "the byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true)) is out of place"
      case .notUTF8: "a string is not UTF-8"
      case .numberOutOfRange: "a number is too large"
      case .tooDeep(let limit): "more than \(limit) arrays and objects are nested in each other"
      case .tooManyValues(let limit): "it has more than \(limit) values"
      }
    return "\(what), at byte \(offset)"
  }
}
