import JSONText

/// Points to a value inside a JSON document (RFC 6901): "" is the whole document, `/files/0/url` a
/// member of the first element of `files`; `~1` stands for a slash and `~0` for a tilde. If a request has
/// several files, `*` stands for a file's number (`/files/*/url`), from 0.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
  /// The names and indices on the way, unescaped.
  private(set) var tokens: [String]

  /// The pointer as it was written.
  package let description: String

  /// The whole document.
  package static let whole = JSONPointer()

  private init() { (tokens, description) = ([], "") }

  /// Reads a pointer (RFC 6901 §3).
  ///
  /// - Throws: `InvalidInput` if the text is not a pointer.
  package init(_ text: String) throws(InvalidInput) {
    description = text
    guard !text.isEmpty else {
      tokens = []
      return
    }
    guard text.unicodeScalars.first == "/" else {
      throw InvalidInput("expected a JSON Pointer such as \"/files/0/url\", found \"\(text)\"")
    }
    var tokens: [String] = []
    for part in text.unicodeScalars.dropFirst()
      .split(separator: "/", omittingEmptySubsequences: false)
    {
      var token = String.UnicodeScalarView()
      var rest = part[...]
      while let scalar = rest.popFirst() {
        guard scalar == "~" else {
          token.append(scalar)
          continue
        }
        switch rest.popFirst() {
        case "0": token.append("~")
        case "1": token.append("/")
        default:
          throw InvalidInput(
            "\"~\" in a JSON Pointer is written ~0 (and \"/\" is ~1), found \"\(text)\""
          )
        }
      }
      tokens.append(String(token))
    }
    self.tokens = tokens
  }

  /// Whether it may name an element of an array.
  var endsInNumber: Bool {
    tokens.last.map { Self.isNumber($0) || Int($0) != nil } ?? false
  }

  /// The pointer to the array or object that contains the value; itself for the whole document.
  var parent: JSONPointer {
    var parent = self
    parent.tokens = Array(tokens.dropLast())
    return parent
  }

  /// Whether it points to a different value for each file of a request.
  var dependsOnFile: Bool { tokens.contains(where: Self.isNumber) }

  /// Whether a step stands for a file's number.
  private static func isNumber(_ token: String) -> Bool { token == "*" }

  /// The pointer with a file's number in place of `*`.
  func description(file: Int) -> String {
    guard dependsOnFile else { return description }
    return description.split(scalar: "/", omittingEmptySubsequences: false)
      .map { $0 == "*" ? "\(file)" : $0 }.joined(separator: "/")
  }

  /// The pointer to the list whose elements `*` stands for, as text.
  var list: String {
    let steps = description.split(scalar: "/", omittingEmptySubsequences: false)
    return steps[..<(steps.firstIndex(where: Self.isNumber) ?? steps.endIndex)].joined(
      separator: "/")
  }

  /// The length of that list; nil if it is missing.
  func fileCount(in document: JSONValue) -> Int? {
    var list = self
    list.tokens = Array(tokens[..<(tokens.firstIndex(where: Self.isNumber) ?? tokens.endIndex)])
    guard case .array(let elements)? = list.value(in: document) else { return nil }
    return elements.count
  }

  /// The value that it points to; nil if there is no such value (RFC 6901 §4).
  ///
  /// - Parameter file: the index that `*` stands for in an array.
  func value(in document: JSONValue, file: Int = 0) -> JSONValue? {
    var value = document
    for token in tokens {
      switch value {
      case .object(let members):
        guard let member = members[token] else { return nil }
        value = member
      case .array(let elements) where token == "*":
        guard elements.indices.contains(file) else { return nil }
        value = elements[file]
      case .array(let elements):
        // No sign, no leading zero; "-" means an element that does not exist.
        guard token.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
          token == "0" || token.utf8.first != 0x30, let index = Int(token),
          elements.indices.contains(index)
        else { return nil }
        value = elements[index]
      case .null, .bool, .integer, .number, .string: return nil
      }
    }
    return value
  }

  /// The text or the whole number that it points to; nil if it points to neither.
  func text(in document: JSONValue?, file: Int = 0) -> String? {
    switch document.flatMap({ value(in: $0, file: file) }) {
    case .string(let text)?: text
    case .integer(let number)?: "\(number)"
    case nil, .null, .bool, .number, .array, .object: nil
    }
  }
}
