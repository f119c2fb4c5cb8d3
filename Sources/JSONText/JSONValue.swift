/// A JSON value (RFC 8259).
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A whole number that fits into `Int64`.
  case integer(Int64)
  /// A whole number that does not fit into `Int64`, in its digits. It is often an identifier.
  case longInteger(String)
  /// Any other number.
  case number(Double)
  case string(String)
  case array([JSONValue])
  /// An object. The order of its members has no meaning.
  case object([String: JSONValue])

  /// The value as people read it: a string without quotes, everything else as JSON.
  package var text: String {
    if case .string(let text) = self { text } else { source }
  }

  /// Whether both values are numbers, both are strings, and so on.
  package func isSameKind(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.null, .null), (.bool, .bool), (.string, .string), (.array, .array), (.object, .object),
      (.integer, .integer), (.integer, .number), (.number, .integer), (.number, .number),
      (.longInteger, .longInteger), (.longInteger, .integer), (.integer, .longInteger),
      (.longInteger, .number), (.number, .longInteger):
      true
    default: false
    }
  }

  /// The value as JSON, with members sorted by name. A number that JSON cannot represent becomes `null`.
  package var source: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// Appends the value to a single string, since joining strings at each level would copy it once per level.
  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let flag): text += String(flag)
    case .integer(let number): text += String(number)
    case .longInteger(let digits): text += digits
    case .number(let number): text += number.isFinite ? "\(number)" : "null"
    case .string(let string): text += "\"\(Self.escaped(string))\""
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        text += "\(index > 0 ? "," : "")\"\(Self.escaped(member.key))\":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  /// `text` as it appears between the quotes of a JSON string (RFC 8259 §7).
  package static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\r": escaped += "\\r"
      case "\t": escaped += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  /// Whether two values mean the same, as `1` and `1.0` do.
  package static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.longInteger(let a), .longInteger(let b)): a == b
    case (.longInteger(let digits), .number(let number)),
      (.number(let number), .longInteger(let digits)):
      number == Double(digits)
    case (.number(let a), .number(let b)): a == b
    case (.integer(let whole), .number(let number)), (.number(let number), .integer(let whole)):
      number == Double(whole)
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  /// Hashes equal values equally, so whole numbers are hashed as `Double`.
  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let flag): hasher.combine(flag)
    case .integer(let number): hasher.combine(Double(number))
    case .longInteger(let digits): hasher.combine(Double(digits) ?? .infinity)
    case .number(let number): hasher.combine(number)
    case .string(let text): hasher.combine(text)
    case .array(let values): hasher.combine(values)
    case .object(let members): hasher.combine(members)
    }
  }
}
