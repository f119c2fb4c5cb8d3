import Foundation
import JSONText
import ScalarText
import UploadModel

/// A ShareX custom uploader (`.sxcu`), as far as it can be converted to a target. Its placeholders are accepted
/// in both syntaxes: `{json:data.link}`, and the older `$json:data.link$`.
package struct ShareXUploader {
  /// The name for the target.
  package private(set) var name: String
  /// The resulting target.
  @Boxed package private(set) var target: Target
  /// What could not be converted.
  package private(set) var notes: [String] = []

  private let members: [String: JSONValue]
  private var texts: ShareXText

  /// Reads the text of a `.sxcu` file.
  package init(_ text: String) throws(InvalidInput) {
    let text = text.hasPrefix(scalars: "\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
    guard case .object(let all)? = JSONValue(text: text) else {
      throw InvalidInput("is not a JSON object, the format of ShareX uploaders")
    }
    // ShareX treats null like a missing member.
    let members = all.filter { $0.value != .null }
    self.members = members
    let version = members["Version"]?.text ?? ""
    guard !version.isEmpty || Self.needsNoSyntax(members) else {
      throw InvalidInput(
        "has no Version, so it is unclear which of ShareX's two syntaxes it uses; add "
          + "\"Version\": \"15.0.0\" for {json:link}, or \"12.0.0\" for $json:link$")
    }
    // The syntax with braces was introduced after version 13.7.1.
    let isOld = !version.isEmpty && !Self.isNewer(version, than: [13, 7, 1])
    texts = ShareXText(isOld: isOld, expressions: Self.strings(members["RegexList"]))
    let written = members["RequestURL"]?.text ?? ""
    guard !written.isEmpty else { throw InvalidInput("has no RequestURL") }
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
    var name = members["Name"]?.text ?? ""
    if name.isEmpty { name = url.host ?? "sharex" }
    name = name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? "\($0)" : "-" }
      .joined().split(scalar: "-", omittingEmptySubsequences: true).joined(separator: "-")
    if name.isEmpty { name = "sharex" }
    self.name = name
    target = Target(name: name, url: url)
    if !address.isLiteral { target.address = address.hidingQuery() }
    try readRequest(text)
    readReply()
  }

  // MARK: The request

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
      if let field = members["FileFormName"]?.text, !field.isEmpty {
        target.fileField = Template(literal: field)
      }
    } else if !arguments.isEmpty {
      notes.append("Arguments: a binary body contains only the file")
    }
    if let data = members["Data"]?.text, !data.isEmpty {
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

  // MARK: The reply

  private mutating func readReply() {
    let isOfHeaders = ["RedirectionURL", "LocationHeader"].contains(
      members["ResponseType"]?.text ?? "")
    var followsRedirects = isOfHeaders
    if let text = members["URL"]?.text, !text.isEmpty {
      do throws(InvalidInput) {
        target.response.url = try texts.value(text)
        followsRedirects = texts.asksForAddress(text)
      } catch {
        notes.append("URL: \(error.description)")
      }
    } else if !isOfHeaders {
      // Without a URL, ShareX uses the whole reply.
      target.response.url = try? ReplyValue(.pattern(Pattern(#"\S+"#)))
    }
    if followsRedirects { target.response.ok = [200...299, 301...303] }
    if let text = members["DeletionURL"]?.text, !text.isEmpty {
      do throws(InvalidInput) {
        target.response.deletionURL = try texts.value(text)
      } catch {
        notes.append("DeletionURL: \(error.description)")
      }
    }
    for key in ["ThumbnailURL", "ErrorMessage"] where members[key]?.text.isEmpty == false {
      notes.append("\(key): hoist has no such setting")
    }
    let types = members["DestinationType"]?.text ?? ""
    if !types.isEmpty, !types.contains(scalars: "ImageUploader"),
      !types.contains(scalars: "FileUploader")
    {
      notes.append("DestinationType: meant for \(types), not for files")
    }
  }

  /// Whether none of the strings that may contain placeholders contains any.
  private static func needsNoSyntax(_ members: [String: JSONValue]) -> Bool {
    let texts = ["RequestURL", "URL", "ThumbnailURL", "DeletionURL", "ErrorMessage", "Data"]
      .compactMap { members[$0]?.text }
    let fields = ["Parameters", "Headers", "Arguments"].flatMap { key -> [String] in
      guard case .object(let fields)? = members[key] else { return [] }
      return fields.values.map(\.text)
    }
    return (texts + fields).allSatisfy(ShareXText.isPlain)
  }

  private static func strings(_ value: JSONValue?) -> [String] {
    guard case .array(let values)? = value else { return [] }
    return values.map(\.text)
  }

  private static func isNewer(_ version: String, than other: [Int]) -> Bool {
    other.lexicographicallyPrecedes(
      version.split(scalar: ".", omittingEmptySubsequences: true).map { Int($0) ?? 0 })
  }
}
