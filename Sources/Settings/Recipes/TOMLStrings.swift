/// Changes strings in a TOML text and leaves everything else unchanged.
enum TOMLStrings {
  /// The text with each string changed by `change`, even in settings that a `#` turns off. Multi-line strings stay as
  /// they are.
  static func changing(_ text: String, _ change: (String) -> String) -> String {
    var (result, rest): ([UInt8], ArraySlice<UInt8>) = ([], Array(text.utf8)[...])
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "#") where rest.dropFirst().first == UInt8(ascii: " "):
        take(rest.prefix { $0 != UInt8(ascii: "\n") })
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        let literal = string(at: rest)
        take(literal)
        guard let value = value(of: literal) else { continue }
        let changed = change(value)
        guard changed != value else { continue }
        result.removeLast(literal.count)
        result += TOMLText.string(changed).utf8
      default: take(rest.prefix(1))
      }
    }
    return String(decoding: result, as: UTF8.self)

    func take(_ bytes: ArraySlice<UInt8>) {
      result += bytes
      rest = rest.dropFirst(bytes.count)
    }
  }

  /// The string at the beginning of these bytes, with its quotes.
  private static func string(at bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let quote = bytes.first else { return bytes }
    var isEscaped = false
    let content = bytes.dropFirst().prefix { byte in
      let isEnd = !isEscaped && byte == quote || byte == UInt8(ascii: "\n")
      isEscaped = !isEscaped && quote == UInt8(ascii: "\"") && byte == UInt8(ascii: "\\")
      return !isEnd
    }
    return bytes.prefix(content.count + 2)
  }

  private static func value(of literal: ArraySlice<UInt8>) -> String? {
    let text = "value = \(String(decoding: literal, as: UTF8.self))"
    let value = try? ConfigNode.parse(text, file: "").entries().first?.node.string()
    return value ?? nil
  }
}
