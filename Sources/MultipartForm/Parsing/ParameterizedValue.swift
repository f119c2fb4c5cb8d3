/// A header value with parameters: `form-data; name="a"; filename="b"`.
///
/// Reads what senders really write, which is both less and more than RFC 2045 §5.1 allows:
/// - A value may be quoted. Unquoted, it extends to the next semicolon, without spaces around it, because real
///   boundaries contain `=` and `/` without quotes.
/// - In quotes, a backslash stands for itself: browsers send file names raw (WHATWG HTML, "multipart/form-data encoding
///   algorithm"). Only `\"` is a quote, as in RFC 9110 §5.6.4 and older versions of curl, unless that quote ends the
///   value, as it does after a name whose last character is a backslash.
/// - In a file name, a quote without a backslash also stands for itself, unless it ends the value: node's form-data and
///   others send such names.
/// - Percent escapes stay as they are: `%22` may be the name itself, since senders leave `%` alone.
struct ParameterizedValue {
  /// The text before the first semicolon.
  let value: [UInt8]
  /// The names are in lower case.
  private var parameters: [(name: String, value: [UInt8])] = []

  /// Nil when the bytes are malformed: no value, a parameter without a name or `=`, a missing closing quote, or
  /// something other than a semicolon after a closing quote.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    let head = rest.prefix { $0 != ASCII.semicolon }
    value = Array(ASCII.trimmed(head))
    guard !value.isEmpty else { return nil }
    rest = rest[head.endIndex...]

    while let semicolon = rest.first {
      guard semicolon == ASCII.semicolon else { return nil }
      rest = rest.dropFirst().drop(while: ASCII.isBlank)
      // A trailing or doubled semicolon has no meaning.
      guard let next = rest.first else { return }
      if next == ASCII.semicolon { continue }

      let name = rest.prefix { ASCII.isToken($0) }
      rest = rest[name.endIndex...].drop(while: ASCII.isBlank)
      guard !name.isEmpty, rest.first == ASCII.equals else { return nil }
      rest = rest.dropFirst().drop(while: ASCII.isBlank)

      let value: [UInt8]
      if rest.first == ASCII.quote {
        let isFileName = ASCII.equalIgnoringCase(name, "filename".utf8)
        guard let quoted = Self.consumeQuoted(&rest, isFileName: isFileName) else { return nil }
        value = quoted
        rest = rest.drop(while: ASCII.isBlank)
      } else {
        let plain = rest.prefix { $0 != ASCII.semicolon }
        value = Array(ASCII.trimmed(plain))
        rest = rest[plain.endIndex...]
      }
      parameters.append((String(decoding: name.map(ASCII.lowercased), as: UTF8.self), value))
    }
  }

  /// The value of the parameter with this name, which is in lower case, if it is given. Throws if it is given twice.
  func only(_ name: String) throws(ParserError.HeaderFault) -> [UInt8]? {
    let found = parameters.filter { $0.name == name }
    guard found.count < 2 else { throw .duplicateParameter(name) }
    return found.first?.value
  }

  /// The value of a parameter in several parts, `name*0` and those after it (RFC 2231 §3); nil if there is no first part.
  /// In a part whose name ends with `*`, bytes are percent-encoded, the first one after a charset, which is UTF-8, and a
  /// language (RFC 2231 §4.1). Throws if a part is given twice.
  func joined(_ name: String) throws(ParserError.HeaderFault) -> [UInt8]? {
    var whole: [UInt8]?
    for number in parameters.indices {
      let (plain, encoded) = (try only("\(name)*\(number)"), try only("\(name)*\(number)*"))
      guard plain == nil || encoded == nil else { throw .duplicateParameter("\(name)*\(number)") }
      if let plain {
        whole = (whole ?? []) + plain
      } else if let encoded {
        if number == 0, ExtendedValue.isInOtherCharset(encoded) { return [] }
        let decoded =
          number == 0
          ? ExtendedValue.decode(encoded) : ExtendedValue.percentDecoded(encoded[...])
        guard let decoded, !decoded.contains(0) else { throw .malformedDisposition }
        whole = (whole ?? []) + decoded
      } else {
        break
      }
    }
    return whole
  }

  /// Takes a quoted string from the front; nil when its closing quote is missing.
  private static func consumeQuoted(
    _ rest: inout ArraySlice<UInt8>, isFileName: Bool
  ) -> [UInt8]? {
    var taken: [UInt8] = []
    var index = rest.startIndex + 1
    while index < rest.endIndex {
      let byte = rest[index]
      if byte == ASCII.quote, !isFileName || endsValue(rest[(index + 1)...]) {
        rest = rest[(index + 1)...]
        return taken
      }
      if byte == ASCII.backslash, rest[(index + 1)...].first == ASCII.quote,
        !endsValue(rest[(index + 2)...])
      {
        taken.append(ASCII.quote)
        index += 2
      } else {
        taken.append(byte)
        index += 1
      }
    }
    return nil
  }

  private static func endsValue(_ rest: ArraySlice<UInt8>) -> Bool {
    let next = rest.first { !ASCII.isBlank($0) }
    return next == nil || next == ASCII.semicolon
  }
}
