import Foundation
import ScalarText
import UploadModel

// All text in here is Unicode scalars.

/// The texts of a ShareX uploader, with its placeholders in one of two syntaxes.
struct ShareXText {
  private enum Piece {
    case text(String)
    /// The function's name in lower case, and what follows its colon.
    case call(String, Argument)
  }

  /// What a function is given.
  private struct Argument {
    /// All of it.
    var text: String
    /// Split at each `|` without a backslash before it.
    var parts: [String]

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

  /// Whether placeholders are `$…$`; `{…}` otherwise.
  let isOld: Bool
  /// What `$regex:1$` counts.
  let expressions: [String]

  /// Whether a text is plain in both syntaxes.
  static func isPlain(_ text: String) -> Bool {
    !text.unicodeScalars.contains { "{}$\\".unicodeScalars.contains($0) }
  }

  /// A text of a request, with our placeholders in place of ShareX's, if there are any.
  func template(
    _ text: String, escaping: Template.Escaping = .none
  ) throws(InvalidInput) -> Template {
    let source = try pieces(of: text).map { (piece) throws(InvalidInput) in
      switch piece {
      case .text(let text): return try Self.dates(Template.braced(text))
      case .call("filename", let argument) where argument.text.isEmpty: return "{file.name}"
      case .call("base64", let argument):
        // Only for fixed text; the configuration then contains the result.
        return Template.braced(Data(argument.text.utf8).base64EncodedString())
      case .call(let name, _):
        throw InvalidInput("{\(name)} has no counterpart here")
      }
    }.joined()
    return try Template(
      source, escaping: escaping, lookup: Template.Lookup(environment: { _ in nil }))
  }

  /// What a text about the reply takes from it.
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

  private func place(_ name: String, _ argument: Argument) throws(InvalidInput)
    -> ReplyValue.Place
  {
    switch name {
    case "response": return .pattern(try Pattern(#"\S+"#))
    case "json":
      guard let pointer = Self.pointer(argument.text) else {
        throw InvalidInput("the path \"\(argument.text)\" has no JSON Pointer")
      }
      return .pointer(pointer)
    case "header": return .header(argument.text.lowercased())
    case "regex": return .pattern(try expression(argument))
    default: throw InvalidInput("{\(name)} has no counterpart here")
    }
  }

  /// In the old syntax: the number of an expression, and a group after `,` or `|`. In the new one: the expression and a
  /// group after `|`, both after the text to search.
  private func expression(_ argument: Argument) throws(InvalidInput) -> Pattern {
    if isOld {
      let parts = argument.text.unicodeScalars.split(maxSplits: 1) { $0 == "," || $0 == "|" }
        .map { String($0) }
      guard let number = parts.first.flatMap({ Int($0) }), expressions.indices.contains(number - 1)
      else { throw InvalidInput("RegexList has no number \(argument.text)") }
      return try CapturedGroup(expressions[number - 1]).pattern(
        of: parts.count > 1 ? parts[1] : nil)
    }
    var parts = argument.parts
    if parts.count > 2 {
      guard parts.removeFirst() == "{response}" else {
        throw InvalidInput("it searches something else than the reply")
      }
    }
    return try CapturedGroup(parts[0]).pattern(of: parts.count > 1 ? parts[1] : nil)
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
          .call(parts[0].lowercased(), Argument(parts.count > 1 ? parts[1] : "")))
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
