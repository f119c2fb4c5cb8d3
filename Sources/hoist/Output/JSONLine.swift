import Foundation
import JSONText
import UploadModel

/// JSON, one object a line, for scripts and for whoever looks at it in a terminal.
enum JSONLine {
  /// The object of `value`, its keys in snake_case and sorted.
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// A value as it is.
  static func text(_ value: JSONValue) -> String { escaped(value.source) }

  /// JSON does not escape C1 control characters and bidirectional overrides, which terminals may obey. With
  /// them escaped it is the same JSON.
  private static func escaped(_ json: String) -> String {
    if json.utf8.allSatisfy({ $0 < 0x7F }) { return json }
    return json.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
