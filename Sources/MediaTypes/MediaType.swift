/// The essence of a media type: `type/subtype`, lower case, without parameters.
///
/// Comparison is by the lower-cased essence, as the WHATWG MIME Sniffing Standard, section 4.2, defines it
/// (type and subtype are HTTP tokens and compare without regard to case).
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
  /// The type to send if nothing better is known (RFC 2046, section 4.5.1).
  public static let octetStream = MediaType(checked: "application/octet-stream")

  /// The essence, for example `image/jpeg`.
  public let description: String

  /// The part before the slash, for example `image`.
  public var type: Substring { description.prefix { $0 != "/" } }  // by Character: it is ASCII

  /// The part after the slash, for example `jpeg`.
  public var subtype: Substring { description.drop { $0 != "/" }.dropFirst() }  // by Character

  /// Reads a media type and drops its parameters: `text/HTML; charset=utf-8` becomes `text/html`.
  ///
  /// Nil if the text is not two HTTP tokens with a slash between them. A value of this type can therefore be written
  /// into a header unchanged.
  public init?(_ text: some StringProtocol) {
    var essence = Array(text.utf8)[...]
    essence = essence.prefix { $0 != UInt8(ascii: ";") }.drop(while: Self.isWhitespace)
    while let last = essence.last, Self.isWhitespace(last) { essence.removeLast() }
    guard let slash = essence.firstIndex(of: UInt8(ascii: "/")), slash > essence.startIndex,
      slash + 1 < essence.endIndex
    else { return nil }
    let folded = essence.map(Self.lowercased)
    let isValid = folded.indices.allSatisfy {
      $0 == slash - essence.startIndex || Self.isToken(folded[$0])
    }
    guard isValid else { return nil }
    description = String(decoding: folded, as: UTF8.self)
  }

  private init(checked essence: String) { description = essence }

  /// Whether the byte is white space in ASCII.
  static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// Makes the letters of ASCII lower case.
  static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// Whether a byte, in lower case if it is a letter, may occur in a token (RFC 9110, section 5.6.2).
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
