import JSONText

/// JSON, one object a line, for scripts and for whoever looks at it in a terminal.
enum JSONLine {
  /// An object of those members that have a value.
  static func text(_ members: [String: JSONValue?]) -> String {
    text(.object(members.compactMapValues(\.self)))
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

extension JSONValue {
  init?(_ text: String?) {
    guard let text else { return nil }
    self = .string(text)
  }

  init?(_ number: (some BinaryInteger)?) {
    guard let number else { return nil }
    self = .integer(Int64(number))
  }
}
