import JSONText
import ScalarText

extension Reply {
  /// The server's message in a sentence on one line; `nil` if the reply contains no text that reads like a message.
  ///
  /// It is taken from JSON (the members that servers use for messages and codes, including the problem details of
  /// RFC 9457), from HTML (the title, a heading or a paragraph) and from the XML of S3, WebDAV and SOAP. In other text it
  /// is the first line that is not blank. The message comes from outside, so make it safe before it is shown.
  package var message: String? {
    guard let first = text.unicodeScalars.first(where: { !$0.isWhiteSpace }) else { return nil }
    if first == "<" {
      let page = Markup(bytes: Array(text.utf8.prefix(Self.messageReach)))
      return page.message.flatMap(Self.sentence)
    }
    // Long replies are pages, and any message is at their beginning.
    let isLong = text.utf8.count > Self.messageReach
    let mayBeJSON = (first == "{" || first == "[" || first == "\"") && !isLong && !isCut
    let value = mayBeJSON ? JSONValue(text: text) : nil
    return (value.flatMap { Self.message(in: $0, depth: Self.deepest) } ?? firstLine).flatMap(
      Self.sentence)
  }

  /// The text of a page in HTML, line by line; nil if the reply is something else, or a page without text.
  package var page: [String]? {
    guard text.unicodeScalars.first(where: { !$0.isWhiteSpace }) == "<" else { return nil }
    return Markup(bytes: Array(text.utf8)).lines.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// How many bytes of a reply are searched for its message.
  private static let messageReach = 16 * 1024
  /// The most characters in a message: about as many as a person reads in passing.
  private static let longestMessage = 400

  /// How far into JSON a message is looked for.
  static let deepest = 7

  private var firstLine: String? {
    let beginning = String(text.unicodeScalars.prefix(Self.messageReach))
    return beginning.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" })
      .first { !$0.allSatisfy(\.isWhiteSpace) }.map { String($0) }
  }

  /// `text` with each stretch of white space replaced by one space; `nil` if it has nothing else.
  static func sentence(_ text: String) -> String? {
    let words = text.unicodeScalars.split(whereSeparator: \.isWhiteSpace).map { String($0) }
    let whole = words.joined(separator: " ")
    guard !whole.isEmpty else { return nil }
    return whole.unicodeScalars.count <= longestMessage
      ? whole : String(whole.unicodeScalars.prefix(longestMessage)) + "…"
  }

  private static func message(in value: JSONValue, depth: Int) -> String? {
    guard depth > 0 else { return nil }
    switch value {
    case .string(let text): return text.unicodeScalars.allSatisfy(\.isWhiteSpace) ? nil : text
    case .array(let values): return values.first.flatMap { message(in: $0, depth: depth - 1) }
    case .object(let members): return message(in: members, depth: depth)
    case .null, .bool, .integer, .longInteger, .number: return nil
    }
  }

  /// The members in which servers put an error into words, the one that says most first.
  private static let texts = [
    "message", "Message", "detail", "error_description", "errorDescription", "error_message",
    "errorMessage", "ErrorMessage", "error_msg", "errmsg", "error_summary", "description",
    "Description", "faultstring", "error", "Error", "errors", "errorMessages", "messages", "msg",
    "reason", "non_field_errors", "_errors",
  ]
  /// The members that servers put around these.
  private static let covers = ["data", "response", "result", "meta", "fault", "status"]
  /// The members with the code of an error, if it is not put into words.
  private static let codes = ["code", "Code", "error_code", "errorCode", "__type", ".tag"]

  static func message(in members: [String: JSONValue], depth: Int = deepest) -> String? {
    func said(_ name: String) -> String? {
      // Whatever these members are called, they are the fields of a form: Rails, Laravel.
      if name == "errors", case .object(let fields)? = members[name], areLists(fields) {
        return firstField(of: fields, depth: depth - 1)
      }
      return members[name].flatMap { message(in: $0, depth: depth - 1) }
    }
    func isObject(_ name: String) -> Bool {
      if case .object? = members[name] { true } else { false }
    }
    let isInside = depth < deepest
    // Dropbox says the same as in the object, on one line.
    if isObject("error"), members["error_summary"] == nil, let words = said("error") {
      return words
    }
    // The title names the kind of problem, and the detail describes this one (RFC 9457 §3.1).
    if case .string? = members["title"], let title = said("title") {
      guard let detail = said("detail"), detail != title else { return title }
      return "\(stem(title)): \(detail)"
    }
    // The message may say only that something is wrong, and the list of errors what: GitHub, Laravel, Zenodo.
    if let words = texts.lazy.compactMap(said).first {
      guard members["message"] != nil, let more = said("errors"), !words.contains(scalars: more)
      else { return ofField(words, in: members) }
      return "\(stem(words)): \(more)"
    }
    if let words = covers.lazy.filter(isObject).compactMap(said).first { return words }
    if let code = codes.lazy.compactMap(said).first { return ofField(code, in: members) }
    // Some frameworks use the name of the invalid field as the key: {"file": ["is too big"]}.
    return isInside || areLists(members) ? firstField(of: members, depth: depth) : nil
  }

  /// What is wrong with a field, after the field's name, unless the words contain that.
  private static func ofField(_ words: String, in members: [String: JSONValue]) -> String {
    guard case .string(let name)? = members["field"], isName(name),
      !words.lowercased().contains(scalars: name.lowercased())
    else { return words }
    return "\(name): \(words)"
  }

  private static func areLists(_ members: [String: JSONValue]) -> Bool {
    members.values.allSatisfy { if case .array = $0 { true } else { false } }
  }

  /// What is wrong with the first field, after its name. What concerns no field has no name.
  private static func firstField(of members: [String: JSONValue], depth: Int) -> String? {
    let byName = members.sorted { $0.key < $1.key }
    // Words come before codes.
    let ordered =
      byName.filter { !codes.contains($0.key) } + byName.filter { codes.contains($0.key) }
    return ordered.lazy.compactMap { name, value in
      message(in: value, depth: depth - 1).map {
        general.contains(name) || !isName(name) ? $0 : "\(name): \($0)"
      }
    }.first
  }

  /// Whether a text can be shown as the name of a field, before what is wrong with it.
  private static func isName(_ text: String) -> Bool {
    text.unicodeScalars.count <= longestName
      && text.unicodeScalars.contains { !$0.properties.isWhitespace }
  }

  private static let longestName = 64

  /// The members of a list of fields that are no fields.
  private static let general = [
    "_errors", "non_field_errors", "__all__", "_schema", "base", "errors", "errorMessages",
    "messages",
  ]

  /// A sentence without its full stop.
  static func stem(_ text: String) -> String {
    text.hasSuffix(scalars: ".") ? String(text.unicodeScalars.dropLast()) : text
  }
}
