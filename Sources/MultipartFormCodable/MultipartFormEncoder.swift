import MultipartForm

/// Makes a form out of a value of any `Encodable` type.
///
/// ```swift
/// let form = try MultipartFormEncoder().encode(album)
/// let body = try FormBody(form)
/// ```
///
/// <doc:NamesOfFields> says how values become fields. ``MultipartFormDecoder`` does the reverse.
public struct MultipartFormEncoder: Sendable {
  /// The names of an array's elements if each is one part. Elements that consist of several parts always get an index:
  /// `a[0][name]`.
  public enum ArrayNames: Sendable {
    /// `a[]`, which PHP, Rails and many others expect.
    case brackets
    /// `a[0]`, `a[1]`.
    case indices
    /// The array's own name for each element, as browsers send multiple choices.
    case repeated
  }

  /// How dates are written.
  public var dates: FormDates
  /// How the elements of arrays are named.
  public var arrays: ArrayNames
  /// Information for the types that are encoded.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes an encoder.
  public init(dates: FormDates = .iso8601, arrays: ArrayNames = .brackets) {
    self.dates = dates
    self.arrays = arrays
  }

  /// Makes a form out of a structure, a class or a dictionary.
  ///
  /// - Throws: `EncodingError`, whose path leads to the value, if the value is not made of named values, a key cannot
  ///   be part of a name, an array contains nil, or a number is not finite. An error that a type itself throws is the
  ///   `underlyingError`.
  public func encode(_ value: some Encodable) throws(EncodingError) -> FormData {
    let parts = PartList()
    try FieldEncoder(parts: parts, settings: self).write(value)
    return FormData(parts: parts.parts)
  }
}
