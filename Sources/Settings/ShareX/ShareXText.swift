import Foundation
import JSONText
import ScalarText
import UploadModel

// All text in here is Unicode scalars.

/// Parses the strings of a ShareX uploader, with placeholders in one of two syntaxes.
struct ShareXText {
  private enum Piece {
    case text(String)
    /// A function's name in lower case, and the text after its colon.
    case call(String, Argument)
  }

  private struct Argument {
    let text: String
    /// The text split at each `|` that is not escaped by a backslash.
    let parts: [String]

    init(_ source: String) {
      text = ShareXText.unescaped(source)
      var parts = [String.UnicodeScalarView()]
      var isEscaped = false
      for scalar in source.unicodeScalars {
        if scalar == "|", !isEscaped {
          parts.append(String.UnicodeScalarView())
        } else {
          parts[parts.count - 1].append(scalar)
        }
        isEscaped = scalar == "\\" && !isEscaped
      }
      self.parts = parts.map { ShareXText.unescaped(String($0)) }
    }
  }

  /// Whether placeholders are `$…$` rather than `{…}`.
  let isOld: Bool
  /// The expressions that `$regex:1$` refers to, counted from 1.
  let expressions: [String]

  /// Whether a string contains no special characters of either syntax.
  static func isPlain(_ text: String) -> Bool {
    !text.unicodeScalars.contains { "{}$\\".unicodeScalars.contains($0) }
  }

  /// The functions that a placeholder can name.
  private static let functions: Set<String> = [
    "base64", "filename", "header", "input", "inputbox", "json", "outputbox", "prompt", "random",
    "regex", "response", "responseurl", "select", "xml",
  ]

  /// Whether these strings have placeholders in the old syntax, and none in the new one.
  static func isCertainlyOld(_ texts: [String]) -> Bool {
    func hasCalls(isOld: Bool) -> Bool {
      let syntax = ShareXText(isOld: isOld, expressions: [])
      return texts.contains { text in
        ((try? syntax.pieces(of: text)) ?? []).contains {
          if case .call(let name, _) = $0 { functions.contains(name) } else { false }
        }
      }
    }
    return hasCalls(isOld: true) && !hasCalls(isOld: false)
  }

  /// The text of an uploader as strict JSON. ShareX's reader (Newtonsoft.Json) skips comments, and commas and byte order
  /// marks that have no meaning. Since it wants strings, it takes numbers as they are written.
  static func strictJSON(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    if rest.first == "\u{FEFF}" { rest.removeFirst() }
    while let scalar = rest.first {
      var token = rest.prefix(1)
      switch scalar {
      case "\"":
        token = rest.prefix(upTo: endOfString(rest))
        result += token
      case "/" where rest.dropFirst().first == "/":
        token = rest.prefix { $0 != "\n" && $0 != "\r" }
      case "/" where rest.dropFirst().first == "*":
        let end = Substring(rest.dropFirst(2)).range(scalars: "*/")?.upperBound
        // A comment without an end is not JSON.
        guard let end else { return text }
        token = rest[..<end]
      case "-", "0"..."9":
        token = rest.prefix { "+-.eE".unicodeScalars.contains($0) || ("0"..."9").contains($0) }
        let number = String(token)
        let isNumber = JSONValue(text: number) != nil
        result += (isNumber ? "\"\(number)\"" : number).unicodeScalars
      case "}", "]":
        if let last = result.lastIndex(where: { !$0.isWhiteSpace }), result[last] == "," {
          result.remove(at: last)
        }
        result.append(scalar)
      default: result.append(scalar)
      }
      rest = rest[token.endIndex...]
    }
    return String(result)
  }

  /// The index after the string that a text begins with.
  private static func endOfString(
    _ text: Substring.UnicodeScalarView
  ) -> Substring.UnicodeScalarView.Index {
    var isEscaped = false
    for index in text.indices.dropFirst() {
      if text[index] == "\"", !isEscaped { return text.index(after: index) }
      isEscaped = text[index] == "\\" && !isEscaped
    }
    return text.endIndex
  }

