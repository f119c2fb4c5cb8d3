import ScalarText

/// The words in which an HTML or XML page says what it is about.
struct Markup {
  /// What a page consists of. Names are in lower case, without the prefix of a namespace.
  private enum Token {
    case open(String)
    case close(String)
    case text(String)
  }

  private let tokens: [Token]
  private let isHTML: Bool

  private init(_ tokens: [Token]) { (self.tokens, isHTML) = (tokens, false) }

  init(bytes: [UInt8]) {
    var scanner = Scanner(bytes: bytes)
    var tokens: [Token] = []
    while let token = scanner.next() { tokens.append(token) }
    self.tokens = tokens
    let hasEnvelope = tokens.contains { if case .open("envelope") = $0 { true } else { false } }
    isHTML = scanner.hasHTML && !hasEnvelope
  }

  /// Elements that tell HTML, of which the outermost tags may be left out, from XML. In XML, they have a prefix, or are
  /// in an envelope: SOAP has a body, too.
  private static let elementsOfHTML: Set<String> = [
    "html", "head", "body", "p", "h1", "h2", "h3", "div", "center", "br", "hr", "pre",
  ]

  /// The title, the first heading, or the message of an XML error. A title that says only that something is wrong, such
  /// as "502 Bad Gateway" or "Oops! Error", gives way to a heading or, in HTML, to a paragraph that says more.
  var message: String? {
    let heads = ["title", "h1", "h2", "h3"].compactMap(content)
    if isHTML {
      return heads.first { !Self.isGeneric($0) } ?? paragraph ?? heads.first { !Self.isStatus($0) }
        ?? heads.first
    }
    let said = Self.elements.lazy.compactMap(content).first { !Self.isStatus($0) }
    // The title names the kind of problem, and the detail describes this one (RFC 9457, appendix B).
    if let title = heads.first, let detail = content(of: "detail") {
      return title.trimming { $0 == "." } + ": " + detail
    }
    return heads.first { !Self.isStatus($0) } ?? said ?? heads.first ?? code
  }

  /// The elements in which XML errors are put into words: S3, Azure, sabre/dav, SOAP.
  private static let elements = [
    "message", "faultstring", "errormessage", "detail", "description", "reason", "text", "msg",
    "error",
  ]

  /// The code of an error that is not put into words.
  private var code: String? {
    ["code", "errorcode", "exception"].lazy.compactMap(content).first
  }

  /// The text in the first element of this name that has any; `nil` if there is none.
  private func content(of name: String) -> String? {
    // The text so far of the element that this is in; nil if this is in none.
    var text: String?
    // <error> is often around all the others, whose text is not its own.
    let mayHoldElements = name != "error"
    for token in tokens {
      switch token {
      case .open(name): text = mayHoldElements ? text ?? "" : ""
      case .open: if !mayHoldElements { text = nil }
      case .text(let more): text?.append(more)
      case .close(name):
        if let text, !Self.isBlank(text) { return text }
        text = nil
      case .close: break
      }
    }
    return text.flatMap { Self.isBlank($0) ? nil : $0 }
  }

  private static func isBlank(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy(\.isWhiteSpace)
  }

  /// Whether there is an element of this name.
  func has(_ name: String) -> Bool {
    tokens.contains { if case .open(name) = $0 { true } else { false } }
  }

  /// The text in the first element of this name; nil if there is no such element.
  func text(of name: String) -> String? {
    elements(name).first.map { element in
      element.tokens.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    }
  }

  /// What is in each element of this name. Such elements are not in one another.
  func elements(_ name: String) -> [Markup] {
    var (elements, element) = ([Markup](), [Token]?.none)
    for token in tokens {
      switch token {
      case .open(name): element = element ?? []
      case .close(name):
        elements += element.map { [Markup($0)] } ?? []
        element = nil
      default: element?.append(token)
      }
    }
    return elements
  }

  /// The text of an HTML page in lines, as a browser would show it; nil if this is not HTML.
  var lines: [String]? {
    guard isHTML else { return nil }
    let lines = stretches(leavingOut: ["noscript"], inLines: true).map {
      Self.words($0).joined(separator: " ")
    }.filter { !$0.isEmpty }
    // Most pages have their title once more as a heading.
    return lines.indices.filter { $0 == 0 || lines[$0] != lines[$0 - 1] }.map { lines[$0] }
  }

