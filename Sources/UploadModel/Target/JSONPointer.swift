import JSONText
import ScalarText

/// Points to a value inside a JSON document (RFC 6901). "" is the whole document; `/files/0/url` is the member `url` of
/// the first element of `files`. `~1` stands for a slash and `~0` for a tilde. If a request has several files, `*`
/// stands for a file's number (`/files/*/url`), from 0.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
  /// The names and indices along the path, unescaped.
  let tokens: [String]

  package var description: String {
    tokens.map {
      "/" + $0.replacing(scalars: "~", with: "~0").replacing(scalars: "/", with: "~1")
    }.joined()
  }

  /// The pointer to the whole document.
  package static let whole = JSONPointer(tokens: [])

  /// The pointer along a path of names and indices, which are not escaped.
  package init(tokens: some Sequence<String>) { self.tokens = Array(tokens) }

  /// Parses a pointer (RFC 6901 §3).
  package init(_ text: String) throws(InvalidInput) {
    guard text.isEmpty || text.unicodeScalars.first == "/" else {
      throw InvalidInput("expected a JSON Pointer such as \"/files/0/url\", found \"\(text)\"")
    }
    let escapes = text.split(scalar: "~").dropFirst()
    guard escapes.allSatisfy({ $0.hasPrefix(scalars: "0") || $0.hasPrefix(scalars: "1") }) else {
      throw InvalidInput(
        "\"~\" in a JSON Pointer must be written as ~0 (and \"/\" as ~1), found \"\(text)\"")
    }
    // In this order, so that ~01 becomes ~1 (RFC 6901 §4).
    tokens = text.split(scalar: "/").dropFirst().map {
      $0.replacing(scalars: "~1", with: "/").replacing(scalars: "~0", with: "~")
    }
  }

  /// Whether its last step may be the number of an array element.
  var endsInNumber: Bool { tokens.last.map { Self.isNumber($0) || Int($0) != nil } ?? false }

  /// The pointer to the array or object that contains the value; for the whole document, the same pointer.
  var parent: JSONPointer { JSONPointer(tokens: tokens.dropLast()) }

  /// Whether it points to a different value for each file of a request.
  var dependsOnFile: Bool { tokens.contains(where: Self.isNumber) }

  /// Whether a step stands for a file's number.
  private static func isNumber(_ token: String) -> Bool { token == "*" }

  /// The pointer with a file's number in place of `*`.
  func description(file: Int) -> String {
    guard dependsOnFile else { return description }
    return JSONPointer(tokens: tokens.map { Self.isNumber($0) ? "\(file)" : $0 }).description
  }

  /// The pointer to the list in which `*` stands for an element.
  var list: JSONPointer { JSONPointer(tokens: tokens.prefix { !Self.isNumber($0) }) }

  /// The length of the list in which `*` stands for an element; nil if the document has no such list.
  func fileCount(in document: JSONValue) -> Int? {
    if case .array(let elements) = list.value(in: document) { elements.count } else { nil }
  }

  /// The value that it points to; nil if there is no such value (RFC 6901 §4). In an array, `*` stands for `file`.
  func value(in document: JSONValue?, file: Int = 0) -> JSONValue? {
    var value = document
    for token in tokens {
      switch value {
      case .object(let members): value = members[token]
      case .array(let elements):
        guard let index = Self.isNumber(token) ? file : Self.index(token),
          elements.indices.contains(index)
        else { return nil }
        value = elements[index]
      case .null, .bool, .integer, .longInteger, .number, .string, nil: return nil
      }
    }
    return value
  }

  /// Whether a list on the way to the value is too short to have it.
  func isBeyondList(in document: JSONValue?) -> Bool {
    for (place, token) in tokens.enumerated() {
      guard
        case .array(let elements)? = JSONPointer(tokens: tokens.prefix(place)).value(in: document)
      else { continue }
      if let index = Self.index(token), index >= elements.count { return true }
    }
    return false
  }

  /// The index that a step stands for; nil if it stands for none. An index has no sign and no leading zero. "-" means
  /// the element after the last one, which does not exist.
  private static func index(_ token: String) -> Int? {
    token.utf8.allSatisfy(\.isDigit) && (token == "0" || token.utf8.first != 0x30)
      ? Int(token) : nil
  }

  /// The text or the whole number that it points to; nil if it points to neither.
  func text(in document: JSONValue?, file: Int = 0) -> String? {
    switch value(in: document, file: file) {
    case .string(let text): text
    case .integer, .longInteger: value(in: document, file: file)?.text
    case nil, .null, .bool, .number, .array, .object: nil
    }
  }
}