  /// Converts a string of a request: replaces ShareX's placeholders by hoist's.
  func template(
    _ text: String, escaping: Template.Escaping = .none
  ) throws(InvalidInput) -> Template {
    let source = try pieces(of: text).map { (piece) throws(InvalidInput) in
      switch piece {
      case .text(let text): return try Self.dates(Template.braced(text))
      case .call("filename", let argument) where argument.text.isEmpty: return "{file.name}"
      // `{random:a|b}` may stand for any of its parts, so the first one will do.
      case .call("random", let argument): return Template.braced(argument.parts[0])
      case .call("base64", let argument):
        // Supported only for fixed text: the configuration then contains the result.
        return Template.braced(Data(argument.text.utf8).base64EncodedString())
      case .call(let name, _): throw InvalidInput("hoist has no counterpart of {\(name)}")
      }
    }.joined()
    return try Template(
      source, escaping: escaping, lookup: Template.Lookup(environment: { _ in nil }))
  }

  /// Converts a string that takes a value from the reply.
  func value(_ text: String) throws(InvalidInput) -> ReplyValue {
    // Text before a value becomes its prefix, and text after the last value becomes that value's suffix.
    var literal = ""
    var values: [ReplyValue] = []
    for piece in try pieces(of: text) {
      switch piece {
      case .text(let text): literal += text
      case .call("random", let argument): literal += argument.parts[0]
      case .call(let name, let argument):
        values.append(ReplyValue(try place(name, argument), prefix: literal))
        literal = ""
      }
    }
    guard !values.isEmpty else { throw InvalidInput("it takes nothing from the reply") }
    values[values.count - 1].suffix = Template(literal: literal)
    var value = values[0]
    value.next = Array(values.dropFirst())
    return value
  }

  /// Whether a string uses the address that ShareX arrives at after it has followed the redirects.
  func asksForAddress(_ text: String) -> Bool {
    ((try? pieces(of: text)) ?? []).contains {
      if case .call("responseurl", _) = $0 { true } else { false }
    }
  }

