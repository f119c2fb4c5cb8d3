import JSONText
import ScalarText

extension Reply {
  /// The server's message in a sentence on one line; `nil` if the reply contains no text that reads like a message.
  ///
  /// It is taken from JSON (the members that servers use for messages, including the problem details of RFC 9457), from
  /// HTML (the title or the first heading) and from S3's XML. In other text it is the first line that is not blank. The
  /// message comes from outside, so make it safe before it is shown.
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
    return (value.flatMap { Self.message(in: $0, depth: 4) } ?? firstLine).flatMap(Self.sentence)
  }

  /// How many bytes of a reply are searched for its message.
  private static let messageReach = 16 * 1024
  /// The most characters in a message: about as many as a person reads in passing.
  private static let longestMessage = 400

  private var firstLine: String? {
    let beginning = String(text.unicodeScalars.prefix(Self.messageReach))
    return beginning.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" })
      .first { !$0.allSatisfy(\.isWhiteSpace) }.map { String($0) }
  }

  /// `text` with each run of white space replaced by one space; `nil` if it has nothing else.
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
    case .null, .bool, .integer, .number: return nil
    }
  }

  static func message(in members: [String: JSONValue], depth: Int = 4) -> String? {
    func said(_ name: String) -> String? {
      members[name].flatMap { message(in: $0, depth: depth - 1) }
    }
    if case .object? = members["error"], let words = said("error") { return words }
    // The title names the kind of problem, and the detail describes this one (RFC 9457 §3.1).
    if let title = said("title") {
      guard let detail = said("detail"), detail != title else { return title }
      return
        "\(title.hasSuffix(scalars: ".") ? String(title.unicodeScalars.dropLast()) : title): \(detail)"
    }
    let names = [
      "message", "Message", "detail", "error_description", "error", "errors", "msg", "reason",
    ]
    if let words = names.lazy.compactMap(said).first { return words }
    // Some frameworks use the name of the invalid field as the key: {"errors": {"file": ["is too big"]}}.
    guard depth < 4, members.count == 1, let (name, value) = members.first,
      let words = message(in: value, depth: depth - 1)
    else { return nil }
    return "\(name): \(words)"
  }
}

/// The words in which an HTML or XML page says what it is about.
private struct Markup {
  let bytes: [UInt8]

  /// The title, the first heading, or the message of an S3 error. A title that is only a status, such
  /// as "502 Bad Gateway", gives way to a heading that says more.
  var message: String? {
    let texts = ["title", "h1", "h2", "h3", "message"].lazy.compactMap(content)
    return texts.first { !Self.isStatus($0) } ?? texts.first
  }

  private static func isStatus(_ text: String) -> Bool {
    let words = text.unicodeScalars.split(whereSeparator: \.isWhiteSpace).map { String($0) }
    return words.count > 1 && words.count < 7 && words[0].utf8.count == 3 && Int(words[0]) != nil
  }

  /// The text in the first element with this name, given in lower case; `nil` if there is none.
  private func content(of name: String) -> String? {
    let (open, close) = (Array("<\(name)".utf8), Array("</\(name)".utf8))
    var position = 0
    while let start = find(open, from: position) {
      position = start + open.count
      // <messages> is not <message>.
      guard position < bytes.count, !Self.isName(bytes[position]) else { continue }
      guard let inside = bytes[position...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
      let end = find(close, from: inside) ?? bytes.count
      let text = Self.text(bytes[(inside + 1)..<max(inside + 1, end)])
      return text.unicodeScalars.allSatisfy(\.isWhiteSpace) ? nil : text
    }
    return nil
  }

  private func find(_ wanted: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= wanted.count, start <= bytes.count - wanted.count else { return nil }
    return (start...bytes.count - wanted.count).first { index in
      wanted.indices.allSatisfy { Self.lower(bytes[index + $0]) == wanted[$0] }
    }
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  private static func isName(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower(byte)) || byte == UInt8(ascii: "-")
  }

  /// Text without its tags, and with character references decoded.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    var plain: [UInt8] = []
    var isTag = false
    for byte in bytes {
      if byte == UInt8(ascii: "<") { isTag = true }
      if !isTag { plain.append(byte) }
      if byte == UInt8(ascii: ">") { isTag = false }
    }
    let pieces = String(decoding: plain, as: UTF8.self).split(scalar: "&")
    return pieces.dropFirst().reduce(into: pieces.first ?? "") { text, piece in
      guard let end = piece.unicodeScalars.firstIndex(of: ";"),
        let scalar = reference(String(piece[..<end]))
      else {
        text += "&" + piece
        return
      }
      text.unicodeScalars.append(scalar)
      text += piece[piece.unicodeScalars.index(after: end)...]
    }
  }

  private static func reference(_ name: String) -> Unicode.Scalar? {
    guard name.utf8.count <= HTMLNames.longest else { return nil }
    guard name.utf8.first == UInt8(ascii: "#") else {
      return HTMLNames.scalar(name).flatMap(Unicode.Scalar.init)
    }
    let digits = String(name.unicodeScalars.dropFirst())
    let hexadecimal = digits.removingPrefix(scalars: "x") ?? digits.removingPrefix(scalars: "X")
    let number = if let hexadecimal { UInt32(hexadecimal, radix: 16) } else { UInt32(digits) }
    return number.flatMap(Unicode.Scalar.init)
  }
}
