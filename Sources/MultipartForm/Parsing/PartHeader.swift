/// What a body says about one of its parts. All of it comes from the sender: a file name may contain directories,
/// and nothing in it is safe for a terminal or a path.
public struct PartHeader: Sendable, Hashable {
  /// The index of the part, from 0.
  public let index: Int
  /// The name of the form's field, with escapes as received. Bytes that are not UTF-8 become U+FFFD; ``nameBytes`` has
  /// the original ones.
  public let name: String
  /// The bytes of ``name`` as received, whatever their encoding.
  public let nameBytes: [UInt8]
  /// The file name, with escapes as received; nil for a part that is not a file. Browsers send an empty one for a file
  /// field without a file; it is also empty if it arrived as `filename*` alone, in a charset other than UTF-8.
  public let fileName: String?
  /// The bytes of ``fileName`` as received, whatever their encoding.
  public let fileNameBytes: [UInt8]?
  /// The value of Content-Type; nil when there is none, which means `text/plain` (RFC 7578 §4.4).
  public let contentType: String?
  /// All headers in order, including Content-Disposition and Content-Type. Folded lines are joined by a space
  /// (RFC 5322 §2.2.3).
  public let headers: [FormPart.Header]

  /// Whether the part is a file, that is, has a file name (RFC 7578 §4.2).
  public var isFile: Bool { fileName != nil }

  /// The file name with `%22`, `%0D` and `%0A`, the three escapes that browsers write, decoded. Browsers do not escape
  /// `%`, so a name that really contains `%22` comes out changed.
  public var unescapedFileName: String? { fileName.map(Self.unescaped) }

  /// The name with the same escapes decoded.
  public var unescapedName: String { Self.unescaped(name) }

  /// The file name in a `Content-Disposition` outside a form (RFC 6266), such as that of a file that is a
  /// request's whole content: `filename*`, or else `filename`. Nil if it has no readable name.
  package static func fileName(disposition: String) -> String? {
    guard let form = ParameterizedValue(Array(disposition.utf8)) else { return nil }
    let extended = (try? form.only("filename*")).flatMap(ExtendedValue.decode)
    return (extended ?? (try? form.only("filename"))).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let escapes = ["%22": ASCII.quote, "%0D": ASCII.carriageReturn, "%0A": ASCII.lineFeed]
    var rest = Array(text.utf8)[...]
    var result: [UInt8] = []
    while let byte = rest.first {
      let escaped = escapes[String(decoding: rest.prefix(3), as: UTF8.self).uppercased()]
      result.append(escaped ?? byte)
      rest = rest.dropFirst(escaped == nil ? 1 : 3)
    }
    return String(decoding: result, as: UTF8.self)
  }
}