  /// The stretches of text that stand apart, without those in some elements. `inLines`: broken also at line breaks, but
  /// not between the cells of a table.
  private func stretches(leavingOut unread: Set<String>, inLines: Bool) -> [String] {
    let ends = ends(of: unread)
    var (stretches, stretch, hiddenEnd, preformatted) = ([String](), "", 0, 0)
    func end() {
      stretches.append(stretch)
      stretch = ""
    }
    for (index, token) in tokens.enumerated() {
      if let end = ends[index] { hiddenEnd = max(hiddenEnd, end) }
      switch token {
      case .text where index < hiddenEnd: break
      case .text(let text) where inLines && preformatted > 0:
        for (index, line) in text.split(scalar: "\n").enumerated() {
          if index > 0 { end() }
          stretch += line
        }
      case .text(let text): stretch += text
      case .open(let name) where unread.contains(name),
        .close(let name) where unread.contains(name):
        break
      case .open("br"): if inLines { end() } else { stretch += " " }
      case .open("td"), .open("th"), .close("td"), .close("th"):
        if inLines { stretch += " " } else { end() }
      case .open(let name) where !Self.inline.contains(name):
        if name == "pre" { preformatted += 1 }
        end()
      case .close(let name) where !Self.inline.contains(name):
        if name == "pre" { preformatted = max(0, preformatted - 1) }
        end()
      case .open, .close: break
      }
    }
    end()
    return stretches
  }

  /// Where elements of these names end, by where they begin. One that is never closed is not there: it would take the
  /// rest of the page.
  private func ends(of names: Set<String>) -> [Int: Int] {
    var (ends, open) = ([Int: Int](), [String: [Int]]())
    for (index, token) in tokens.enumerated() {
      switch token {
      case .open(let name) where names.contains(name): open[name, default: []].append(index)
      case .close(let name): if let start = open[name]?.popLast() { ends[start] = index }
      case .open, .text: break
      }
    }
    return ends
  }

  /// The first stretch of text in an HTML page that is neither a status nor the name of the server.
  private var paragraph: String? {
    // Tomcat and Jetty have a list, with a label before each of its texts.
    let texts = stretches(leavingOut: Self.unread, inLines: false).map(Self.words)
    for (index, words) in texts.enumerated() {
      guard let label = words.first?.lowercased(), ["message", "message:"].contains(label) else {
        continue
      }
      let text =
        words.count > 1 ? words.dropFirst() : texts[(index + 1)...].first { !$0.isEmpty }?[...]
      if let text, !text.isEmpty, !Self.isStatus(text.joined(separator: " ")) {
        return text.joined(separator: " ")
      }
    }
    return texts.first { words in
      words.count > 1 && !words[0].contains(scalars: "/") && words[0] != "Type"
        && !Self.isGeneric(words.joined(separator: " "))
    }?.joined(separator: " ")
  }

  /// Elements whose text is no reason.
  private static let unread: Set<String> = ["title", "address", "nav", "button", "noscript"]
  /// Elements that do not end a paragraph.
  private static let inline: Set<String> = [
    "a", "abbr", "b", "br", "code", "em", "font", "i", "small", "span", "strong", "tt", "u",
  ]

  private static func words(_ text: String) -> [String] {
    text.unicodeScalars.split(whereSeparator: \.isWhiteSpace).map { String($0) }
  }

  /// Whether a text is a status and its standard phrase, or one of them, and nothing else.
  static func isStatus(_ text: String) -> Bool {
    let phrase = phrase(in: text)
    return phrase.isEmpty || phrases.contains(phrase)
  }

  /// Whether a title is a status with the name of the site or the kind of page, such as "500 | Shop".
  private static func isStatusOfSite(_ title: String) -> Bool {
    let parts = words(title).split { ["|", "-", "–", "—", "·"].contains($0) }
    return parts.count > 1 && parts.contains { isStatus($0.joined(separator: " ")) }
  }

