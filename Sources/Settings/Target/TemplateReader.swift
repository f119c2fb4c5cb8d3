import Foundation
import JSONText
import UploadModel

/// Reads texts from the configuration: those with placeholders, and paths.
struct TemplateReader {
  /// Resolves `{env.…}` and `{secret.…}`.
  let lookup: Template.Lookup
  /// Resolves relative paths.
  let paths: FilePath

  /// The same reader, which also knows these values for `{value.…}`.
  func knowing(_ values: [DerivedValue]) -> TemplateReader {
    TemplateReader(lookup: lookup.knowing(values), paths: paths)
  }

  func template(
    _ node: ConfigNode, scope: [Template.Placeholder] = Template.Placeholder.ofFile,
    escaping: Template.Escaping = .none
  ) throws(ConfigError) -> Template {
    let source: String
    switch node.value {
    case .integer(let number): source = String(number)
    case .bool(let flag): source = String(flag)
    case .string, .float, .array, .table, .other: source = try node.string()
    }
    return try node.checked {
      try Template(source, scope: scope, escaping: escaping, lookup: lookup)
    }
  }

  /// A template whose literal text is treated as a secret if its name suggests one.
  func value(
    _ node: ConfigNode, named name: String,
    scope: [Template.Placeholder] = Template.Placeholder.ofFile
  ) throws(ConfigError) -> Template {
    guard SecretName.matches(name) else { return try template(node, scope: scope) }
    return try secret(node, scope: scope).hidden(as: name)
  }

  /// A template that may be a secret, so its text appears in no message.
  func secret(_ node: ConfigNode, scope: [Template.Placeholder]) throws(ConfigError) -> Template {
    // An error may quote the text between braces, which may be the secret, so replace that error. Errors below may show
    // the names of variables and secrets.
    if case .string(let text) = node.value,
      (try? Template(text, scope: scope, lookup: lookup.withoutSecrets)) == nil
    {
      throw node.fault(
        "it contains a placeholder that is not available here; write {{ and }} for literal braces"
      )
    }
    return try template(node, scope: scope)
  }

  /// Reads `{ a = "b", … }`, sorted by name, since TOML tables are unordered.
  func pairs(
    _ node: ConfigNode, scope: [Template.Placeholder] = Template.Placeholder.ofFile
  ) throws(ConfigError) -> [Target.Field] {
    try node.entries().map { (key, node) throws(ConfigError) in
      let name = try node.fixed(key)
      return Target.Field(name: name, value: try value(node, named: name, scope: scope))
    }
  }

  /// JSON with placeholders inside its strings. A string is treated as a secret if its member's name suggests one.
  /// Members are sorted by name, since TOML tables are unordered.
  func json(
    _ node: ConfigNode, named name: String = "",
    scope: [Template.Placeholder] = Template.Placeholder.ofFile
  ) throws(ConfigError) -> Template {
    switch node.value {
    case .string(let source):
      var text = try template(node, scope: scope, escaping: .json)
      // The secret's value would be the escaped text, so hide it only if escaping changes nothing.
      if SecretName.matches(name), JSONValue.escaped(source) == source {
        text = text.hidden(as: name)
      }
      guard let isNumber = text.isNumber else {
        throw node.fault(
          "a placeholder with |number must be the whole value, with no text around it")
      }
      let quote = Template(literal: isNumber ? "" : "\"")
      return quote + text + quote
    case .integer(let number): return Template(literal: String(number))
    case .float(let number):
      guard number.isFinite else { throw node.fault("JSON cannot represent this number") }
      return Template(literal: JSONValue.number(number).source)
    case .bool(let flag): return Template(literal: String(flag))
    case .array:
      var sum = Template(literal: "[")
      for (index, element) in try node.array().enumerated() {
        sum = sum + Template(literal: index == 0 ? "" : ",") + (try json(element, scope: scope))
      }
      return sum + Template(literal: "]")
    case .table:
      var sum = Template(literal: "{")
      for (index, (key, node)) in try node.entries().enumerated() {
        let key = try node.fixed(key)
        let start = "\(index == 0 ? "" : ",")\"\(JSONValue.escaped(key))\":"
        sum = sum + Template(literal: start) + (try json(node, named: key, scope: scope))
      }
      return sum + Template(literal: "}")
    case .other: throw node.fault("JSON has no dates; write the date as a string")
    }
  }

  /// A JSON value without placeholders, for comparison.
  func fixed(_ node: ConfigNode) throws(ConfigError) -> JSONValue {
    switch node.value {
    case .string: return .string(try node.fixed())
    case .integer(let number): return .integer(Int64(number))
    case .float(let number): return .number(number)
    case .bool(let flag): return .bool(flag)
    case .array: return .array(try node.array().map(fixed))
    case .table:
      var members: [String: JSONValue] = [:]
      for (key, node) in try node.entries() { members[try node.fixed(key)] = try fixed(node) }
      return .object(members)
    case .other: throw node.fault("JSON has no dates; write the date as a string")
    }
  }

  /// A URL with placeholders. Their values are percent-encoded and cannot change its scheme, host or port.
  func address(_ node: ConfigNode, scope: [Template.Placeholder]) throws(ConfigError) -> Template {
    let template = try template(node, scope: scope, escaping: .url)
    let url = try Self.url(template.sample("a"), node)
    guard Origin(try Self.url(template.sample("b"), node)) == Origin(url) else {
      throw node.fault("the host and port of a URL cannot contain placeholders")
    }
    return template.hidingQuery()
  }

  static func url(_ text: String, _ node: ConfigNode) throws(ConfigError) -> URL {
    try node.checked(of: .value) { try TargetURL.parse(text) }
  }
}

extension ConfigNode {
  /// Rejects empty credentials, such as "Authorization: Bearer ": they mean that somebody forgot to set a variable.
  func refuseEmptyVariables(of template: Template) throws(ConfigError) {
    if let name = template.emptyVariables.first {
      throw fault("the environment variable \(name) is empty")
    }
  }
}

extension Template {
  /// The part of an address that is the same for all files: all of it if it has no placeholder, otherwise up to the
  /// last slash before the first placeholder or the query.
  var commonStart: String {
    if isLiteral { return fixedText }
    // No URL contains this character.
    let start = sample("\u{0}").unicodeScalars.prefix { $0 != "\u{0}" && $0 != "?" }
    let end = start.lastIndex { $0 == "/" }.map { start.index(after: $0) } ?? start.endIndex
    return String(start[..<end])
  }
}
