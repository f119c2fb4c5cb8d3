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

  init(
    index: Int, name: [UInt8], fileName: [UInt8]?, contentType: String?, headers: [FormPart.Header]
  ) {
    self.index = index
    self.name = String(decoding: name, as: UTF8.self)
    nameBytes = name
    self.fileName = fileName.map { String(decoding: $0, as: UTF8.self) }
    fileNameBytes = fileName
    self.contentType = contentType
    self.headers = headers
  }

  /// The file name with `%22`, `%0D` and `%0A`, the three escapes that browsers write, decoded. Browsers do not escape
  /// `%`, so a name that really contains `%22` comes out changed.
  public var unescapedFileName: String? { fileName.map(Self.unescaped) }

  /// The name with the same escapes decoded.
  public var unescapedName: String { Self.unescaped(name) }

  /// The file name in a `Content-Disposition` outside a form (RFC 6266), such as that of a file that is a
  /// request's whole content: `filename*`, or else `filename`. Nil if it has no readable name.
  package static func fileName(disposition: String) -> String? {
    guard let form = ParameterizedValue(Array(disposition.utf8)) else { return nil }
    func value(_ name: String) -> [UInt8]? {
      let found = form.parameters.filter { $0.name == name }
      return found.count == 1 ? found[0].value : nil
    }
    return (value("filename*").flatMap { ExtendedValue.decode($0) } ?? value("filename"))
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      switch String(decoding: bytes[index...].prefix(3), as: UTF8.self).uppercased() {
      case "%22": result.append(ASCII.quote)
      case "%0D": result.append(ASCII.carriageReturn)
      case "%0A": result.append(ASCII.lineFeed)
      default:
        result.append(bytes[index])
        index += 1
        continue
      }
      index += 3
    }
    return String(decoding: result, as: UTF8.self)
  }
}
