import Foundation

/// A value of JSON (RFC 8259), as clients send it and the receiver keeps it.
enum JSON: Hashable, Sendable, Codable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init(from decoder: any Decoder) throws {
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
    } else if let values = try? container.decode([JSON].self) {
      self = .array(values)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
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

  /// The text as it would stand in a query.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let flag): String(flag)
    case .integer(let number): String(number)
    case .number(let number): String(number)
    case .string(let text): text
    case .array, .object: ""
    }
  }

  /// Whether it comes before another one: numbers by their size, everything else by its text.
  func comes(before other: JSON) -> Bool {
    if let a = number, let b = other.number { return a < b }
    return text < other.text
  }

  private var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    case .null, .bool, .string, .array, .object: nil
    }
  }
}
