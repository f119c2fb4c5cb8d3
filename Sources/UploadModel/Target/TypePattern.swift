import ScalarText

/// A media type, or all media types of one kind: `image/jpeg`, `image/*` (RFC 9110 §12.5.1).
package struct TypePattern: Hashable, Sendable, CustomStringConvertible {
  /// The pattern in lower case.
  package let description: String

  /// The pattern in `text`; nil if it is not one.
  package init?(_ text: String) {
    let halves = text.lowercased().split(scalar: "/")
    let token = Set("!#$%&'+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty }), halves[0] != "*",
      halves[0].utf8.allSatisfy(token.contains),
      halves[1] == "*" || halves[1].utf8.allSatisfy(token.contains)
    else { return nil }
    description = text.lowercased()
  }

  /// Whether a text is a media type, with or without parameters (RFC 9110 §8.3.1).
  package static func isType(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return false }
    let type = text.split(scalar: ";").first?.trimming(\.isBlank) ?? ""
    return TypePattern(type) != nil && type.utf8.last != UInt8(ascii: "*")
  }

  /// Whether a media type, with or without parameters, matches the pattern.
  func matches(_ type: String) -> Bool {
    let type = type.lowercased().utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
    if description.hasSuffix(scalars: "/*") {
      return type.starts(with: description.utf8.dropLast())
    }
    return type.elementsEqual(description.utf8)
  }
}
