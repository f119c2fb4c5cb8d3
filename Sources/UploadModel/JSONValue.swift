import Foundation

/// A value of JSON (RFC 8259), as a server's answer holds it.
public enum JSONValue: Hashable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number that fits.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object. The order of its members means nothing.
  case object([String: JSONValue])

  /// The value that `text` is; nil where it is no JSON.
  public init?(text: String) {
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else {
      return nil
    }
    self = value
  }

  /// The value as a person reads it: a string without quotes, everything else as in JSON.
  public var text: String {
    switch self {
    case .string(let text): text
    case .null, .bool, .integer, .number, .array, .object: source
    }
  }

  /// The value as JSON, members sorted by name.
  public var source: String {
    switch self {
    case .null: "null"
    case .bool(let flag): String(flag)
    case .integer(let number): String(number)
    case .number(let number): number.isFinite ? "\(number)" : "null"
    case .string(let text): "\"\(Self.escaped(text))\""
    case .array(let values): "[\(values.map(\.source).joined(separator: ","))]"
    case .object(let members):
      "{"
        + members.sorted { $0.key < $1.key }
        .map { "\"\(Self.escaped($0.key))\":\($0.value.source)" }.joined(separator: ",") + "}"
    }
  }

  /// `text` as it stands between the quotes of a JSON string (RFC 8259 §7).
  public static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped.append(contentsOf: "\\\"".unicodeScalars)
      case "\\": escaped.append(contentsOf: "\\\\".unicodeScalars)
      case "\n": escaped.append(contentsOf: "\\n".unicodeScalars)
      case "\r": escaped.append(contentsOf: "\\r".unicodeScalars)
      case "\t": escaped.append(contentsOf: "\\t".unicodeScalars)
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        escaped.append(
          contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            .unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  /// Whether two values mean the same: `1` and `1.0` do.
  public static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.integer(let whole), .number(let number)), (.number(let number), .integer(let whole)):
      number == Double(whole)
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  /// Equal values feed in the same.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let flag): hasher.combine(flag)
    case .integer(let number): hasher.combine(Double(number))
    case .number(let number): hasher.combine(number)
    case .string(let text): hasher.combine(text)
    case .array(let values): hasher.combine(values)
    case .object(let members): hasher.combine(members)
    }
  }
}

extension JSONValue: Codable {
  /// Reads any value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let number = try? container.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let values = try? container.decode([JSONValue].self) {
      self = .array(values)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Writes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .integer(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let values): try container.encode(values)
    case .object(let members): try container.encode(members)
    }
  }
}
