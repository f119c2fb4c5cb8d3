import Foundation
import JSONText
import ScalarText
import UploadModel

/// A ShareX custom uploader (`.sxcu`), as far as it can be converted to a target. Its placeholders are accepted
/// in both syntaxes: `{json:data.link}`, and the older `$json:data.link$`.
package struct ShareXUploader {
  /// The name for the target.
  package let name: String
  @Boxed package private(set) var target: Target
  /// What could not be converted.
  package private(set) var notes: [String] = []

  private let members: [String: JSONValue]
  private let texts: ShareXText

  /// Reads the text of a `.sxcu` file.
  package init(_ text: String) throws(InvalidInput) {
    let text = ShareXText.strictJSON(text)
    guard case .object(let all)? = JSONValue(text: text) else {
      throw InvalidInput("is not a JSON object, the format of ShareX uploaders")
    }
    // ShareX treats null like a missing member.
    let members = all.filter { $0.value != .null }
    self.members = members
    let version = members.text("Version")
    let isCertainlyOld = ShareXText.isCertainlyOld(Self.texts(in: members))
    guard
      version != nil || isCertainlyOld
        // Then it does not matter.
        || Self.texts(in: members).allSatisfy(ShareXText.isPlain)
    else {
      throw InvalidInput(
        "has no Version, so it is unclear which of ShareX's two syntaxes it uses; add "
          + "\"Version\": \"15.0.0\" for {json:link}, or \"12.0.0\" for $json:link$")
    }
    // The syntax with braces was introduced after version 13.7.1.
    let numbers = version?.split(scalar: ".", omittingEmptySubsequences: true).map { Int($0) ?? 0 }
    let isOld = numbers.map { ![13, 7, 1].lexicographicallyPrecedes($0) } ?? isCertainlyOld
    var expressions: [String] = []
    if case .array(let values)? = members["RegexList"] { expressions = values.map(\.text) }
    texts = ShareXText(isOld: isOld, expressions: expressions)
    guard let written = members.text("RequestURL") else { throw InvalidInput("has no RequestURL") }
    let (address, url): (Template, URL)
    do throws(InvalidInput) {
      address = try texts.template(written, escaping: .url)
      url = try TargetURL.parse(address.commonStart)
      guard Origin(try TargetURL.parse(address.sample("a"))) == Origin(url) else {
        throw InvalidInput("the host and port of a URL cannot contain placeholders")
      }
    } catch {
      throw InvalidInput("RequestURL: \(error.description)")
    }
    let words = (members.text("Name") ?? url.host ?? "").lowercased()
      .map { $0.isASCII && ($0.isLetter || $0.isNumber) ? "\($0)" : "-" }
      .joined().split(scalar: "-", omittingEmptySubsequences: true)
    name = words.isEmpty ? "sharex" : words.joined(separator: "-")
    target = Target(name: name, url: url)
    if !address.isLiteral { target.address = address.hidingQuery() }
    try readRequest(text)
    readReply()
  }

  private mutating func readRequest(_ text: String) throws(InvalidInput) {
    let method = (members["RequestMethod"] ?? members["RequestType"])?.text ?? "POST"
    let body = members["Body"]?.text ?? "MultipartFormData"
    guard ["POST", "PUT", "PATCH"].contains(method) else {
      throw InvalidInput("RequestMethod is \(method), which cannot send a file")
    }
    target.method = method
    switch body {
    case "MultipartFormData": target.body = .multipart
    case "Binary": target.body = .binary
    default: throw InvalidInput("Body is \(body), which sends text or URLs but no file")
    }
    target.query = fields("Parameters", in: text).sorted { $0.name < $1.name }
    target.headers = fields("Headers", in: text).filter { field in
      do throws(InvalidInput) {
        try HeaderRule.check(name: field.name, value: field.value.fixedText)
        return true
      } catch {
        notes.append("Headers: \(error.description)")
        return false
      }
    }.sorted { $0.name < $1.name }
    let arguments = fields("Arguments", in: text)
    if target.body == .multipart {
      // ShareX sends the arguments first and the file last, as hoist does.
      target.fields = arguments
      if let field = members.text("FileFormName") { target.fileField = Template(literal: field) }
    } else if !arguments.isEmpty {
      notes.append("Arguments: a binary body contains only the file")
    }
    if members.text("Data") != nil {
      notes.append("Data: hoist sends only the file and its form fields")
    }
  }

  /// The members of an object, in the order in which they appear in the file.
  private mutating func fields(_ key: String, in text: String) -> [Target.Field] {
    guard case .object(let members)? = self.members[key] else { return [] }
    let start = text.range(scalars: "\"\(key)\"")?.upperBound ?? text.startIndex
    func place(_ name: String) -> String.Index {
      text[start...].range(scalars: "\"\(JSONValue.escaped(name))\"")?.lowerBound ?? text.endIndex
    }
    var fields: [Target.Field] = []
    for (name, value) in members.sorted(by: { (place($0.key), $0.key) < (place($1.key), $1.key) }) {
      do throws(InvalidInput) {
        let template = try texts.template(value == .null ? "" : value.text)
        fields.append(
          Target.Field(
            name: name, value: SecretName.matches(name) ? template.hidden(as: name) : template))
      } catch {
        notes.append("\(key) \(name): \(error.description)")
      }
    }
    return fields
  }

  private mutating func readReply() {
    let isOfHeaders = ["RedirectionURL", "LocationHeader"].contains(
      members["ResponseType"]?.text ?? "")
    var followsRedirects = isOfHeaders
    if let text = members.text("URL") {
      target.response.url = value(of: "URL")
      if target.response.url != nil { followsRedirects = texts.asksForAddress(text) }
    } else if !isOfHeaders {
      // Without a URL, ShareX uses the whole reply.
      target.response.url = try? ReplyValue(.pattern(Pattern(#"\S+"#)))
    }
    if followsRedirects { target.response.ok = [200...299, 301...303] }
    target.response.deletionURL = value(of: "DeletionURL")
    for key in ["ThumbnailURL", "ErrorMessage"] where members.text(key) != nil {
      notes.append("\(key): hoist has no such setting")
    }
    if let types = members.text("DestinationType"), !types.contains(scalars: "ImageUploader"),
      !types.contains(scalars: "FileUploader")
    {
      notes.append("DestinationType: meant for \(types), not for files")
    }
  }

  /// The value of the reply that a member asks for; nil if it asks for none or cannot be converted.
  private mutating func value(of key: String) -> ReplyValue? {
    guard let text = members.text(key) else { return nil }
    do throws(InvalidInput) {
      return try texts.value(text)
    } catch {
      notes.append("\(key): \(error.description)")
      return nil
    }
  }

  /// The strings that may contain placeholders.
  private static func texts(in members: [String: JSONValue]) -> [String] {
    let texts = ["RequestURL", "URL", "ThumbnailURL", "DeletionURL", "ErrorMessage", "Data"]
      .compactMap { members[$0]?.text }
    let fields = ["Parameters", "Headers", "Arguments"].flatMap { key -> [String] in
      guard case .object(let fields)? = members[key] else { return [] }
      return fields.values.map(\.text)
    }
    return texts + fields
  }
}

extension [String: JSONValue] {
  /// The text of a member; nil if the member is missing or empty.
  fileprivate func text(_ key: String) -> String? {
    self[key].flatMap { $0.text.isEmpty ? nil : $0.text }
  }
}
