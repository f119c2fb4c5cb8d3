import MultipartForm

/// Makes a value of any `Decodable` type out of a form.
///
/// ```swift
/// let album = try MultipartFormDecoder().decode(Album.self, from: form)
/// ```
///
/// <doc:NamesOfFields> says which field becomes what. The form is not trusted: a value that is missing, has another
/// type, is not UTF-8 or occurs several times is an error, and so is a name with more than ``depth`` keys. The number
/// of fields is limited by the `FormLimits` with which the form was read.
public struct MultipartFormDecoder: Sendable {
  /// How dates are written.
  public var dates: FormDates
  /// The most keys that the name of a field may have: `a[b][c]` has three.
  public var depth: Int
  /// Information for the types that are decoded.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes a decoder.
  public init(dates: FormDates = .iso8601, depth: Int = 8) {
    self.dates = dates
    self.depth = depth
  }

  /// Makes a value out of a form. Fields that the type does not ask for are ignored.
  ///
  /// - Throws: `DecodingError`, whose path leads to the value. Its `debugDescription` names the field and says what is
  ///   wrong with it, and may be sent to the client. An error that a type itself throws is the `underlyingError`.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from form: CollectedForm
  ) throws(DecodingError) -> Value {
    try FieldDecoder(node: FieldNode(form, depth: depth), settings: self).value(type)
  }
}
