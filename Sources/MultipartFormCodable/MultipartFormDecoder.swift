import MultipartForm

/// Makes a value of any `Decodable` type out of a form.
///
/// ```swift
/// let album = try MultipartFormDecoder().decode(Album.self, from: form)
/// ```
///
/// <doc:NamesOfFields> says which field becomes what. The form is a stranger's: a value that is missing, not of its
/// type, not UTF-8 or there several times is an error, and so is a name of more keys than ``depth``. How many fields
/// there are is bounded by the `FormLimits` with which the form was read.
public struct MultipartFormDecoder: Sendable {
  /// How dates are written.
  public var dates: FormDates
  /// The most keys that the name of a field may have: `a[b][c]` has three.
  public var depth: Int
  /// What the decoded types are told.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Makes a decoder.
  public init(dates: FormDates = .iso8601, depth: Int = 8) {
    self.dates = dates
    self.depth = depth
  }

  /// Makes a value out of a form. Fields that the type does not ask for are passed over.
  ///
  /// - Throws: `DecodingError`, whose path leads to the value. Its `debugDescription` names the field and says what is
  ///   wrong with it, and may be sent to the client. What a type throws by itself is the `underlyingError`.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from form: CollectedForm
  ) throws(DecodingError) -> Value {
    let field = FieldDecoder(node: try FieldNode(form, depth: depth), settings: self)
    do { return try field.value(type) } catch { throw FieldDecoder.typed(error, at: []) }
  }
}