  /// Whether a title or a heading says no more than that something is wrong, or in which part of a program.
  private static func isGeneric(_ text: String) -> Bool {
    if isStatus(text) || isStatusOfSite(text) { return true }
    let words = words(text)
    // Django and Rails, to developers.
    if words.count == 3, words[1] == "at" && words[2].hasPrefix(scalars: "/") { return true }
    if words.count == 3, words[1] == "in" && words[2].contains(scalars: "#") { return true }
    // The name of the server: Tomcat.
    if words.count < 3, words.last?.contains(scalars: "/") == true { return true }
    return words.allSatisfy { word in
      let letters = word.lowercased().trimming { !$0.properties.isAlphabetic }
      return letters.isEmpty || genericWords.contains(letters)
    }
  }

  private static let genericWords: Set<String> = [
    "a", "an", "action", "application", "caught", "controller", "error", "errors", "exception",
    "failed", "failure", "fatal", "has", "http", "internal", "occurred", "oops", "page", "problem",
    "request", "runtime", "server", "something", "status", "the", "unexpected", "unhandled", "went",
    "whoops", "wrong",
  ]

  /// The letters of a status line, as "bad request" in "Error 400 (Bad Request)!!1".
  private static func phrase(in text: String) -> String {
    words(text).map { $0.lowercased().trimming { !$0.properties.isAlphabetic } }
      .filter { !["", "error", "http", "status"].contains($0) }.joined(separator: " ")
  }

  private static let phrases = Set((Failure.phrases.values + olderPhrases).map(phrase))

  /// What servers say instead of today's phrases.
  private static let olderPhrases = [
    "Request Entity Too Large", "Payload Too Large", "Unprocessable Entity", "Gateway Time-out",
    "Request Time-out", "Service Temporarily Unavailable", "Request-URI Too Large", "Not Allowed",
    "Authorization Required", "Authentication Required",
  ]

  /// Reads one token after the other. Comments, declarations, scripts and styles are left out.
  private struct Scanner {
    let bytes: [UInt8]
    private var position = 0
    /// Whether an element of HTML has begun.
    private(set) var hasHTML = false

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> Token? {
      while position < bytes.count {
        guard bytes[position] == UInt8(ascii: "<") else {
          let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
          defer { position = end }
          return .text(Markup.decoded(bytes[position..<end]))
        }
        if has("<![CDATA[") {
          let text = take(after: "<![CDATA[", to: "]]>")
          return .text(String(decoding: text, as: UTF8.self))
        }
        if has("<!--") {
          _ = take(after: "<!--", to: "-->")
          continue
        }
        let tag = take(after: "<", to: ">")
        let isEnd = tag.first == UInt8(ascii: "/")
        let name = tag.dropFirst(isEnd ? 1 : 0).prefix {
          $0.isAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ":")
            || $0 == UInt8(ascii: "_")
        }
        guard !name.isEmpty else { continue }
        let local = name.split(separator: UInt8(ascii: ":")).last ?? name
        let word = String(decoding: local, as: UTF8.self).lowercased()
        if isEnd { return .close(word) }
        if word == "script" || word == "style" {
          _ = take(after: "", to: "</\(word)")
          _ = take(after: "", to: ">")
          continue
        }
        if local.count == name.count, Markup.elementsOfHTML.contains(word) { hasHTML = true }
        return .open(word)
      }
      return nil
    }

    /// What is between here and `end`, or the rest; goes on after it.
    private mutating func take(after start: String, to end: String) -> ArraySlice<UInt8> {
      let from = position + start.utf8.count
      let end = Array(end.utf8)
      var place = from
      while place < bytes.count, !has(end, at: place) { place += 1 }
      position = min(place + end.count, bytes.count)
      return bytes[min(from, bytes.count)..<min(place, bytes.count)]
    }

    private func has(_ text: String) -> Bool { has(Array(text.utf8), at: position) }

    private func has(_ wanted: [UInt8], at place: Int) -> Bool {
      bytes.count - place >= wanted.count
        && wanted.indices.allSatisfy { Self.lower(bytes[place + $0]) == Self.lower(wanted[$0]) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
  }

  /// Text with its character references decoded.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    let pieces = String(decoding: bytes, as: UTF8.self).split(scalar: "&")
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