  private func place(_ name: String, _ argument: Argument) throws(InvalidInput) -> ReplyPlace {
    switch name {
    case "response": return .pattern(try Pattern(#"\S+"#))
    case "json":
      guard let pointer = Self.pointer(argument.text) else {
        throw InvalidInput("the path \"\(argument.text)\" cannot be written as a JSON Pointer")
      }
      return .pointer(pointer)
    case "header": return .header(argument.text.lowercased())
    // ShareX follows the redirect before it reads this value. hoist does not: the redirect itself is the reply.
    case "responseurl": return .header("location")
    case "regex": return .pattern(try expression(argument))
    default: throw InvalidInput("hoist has no counterpart of {\(name)}")
    }
  }

  /// In the old syntax, the argument is the number of an expression, then optionally `,` or `|` and a group. In the new
  /// syntax, it is the expression itself, then optionally `|` and a group. If there are three parts, the first is the
  /// text to search, and the other two are the expression and the group.
  private func expression(_ argument: Argument) throws(InvalidInput) -> Pattern {
    if isOld {
      let parts = argument.text.unicodeScalars.split(maxSplits: 1) { $0 == "," || $0 == "|" }
        .map { String($0) }
      guard let number = parts.first.flatMap({ Int($0) }), (1...).contains(number),
        number <= expressions.count
      else { throw InvalidInput("RegexList has no expression number \(argument.text)") }
      return try CapturedGroup(expressions[number - 1]).pattern(of: parts.dropFirst().first)
    }
    var parts = argument.parts
    if parts.count > 2 {
      guard parts.removeFirst() == "{response}" else {
        throw InvalidInput("the expression searches something other than the reply")
      }
    }
    return try CapturedGroup(parts[0]).pattern(of: parts.dropFirst().first)
  }

  /// Converts a path in the syntax of Newtonsoft's SelectToken, such as `data.files[0]['a b']`, to a JSON Pointer.
  static func pointer(_ path: String) -> JSONPointer? {
    var tokens: [String] = []
    var rest = path.unicodeScalars[...]
    if rest.first == "$" { rest = rest.dropFirst() }
    while let first = rest.first {
      if first == "[" {
        guard let end = rest.firstIndex(of: "]") else { return nil }
        var token = rest[..<end].dropFirst()
        if let quote = token.first, quote == "'" || quote == "\"" {
          guard token.count >= 2, token.last == quote else { return nil }
          token = token.dropFirst().dropLast()
        } else if Int(String(token)) == nil {
          return nil
        }
        tokens.append(String(token))
        rest = rest[end...].dropFirst()
      } else {
        if first == "." { rest = rest.dropFirst() }
        let token = rest.prefix { $0 != "." && $0 != "[" }
        guard !token.isEmpty, String(token) != "*" else { return nil }
        tokens.append(String(token))
        rest = rest[token.endIndex...]
      }
    }
    return JSONPointer(tokens: tokens)
  }

  private func pieces(of text: String) throws(InvalidInput) -> [Piece] {
    var pieces: [Piece] = []
    var literal = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    let (open, close): (Unicode.Scalar, Unicode.Scalar) = isOld ? ("$", "$") : ("{", "}")
    while let scalar = rest.popFirst() {
      if scalar == "\\", let next = rest.first, "{}$\\|".unicodeScalars.contains(next) {
        literal.append(next)
        rest.removeFirst()
      } else if scalar == open {
        let (inner, after) = try Self.inner(of: rest, upTo: close, isNested: !isOld)
        if !literal.isEmpty { pieces.append(.text(String(literal))) }
        literal = String.UnicodeScalarView()
        let parts = String(inner).split(scalar: ":", maxSplits: 1)
        pieces.append(.call(parts[0].lowercased(), Argument(parts.count > 1 ? parts[1] : "")))
        rest = after
      } else {
        literal.append(scalar)
      }
    }
    if !literal.isEmpty { pieces.append(.text(String(literal))) }
    return pieces
  }

  /// Splits a text at the end of a placeholder. An expression inside the placeholder can contain pairs of braces.
  private static func inner(
    of text: Substring.UnicodeScalarView, upTo close: Unicode.Scalar, isNested: Bool
  ) throws(InvalidInput) -> (Substring.UnicodeScalarView, Substring.UnicodeScalarView) {
    var depth = 0
    var index = text.startIndex
    while index < text.endIndex {
      let scalar = text[index]
      if scalar == "\\" {
        index = text.index(after: index)
        if index == text.endIndex { break }
      } else if isNested, scalar == "{" {
        depth += 1
      } else if scalar == close {
        if depth == 0 { return (text[..<index], text[index...].dropFirst()) }
        depth -= 1
      }
      index = text.index(after: index)
    }
    throw InvalidInput("a placeholder is not closed")
  }

  /// Removes only the escapes of this syntax: other backslashes belong to the expression.
  private static func unescaped(_ text: String) -> String {
    text.replacing(scalars: "\\|", with: "|").replacing(scalars: "\\{", with: "{").replacing(
      scalars: "\\}", with: "}")
  }

  /// Converts ShareX's `%unix` and `%guid`. Its other `%` codes have no counterpart.
  private static func dates(_ text: String) throws(InvalidInput) -> String {
    let known = text.replacing(scalars: "%unix", with: "{unix_s}").replacing(
      scalars: "%guid", with: "{uuid}")
    let codes =
      /%(?:yy|y|mon2|mon|mo|d|h|mi|s|ms|pm|w2|w|i|rn|ra|rx|ro|rf|remoji|un|uln|cn|pn|t|n|width|height)\b/
    if let code = known.firstMatch(of: codes) {
      throw InvalidInput("\(code.0) has no counterpart here")
    }
    return known
  }
}
