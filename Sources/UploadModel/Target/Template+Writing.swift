import Foundation
import JSONText
import ScalarText

extension Template {
  /// How a placeholder's value is escaped because of where the placeholder is.
  package enum Escaping: Hashable, Sendable {
    /// As it is.
    case none
    /// Between the quotes of a JSON string (RFC 8259 §7).
    case json
    /// In a URL: everything but the unreserved characters is percent-encoded (RFC 3986 §2).
    case url

    func callAsFunction(_ text: String) -> String {
      switch self {
      case .none: text
      case .json: JSONValue.escaped(text)
      case .url: PercentEncoding.encode(text)
      }
    }
  }

  /// How a placeholder's value is escaped because the template says so: `{file.name|json}`.
  package enum Filter: Hashable, Sendable {
    /// As inside a JSON string, in ASCII, so that header fields can contain it.
    case json
    /// Percent-encoded.
    case url
    /// As inside a quoted string (RFC 9110 §5.6.4).
    case quoted
    /// As the text of an XML element or attribute (XML 1.0 §2.4).
    case xml
    /// In Base64 (RFC 4648 §4): the bytes of a digest, or those of any other value.
    case base64
    /// As a JSON number rather than a string.
    case number
    /// As it is even in a URL, for a query that is already encoded.
    case raw
    /// Padded with zeros to this many digits: `|05`.
    case digits(Int)
    /// As a date, first of all: `|%Y-%m-%d`.
    case date(DateFormat)
    /// The date in this machine's zone. It follows the date.
    case local

    /// The filters with a fixed name.
    static let named: [Filter] = [
      .json, .url, .quoted, .xml, .base64, .number, .raw, .local,
    ]
    /// The most digits that a number is padded to.
    private static let mostDigits = 20

    /// Reads the text after the `|`; nil if it is not a filter.
    init?(_ text: String) throws(InvalidInput) {
      if text.utf8.contains(UInt8(ascii: "%")) {
        self = .date(try DateFormat(text))
      } else if let filter = Self.named.first(where: { $0.source == text }) {
        self = filter
      } else if text.utf8.first == UInt8(ascii: "0"), text.utf8.allSatisfy(\.isDigit),
        let count = Int(text), (1...Self.mostDigits).contains(count)
      {
        self = .digits(count)
      } else {
        return nil
      }
    }

    /// The text after the `|`.
    var source: String {
      switch self {
      case .json: "json"
      case .url: "url"
      case .quoted: "quoted"
      case .xml: "xml"
      case .base64: "base64"
      case .number: "number"
      case .raw: "raw"
      case .digits(let count): "0\(count)"
      case .date(let format): format.source
      case .local: "local"
      }
    }

    func callAsFunction(_ text: String) -> String {
      switch self {
      case .xml: text.markup()
      case .digits(let count):
        String(repeating: "0", count: max(0, count - text.utf8.count)) + text
      case .json: Self.ascii(JSONValue.escaped(text))
      case .url: PercentEncoding.encode(text)
      case .quoted:
        text.replacing(scalars: "\\", with: "\\\\").replacing(scalars: "\"", with: "\\\"")
      case .base64: Data(text.rawBytes).base64EncodedString()
      case .number, .raw, .date, .local: text
      }
    }

    var isDate: Bool { if case .date = self { true } else { false } }

    /// A digest in Base64, from its hexadecimal digits.
    static func base64(digits: String) -> String {
      Data([UInt8](hexadecimal: digits) ?? []).base64EncodedString()
    }

    private static func ascii(_ text: String) -> String {
      text.utf16.map { unit in
        if (0x20..<0x7F).contains(unit) { return String(Unicode.Scalar(UInt8(unit))) }
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
  }

  /// Everything that is done to a placeholder's value before it is sent.
  struct Writing: Hashable, Sendable {
    /// The filters that the template names, in order.
    var filters: [Filter] = []
    var escaping = Escaping.none
    /// Whether the value is already JSON (an array), so that it needs no quotation marks.
    var isJSON = false

    /// Whether the value has no quotation marks around it in JSON.
    var isBare: Bool { isJSON || filters.last == .number }

    /// Whether the value is written in a language that has no bytes which are not UTF-8: JSON (RFC 8259 §8.1), or XML as
    /// UTF-8 (XML 1.0 §4.3.3).
    var needsUTF8: Bool {
      let encoded = filters.firstIndex { $0 == .url || $0 == .base64 } ?? filters.endIndex
      return encoded == filters.endIndex && escaping == .json
        || filters[..<encoded].contains { $0 == .json || $0 == .xml }
    }

    /// The filters as written in the placeholder.
    var source: String { filters.map { "|\($0.source)" }.joined() }

    /// Splits the text of a placeholder into its name and its filters.
    static func read(
      _ text: String, _ escaping: Escaping
    ) throws(InvalidInput) -> (name: String, writing: Writing) {
      let parts = text.split(scalar: "|", omittingEmptySubsequences: false)
      var writing = Writing(escaping: escaping)
      for part in parts.dropFirst() {
        let filter: Filter?
        do throws(InvalidInput) { filter = try Filter(part) } catch {
          throw InvalidInput("{\(text)}: \(error.description)")
        }
        guard let filter else {
          let known = Filter.named.map { "|\($0.source)" }.joined(separator: " ")
          throw InvalidInput(
            "{\(text)}: \"|\(part)\" is unknown; available filters: \(known) |05 |%Y-%m-%d")
        }
        writing.filters.append(filter)
      }
      // The escaping percent-encodes the value as well, and once is enough.
      if escaping == .url, writing.filters.last == .url { writing.filters.removeLast() }
      return (parts[0], writing)
    }

    func callAsFunction(_ text: String) -> String {
      let text = filters.reduce(text) { $1($0) }
      return isJSON || filters == [.raw] ? text : escaping(text)
    }

    /// Writes a digest that is given in hexadecimal digits. Base64 encodes its bytes, not its digits.
    func callAsFunction(digest digits: String) -> String {
      guard filters.first == .base64 else { return self(digits) }
      var rest = self
      rest.filters.removeFirst()
      return rest(Filter.base64(digits: digits))
    }

    /// Whether dates are written only of times, before all other filters, and only they can be local.
    func hasSoundDates(of name: String) -> Bool {
      let isTime = Placeholder(rawValue: name)?.isTime == true
      return filters.enumerated().allSatisfy { index, filter in
        switch filter {
        case .date: isTime && index == 0
        case .local: isTime && index == 1 && filters[0].isDate
        default: true
        }
      }
    }

    /// Writes a time as a date. In a URL, its slashes separate folders, as those of a path do.
    private func callAsFunction(
      date format: DateFormat, of seconds: Int64, in values: Values
    ) -> String {
      var rest = self
      rest.filters.removeAll { $0.isDate || $0 == .local }
      let isLocal = filters.contains(.local)
      let text = format.text(of: seconds, offset: isLocal ? values.offset(seconds) : 0)
      guard escaping == .url, rest.filters.isEmpty else { return rest(text) }
      return text.split(scalar: "/", omittingEmptySubsequences: false).map { rest($0) }
        .joined(separator: "/")
    }

    /// The value of a placeholder as it is sent. A path keeps its slashes, which separate folders in a URL too.
    func callAsFunction(_ slot: Slot, in values: Values) -> String {
      if case .date(let format)? = filters.first,
        let seconds = slot.placeholder.seconds(in: values)
      {
        return self(date: format, of: seconds, in: values)
      }
      let value = slot.value(in: values) ?? ""
      let digest = slot.placeholder.digest ?? slot.placeholder.pieceDigest
      if digest != nil { return self(digest: value) }
      guard escaping == .url, filters.isEmpty, slot.placeholder == .filePath else {
        return self(value)
      }
      return value.split(scalar: "/").map { self($0) }.joined(separator: "/")
    }
  }

  /// A placeholder in a template: one of the fixed ones, a value of a reply, or a named value.
  struct Slot: Hashable, Sendable {
    var placeholder: Placeholder
    /// Where the value is in the reply; nil for other kinds of placeholders.
    var pointer: JSONPointer?
    /// The name of a named value; nil for other kinds of placeholders.
    var key: String?

    /// Reads the text between the braces, without filters.
    init(_ name: String, _ scope: [Placeholder]) throws(InvalidInput) {
      for source in Placeholder.ofReplies {
        guard let rest = source.rest(of: name) else { continue }
        guard scope.contains(source) else { throw Self.error("{\(name)} has no value here", scope) }
        do throws(InvalidInput) { pointer = try JSONPointer(rest) } catch {
          throw InvalidInput("{\(name)}: \(error.description)")
        }
        placeholder = source
        return
      }
      if let slot = Placeholder(rawValue: name) {
        guard scope.contains(slot) else { throw Self.error("{\(name)} has no value here", scope) }
        placeholder = slot
        return
      }
      for named in Placeholder.named where scope.contains(named) {
        guard let rest = named.rest(of: name) else { continue }
        (placeholder, key) = (named, rest)
        return
      }
      throw Self.error("unknown placeholder {\(name)}", scope)
    }

    /// Whether the placeholder of this name may be written as a number.
    static func mayBeNumber(_ name: String) -> Bool {
      if let placeholder = Placeholder(rawValue: name) { return placeholder.mayBeNumber }
      return Placeholder.prefixes.contains { name.hasPrefix(scalars: $0) }
    }

    private static func error(_ problem: String, _ scope: [Placeholder]) -> InvalidInput {
      let known = scope.map { "{\($0.rawValue)} " }.joined()
      return InvalidInput("\(problem); available: \(known){env.NAME} {secret.NAME}")
    }

    /// Whether only the upload itself gives it a value.
    fileprivate var isFilledLater: Bool {
      key != nil || pointer != nil || placeholder == .uploadID || placeholder == .pieces
    }

    /// The text between the braces.
    var name: String {
      guard let rest = key ?? pointer?.description, let prefix = placeholder.prefix else {
        return placeholder.rawValue
      }
      return prefix + rest
    }

    /// The value; nil if a reply has no such value.
    func value(in values: Values) -> String? {
      if let key {
        return switch placeholder {
        case .begun: values.upload.begun[key]
        case .opened: values.opened?[key]
        default: values.piece.values[key]
        }
      }
      guard let pointer else { return placeholder.value(in: values) }
      let document = placeholder == .ticket ? values.ticket : values.reply
      let value = pointer.value(in: document, file: values.index - 1)
      switch value {
      case nil, .null, .array, .object: return nil
      case .bool, .integer, .longInteger, .number, .string: return value?.text
      }
    }
  }

  /// What keeps the template from being filled in; nil if nothing does.
  package func obstacle(with values: Values) -> String? {
    for piece in pieces {
      if case .derived(let derived, _) = piece, !values.leaves(derived),
        let obstacle = derived.text.obstacle(with: values)
      {
        return obstacle
      }
      guard case .slot(let slot, let writing) = piece, !values.leaves(slot) else { continue }
      let value = slot.value(in: values)
      if writing.needsUTF8, value?.hasRawBytes == true {
        return "{\(slot.name)} has bytes that are not UTF-8; "
          + "write {\(slot.name)|url} or {\(slot.name)|base64}, or give the file another name"
      }
      let isWrong =
        writing.filters.last == .number && slot.placeholder != .pieceIsLast
        && value.map { !Self.isNumber($0) } == true
      guard value == nil || isWrong else { continue }
      if slot.key != nil {
        return "{\(slot.name)} \(isWrong ? "is not a number" : "has no value")"
      }
      let what = slot.placeholder == .ticket ? "the ticket" : "the reply to the upload"
      let place = slot.pointer?.description(file: values.index - 1) ?? ""
      return "\(what) has no \(isWrong ? "number at " : "")\(place)"
    }
    return nil
  }

  /// Whether a text is a number as JSON writes it (RFC 8259 §6), and nothing else.
  private static func isNumber(_ text: String) -> Bool {
    switch JSONValue(text: text) {
    case .integer, .longInteger, .number: text.utf8.allSatisfy { $0 > 0x20 }
    case .null, .bool, .string, .array, .object, nil: false
    }
  }

  /// The first placeholder whose value would not stay within the quotation marks around it, since the template does not
  /// escape it; nil if all values would.
  func bareQuote(with values: Values) -> String? {
    var isQuoted = false
    for piece in pieces {
      switch piece {
      case .text(let text):
        var isEscaped = false
        for byte in text.utf8 {
          if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
          isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
      case .slot(let slot, let writing):
        guard isQuoted, writing.filters.isEmpty else { continue }
        let value = writing(slot, in: values)
        if value.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
          return slot.name
        }
      case .secret, .derived: continue
      }
    }
    return nil
  }
}

extension Template.Values {
  /// Which placeholders stay as they are because nothing is sent.
  package enum Gaps: Hashable, Sendable {
    case none
    /// Those that only the upload itself fills in, mostly from replies.
    case ofReplies
  }

  /// Whether a placeholder stays as it is.
  func leaves(_ slot: Template.Slot) -> Bool {
    gaps == .ofReplies && slot.isFilledLater
  }

  /// Whether the placeholder of a digest or an HMAC stays as it is.
  func leaves(_ value: DerivedValue) -> Bool {
    value.text.slots.contains(where: leaves)
  }
}

extension Target.Field {
  /// The header field as it is sent. Throws if it cannot be filled in, or would end the field or change its meaning; nil
  /// if it is left out, since the server would refuse the file because of it.
  func header(with values: Template.Values) throws(Failure.Cause) -> RequestHead.Header? {
    if let obstacle = value.obstacle(with: values) {
      throw .unsendable("the header field \(name) cannot be filled in: \(obstacle)")
    }
    let stretches = value.stretches(with: values)
    let text = stretches.written
    // A file's name may contain a line break, and so begin another header field.
    guard !text.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
      throw .unsendable("the header field \(name) would contain a control character")
    }
    guard !text.hasRawBytes else {
      throw .unsendable(
        "the header field \(name) would contain bytes that are not UTF-8; write its placeholders with |url or |base64, "
          + "or give the file another name")
    }
    if let slot = value.bareQuote(with: values) {
      throw .unsendable(
        "{\(slot)} contains a quotation mark or a backslash, which have a special meaning in the header field "
          + "\(name); write {\(slot)|quoted} or {\(slot)|json}")
    }
    guard !value.slots.contains(where: { $0.placeholder.isUnsaid(in: values) }),
      !HeaderRule.isRefused(name: name, value: text)
    else { return nil }
    return RequestHead.Header(name: name, value: stretches)
  }
}
