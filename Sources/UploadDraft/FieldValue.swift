import RawStructuredFieldValues

/// A value in a structured header field (RFC 9651). Only the kinds of values that hoist needs are distinguished.
package enum FieldValue: Hashable, Sendable {
  /// A whole number of at most 15 digits.
  case integer(Int64)
  /// `?1` or `?0`.
  case boolean(Bool)
  /// Any other well-formed value: a decimal, a string, a token, bytes, a date, an inner list.
  case other

  /// Parses a field that is a single item (RFC 9651, section 4.2.3). Parameters are parsed and dropped. Nil if the
  /// field must be ignored as a whole, since it is malformed or longer than 4 KiB.
  package init?(item text: String) {
    guard var parser = Self.parser(of: text), let item = try? parser.parseItemFieldValue() else {
      return nil
    }
    self.init(item)
  }

  /// Parses a field that is a dictionary (RFC 9651, section 4.2.2). The last of two members with the same key wins. Nil
  /// if the field must be ignored as a whole, since it is malformed or longer than 4 KiB.
  package static func dictionary(_ text: String) -> [String: FieldValue]? {
    guard var parser = parser(of: text), let members = try? parser.parseDictionaryFieldValue()
    else { return nil }
    return members.reduce(into: [:]) { values, member in
      values[member.0] = if case .item(let item) = member.1 { FieldValue(item) } else { .other }
    }
  }

  /// The longest field, in bytes. The parser compares each key with all previous ones, and the field may come
  /// from an attacker.
  private static let longest = 4096

  private static func parser(of text: String) -> StructuredFieldValueParser<[UInt8]>? {
    text.utf8.count <= longest ? StructuredFieldValueParser(Array(text.utf8)) : nil
  }

  private init(_ item: Item) {
    switch item.rfc9651BareItem {
    case .integer(let number): self = .integer(number)
    case .bool(let truth): self = .boolean(truth)
    case .decimal, .string, .undecodedByteSequence, .token, .date, .displayString: self = .other
    }
  }

  package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

  package var boolean: Bool? { if case .boolean(let truth) = self { truth } else { nil } }
}
