/// The text that separates the parts of a form: RFC 2046 §5.1.1, 1 to 70 of its `bchars`.
///
/// In a body it follows two dashes. A file that contains the boundary would end its own part early, so nobody must be
/// able to guess it: ``random(_:)`` takes at least 128 bits from the system's generator each time.
public struct Boundary: Sendable, Hashable, CustomStringConvertible {
  /// The shape of a generated boundary.
  public enum Style: Sendable, CaseIterable {
    /// Four dashes and 128 random bits in the shape of a UUID (no bits are fixed, so it is not an RFC 9562 version 4
    /// UUID, which has only 122 random bits).
    case uuid
    /// Twenty-four dashes and 22 random letters and digits (131 bits): the shape that curl sends.
    case random
  }

  /// The longest boundary that RFC 2046 allows, in bytes.
  public static let maximumLength = 70

  /// The boundary as the Content-Type names it, without the two dashes of the delimiter line.
  public let text: String
  /// Whether the Content-Type can name it without quotes.
  private let isToken: Bool

  /// A fresh boundary with at least 128 bits from the system's random generator.
  public static func random(_ style: Style = .random) -> Boundary {
    var system = SystemRandomNumberGenerator()
    return random(style, using: &system)
  }

  /// A fresh boundary with bits from this generator, whose output nobody must be able to guess.
  package static func random(
    _ style: Style = .random, using generator: inout some RandomNumberGenerator
  ) -> Boundary {
    switch style {
    case .uuid:
      var text = Array("----00000000-0000-0000-0000-000000000000".utf8)
      var draw: UInt128 = generator.next()
      for place in text.indices where text[place] == UInt8(ascii: "0") {
        text[place] = letters[Int(draw % 16)]
        draw /= 16
      }
      return Boundary(unchecked: String(decoding: text, as: UTF8.self))
    case .random:
      var text = [UInt8](repeating: UInt8(ascii: "-"), count: 46)
      let letters = letters
      var draw: UInt64 = 0
      for place in 24..<46 {
        // Each draw gives eight letters; the remainders favour no letter by more than 2^-16.
        if place % 8 == 0 { draw = generator.next() }
        text[place] = letters[Int(draw % UInt64(letters.count))]
        draw /= UInt64(letters.count)
      }
      return Boundary(unchecked: String(decoding: text, as: UTF8.self))
    }
  }

  private static let letters = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// Takes a boundary chosen by the caller.
  ///
  /// A chosen boundary is safe only if it occurs in no file, since files are not searched for it.
  ///
  /// - Throws: ``FormError/invalidBoundary(_:_:)`` if it is not 1 to 70 `bchars`, or ends with a space
  ///   (RFC 2046 §5.1.1).
  public init(_ text: String) throws(FormError) {
    let bytes = text.utf8
    if bytes.isEmpty { throw .invalidBoundary(text, .empty) }
    if bytes.count > Self.maximumLength { throw .invalidBoundary(text, .tooLong(bytes.count)) }
    if let bad = bytes.first(where: { !ASCII.isBoundary($0) }) {
      throw .invalidBoundary(text, .illegalByte(bad))
    }
    if bytes.last == ASCII.space { throw .invalidBoundary(text, .endsWithSpace) }
    self.text = text
    isToken = bytes.allSatisfy(ASCII.isToken)
  }

  /// Takes the boundary out of a `Content-Type` header's value, as a receiver does.
  ///
  /// The parameter may be quoted, and its name and the media type may be in upper or lower case.
  ///
  /// - Throws: ``FormError/notMultipartForm(_:)`` for another media type,
  ///   ``FormError/missingBoundary(_:)`` when there is no boundary parameter or more than one, and
  ///   ``FormError/invalidBoundary(_:_:)`` when it is too long or has an illegal byte.
  public init(contentType: String) throws(FormError) {
    guard let value = ParameterizedValue(Array(contentType.utf8)),
      ASCII.equalIgnoringCase(value.value, "multipart/form-data".utf8)
    else { throw .notMultipartForm(contentType) }
    guard let found = try? value.only("boundary") else { throw .missingBoundary(contentType) }
    try self.init(String(decoding: found, as: UTF8.self))
  }

  private init(unchecked text: String) { (self.text, isToken) = (text, true) }

  /// The boundary's text.
  public var description: String { text }

  /// `multipart/form-data` with this boundary, for a request's `Content-Type` header. The boundary is quoted only if
  /// RFC 2045 §5.1 requires it: some receivers take the quotes for a part of it.
  public var contentType: String {
    "multipart/form-data; boundary=" + (isToken ? text : "\"\(text)\"")
  }

  /// CRLF, two dashes and the boundary: what separates parts. CR occurs only as its first byte,
  /// so a failed match can never overlap the start of the next one.
  var delimiter: [UInt8] { Array("\r\n--".utf8) + text.utf8 }
}
