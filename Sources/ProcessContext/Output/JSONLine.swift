import Digests
import JSONText
import MultipartForm
import UploadModel

/// JSON, one object on each line, for scripts and for people at a terminal.
package enum JSONLine {
  /// An object with the members that have a value.
  package static func text(_ members: [String: JSONValue?]) -> String {
    text(.object(members.compactMapValues(\.self)))
  }

  /// A path: a string, or an array of bytes if it is not UTF-8, as reports have it.
  package static func path(_ location: FileLocation) -> JSONValue {
    String(validating: location.bytes, as: UTF8.self).map { .string($0) }
      ?? .array(location.bytes.map { .integer(Int64($0)) })
  }

  /// The progress of an attempt to send a file in pieces. For other files, the members have no values.
  package static func members(of pieces: PieceCount?) -> [String: JSONValue?] {
    [
      "pieces": JSONValue(pieces?.count), "pieces_sent": JSONValue(pieces?.sent),
      "pieces_resumed": JSONValue(pieces?.resumed),
    ]
  }

  /// The JSON of a value, with DEL, C1 control characters and invisible characters escaped: JSON allows them, but
  /// terminals may obey them.
  package static func text(_ value: JSONValue) -> String {
    let json = value.source
    if json.utf8.allSatisfy({ $0 < 0x7F }) { return json }
    return json.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        for unit in String(scalar).utf16 {
          text += "\\u" + [UInt8(unit >> 8), UInt8(unit & 0xFF)].hexadecimal
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension JSONValue {
  package init?(_ text: String?) {
    guard let text else { return nil }
    self = .string(text)
  }

  package init?(_ number: (some BinaryInteger)?) {
    guard let number else { return nil }
    self = .integer(Int64(number))
  }
}
