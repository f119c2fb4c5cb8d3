import Foundation
import ScalarText
import UploadModel

// All text in here is Unicode scalars.

/// The texts of a ShareX uploader, with its placeholders in one of two syntaxes.
struct ShareXText {
  private enum Piece {
    case text(String)
    /// The function's name in lower case, and what follows its colon.
    case call(String, String)
  }

  /// Whether placeholders are `$…$`; `{…}` otherwise.
  let isOld: Bool
  /// What `$regex:1$` counts.
  let expressions: [String]

  /// A text of a request: what it asks for becomes a placeholder of ours, where there is one.
  func template(
    _ text: String, escaping: Template.Escaping = .none
  ) throws(InvalidInput) -> Template {
    let source = try pieces(of: text).map { (piece) throws(InvalidInput) in
      switch piece {
      case .text(let text): return try Self.dates(Template.braced(text))
      case .call("filename", ""): return "{file.name}"
      case .call("base64", let text):
        // Only for fixed text; the configuration then contains the result.
        return Template.braced(Data(text.utf8).base64EncodedString())
      case .call(let name, _):
        throw InvalidInput("{\(name)} has no counterpart here")
      }
    }.joined()
    return try Template(
      source, escaping: escaping, lookup: Template.Lookup(environment: { _ in nil }))
  }

  /// What a text of the reply picks out of it.
  func value(_ text: String) throws(InvalidInput) -> ReplyValue {
    var (prefix, suffix) = ("", "")
    var place: ReplyValue.Place?
    for piece in try pieces(of: text) {
      switch piece {
      case .text(let text) where place == nil: prefix += text
      case .text(let text): suffix += text
      case .call(let name, let argument):
        guard place == nil else {
          throw InvalidInput("it puts several values together, and hoist takes one")
        }
        place = try self.place(name, argument)
      }
    }
    guard let place else {
      throw InvalidInput("it takes nothing from the reply")
    }
    return ReplyValue(place, prefix: prefix, suffix: suffix)
  }

  private func place(_ name: String, _ argument: String) throws(InvalidInput)
    -> ReplyValue.Place
  {
    switch name {
    case "response": return .pattern(try Pattern(#"\S+"#))
    case "json":
      guard let pointer = Self.pointer(argument) else {
        throw InvalidInput("the path \"\(argument)\" has no JSON Pointer")
      }
      return .pointer(pointer)
    case "header": return .header(argument.lowercased())
    case "regex": return .pattern(try expression(argument))
    default: throw InvalidInput("{\(name)} has no counterpart here")
    }
  }

  /// Old: the number of an expression, and of a group after `,` or `|`. New: the expression, and the
  /// number of a group after `|`.
  private func expression(_ argument: String) throws(InvalidInput) -> Pattern {
    if isOld {
      let numbers = argument.unicodeScalars.split { $0 == "," || $0 == "|" }.map { Int(String($0)) }
      guard let first = numbers.first, let number = first,
        expressions.indices.contains(number - 1)
      else { throw InvalidInput("RegexList has no number \(argument)") }
      return try grouped(expressions[number - 1], numbers.count > 1 ? numbers[1] : nil)
    }
    let scalars = argument.unicodeScalars
    if let bar = scalars.lastIndex(of: "|"),
      let group = Int(String(scalars[scalars.index(after: bar)...]))
    {
      return try grouped(String(scalars[..<bar]), group)
    }
    return try Pattern(argument)
  }

  private func grouped(_ source: String, _ group: Int?) throws(InvalidInput) -> Pattern {
    let pattern = try Pattern(source)
    switch group {
    // hoist takes the first group, or the whole where there is none.
    case nil where pattern.groups == 0, 0 where pattern.groups == 0, 1: return pattern
    case nil, 0: return try Pattern("(\(source))")
    case .some(let group):
      throw InvalidInput("it takes group \(group), and hoist the first")
    }
  }

  /// `data.files[0]['a b']`, a path as Newtonsoft's SelectToken takes it, as a JSON Pointer.
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
    let text = tokens.map {
      "/" + $0.replacing(scalars: "~", with: "~0").replacing(scalars: "/", with: "~1")
    }.joined()
    return try? JSONPointer(text)
  }

  // MARK: Syntax

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
        pieces.append(
          .call(parts[0].lowercased(), parts.count > 1 ? Self.unescaped(parts[1]) : ""))
        rest = after
      } else {
        literal.append(scalar)
      }
    }
    if !literal.isEmpty { pieces.append(.text(String(literal))) }
    return pieces
  }

  /// The text up to the end of a placeholder. An expression can contain pairs of braces.
  private static func inner(
    of text: Substring.UnicodeScalarView, upTo close: Unicode.Scalar, isNested: Bool
  ) throws(InvalidInput) -> (
    Substring.UnicodeScalarView, Substring.UnicodeScalarView
  ) {
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
    throw InvalidInput("a placeholder without its end")
  }

  /// Removes only the escapes of this syntax: other backslashes belong to the expression.
  private static func unescaped(_ text: String) -> String {
    text.replacing(scalars: "\\|", with: "|").replacing(scalars: "\\{", with: "{").replacing(
      scalars: "\\}", with: "}")
  }

  /// ShareX's `%unix` and `%guid`. Its other codes for parts of a date have no counterpart.
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
