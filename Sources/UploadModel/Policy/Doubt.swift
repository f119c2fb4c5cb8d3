import JSONText
import ScalarText

/// A sign that a reply with a success status says no: `{"ok": false, "error": "quota exceeded"}`, or a page to sign in.
///
/// Such a file counts as sent, since servers differ in what they mean by these members, but it is doubtful. Only a rule
/// of the target decides; `rule` is the one that would find this sign.
package struct Doubt: Hashable, Sendable {
  /// What the reply says, in a sentence: "quota exceeded".
  package var words: String
  /// The rule by which a reply with this sign means a failure.
  package var rule: FailureRule

  /// The sign in a reply that a file has been sent with; nil if there is none. `isOfBatch` says that its target puts
  /// several files into a request.
  package init?(in receipt: Receipt, isOfBatch: Bool) {
    // A receipt that is in doubt was judged with what its target expects.
    guard let words = receipt.doubt, !Receipt.isBreak(words),
      let doubt = Doubt(
        in: receipt.reply, JSONValue(text: receipt.reply.text), expectsJSON: true,
        isOfBatch: isOfBatch)
    else { return nil }
    self = doubt
  }

  /// The sign in a reply; nil if there is none. `document` is the reply as JSON. `place` says which of the files of a
  /// request is meant, as far as the reply has a list of them. A page is a sign by itself if the target `expectsJSON`.
  init?(
    in reply: Reply, _ document: JSONValue?, of place: TransferEnd.Place = .init(),
    expectsJSON: Bool, isOfBatch: Bool = false
  ) {
    guard let document else {
      guard let doubt = Self.page(reply, isUnexpected: expectsJSON) else { return nil }
      self = doubt
      return
    }
    guard let doubt = Document(document, place, isOfBatch: isOfBatch).doubt else { return nil }
    self = doubt
  }

  fileprivate init(_ words: String, _ rule: FailureRule) {
    (self.words, self.rule) = (Reply.sentence(words) ?? "no", rule)
  }

  /// The members in which a server says whether it took the file, the most certain ones first.
  fileprivate static let names = ["ok", "success", "status", "error", "errors"]

  /// Whether a reply in JSON may have one of these members. Most replies have none: looking for the names in their
  /// bytes takes a tenth of the time of reading them. What is escaped or beyond ASCII may stand for any name.
  static func mayBeNamed(in reply: Reply) -> Bool {
    guard reply.mayBeJSON else { return false }
    var text = reply.text
    return text.withUTF8 { bytes in
      var start = 0
      for index in 0..<bytes.count {
        let byte = bytes[index]
        if byte == UInt8(ascii: "\\") || byte >= 0x80 { return true }
        guard byte == UInt8(ascii: "\"") else { continue }
        let string = start..<index
        start = index + 1
        if lengths.contains(string.count), foldedNames.contains(folded(bytes[string])) {
          return true
        }
      }
      return false
    }
  }

  /// How many bytes these names have.
  private static let lengths = 2...7
  private static let foldedNames = names.map { folded($0.utf8) }

  /// At most eight letters as one number. The bit is the difference between a letter and the same one in upper case.
  private static func folded(_ letters: some Sequence<UInt8>) -> UInt64 {
    letters.reduce(0) { $0 << 8 | UInt64($1 | 0x20) }
  }

  // MARK: Pages

  private static let pageStart = try? Pattern("(?i)^\\s*<(?:!doctype html|html)\\b")
  private static let passwordField = try? Pattern(
    "(?i)<input\\s[^>]*\\btype\\s*=\\s*[\"']?password\\b")

  /// A page where none is expected, or one that asks for a password.
  private static func page(_ reply: Reply, isUnexpected: Bool) -> Doubt? {
    // Most replies are empty, or something else: do not search those.
    guard reply.text.unicodeScalars.first(where: { !$0.isWhiteSpace }) == "<",
      let pageStart, let passwordField
    else { return nil }
    func isFound(_ pattern: Pattern) -> Bool {
      (try? pattern.firstMatch(in: reply.text)) != nil
    }
    let (page, signIn) = ("a web page", "a page that asks for a password")
    guard reply.mediaType == "text/html" || isFound(pageStart) else { return nil }
    if isFound(passwordField) {
      return Doubt(
        reply.message ?? signIn,
        FailureRule(
          .pattern(passwordField), test: .equals(.bool(true)),
          message: .text("the reply is \(signIn)")))
    }
    // Without its beginning, no rule would recognise the page.
    guard isUnexpected, isFound(pageStart) else { return nil }
    return Doubt(
      reply.message ?? page,
      FailureRule(
        .pattern(pageStart), test: .equals(.bool(true)), message: .text("the reply is \(page)")))
  }
}

extension Doubt {
  /// The members in which a server says whether it took the file, and what they mean.
  fileprivate enum Sign {
    /// Nothing is said.
    case none
    case yes
    /// A no. A rule finds it by this test at this place below the object, or by a regular expression.
    case no([String], FailureRule.Test)
    case noText

    static func of(_ name: String, _ value: JSONValue) -> Sign {
      switch name.lowercased() {
      case "ok", "success": ofFlag(name, value)
      case "status": ofStatus(name, value)
      case "error", "errors": ofError(name, value)
      default: .none
      }
    }

    /// Whether all went well.
    private static func ofFlag(_ name: String, _ value: JSONValue) -> Sign {
      switch value {
      case .bool(let isTrue): isTrue ? .yes : .no([name], .equals(value))
      case .integer(let number): number != 0 ? .yes : .no([name], .equals(value))
      case .longInteger: .yes
      case .string(let text):
        switch text.lowercased() {
        case "true", "1": .yes
        case "false", "0": .no([name], .equals(value))
        default: .none
        }
      case .null, .number, .array, .object: .none
      }
    }

    /// A word, a flag, or an HTTP status. Other numbers mean different things to different servers.
    private static func ofStatus(_ name: String, _ value: JSONValue) -> Sign {
      let no = Sign.no([name], .equals(value))
      switch value {
      case .bool(let isTrue): return isTrue ? .yes : no
      case .integer(let number): return (400..<600).contains(number) ? no : .none
      case .string(let text):
        switch text.lowercased() {
        case "ok", "success": return .yes
        case "error", "fail", "failed", "failure": return no
        default: return (400..<600).contains(Int(text) ?? 0) ? no : .none
        }
      case .null, .longInteger, .number, .array, .object: return .none
      }
    }

    /// What went wrong.
    private static func ofError(_ name: String, _ value: JSONValue) -> Sign {
      guard saysSomething(value) else { return .none }
      switch value {
      case .bool, .integer, .longInteger, .number: return .no([name], .equals(value))
      case .string: return .noText
      // Point below the list or the object: in other replies it may be there and empty.
      case .array: return .no([name, "0"], .missing(false))
      case .object(let members):
        let meaningful = members.filter { saysSomething($0.value) }.keys
        let first =
          ["code", "message"].first(where: meaningful.contains) ?? meaningful.min() ?? "message"
        return .no([name, first], .missing(false))
      case .null: return .none
      }
    }

    /// The words that stand where an error would be if there is none.
    private static let nothing: Set<String> = [
      "", "0", "false", "no", "no error", "none", "null", "ok", "success",
    ]

    /// Whether a value that describes an error describes one.
    static func saysSomething(_ value: JSONValue, depth: Int = 4) -> Bool {
      switch value {
      case .null: false
      case .bool(let flag): flag
      case .integer(let number): number != 0
      case .longInteger: true
      case .number(let number): number != 0
      case .string(let text):
        !nothing.contains(text.trimming(\.isWhiteSpace).lowercased())
      case .array(let values): depth > 0 && values.contains { saysSomething($0, depth: depth - 1) }
      case .object(let members):
        // A code decides: {"code": "ok", "log_id": "2026"} is no error.
        depth > 0
          && (members["code"].map { saysSomething($0) }
            ?? members.values.contains { saysSomething($0, depth: depth - 1) })
      }
    }
  }

  /// A reply in JSON.
  fileprivate struct Document {
    /// An object of the reply, and where it is.
    private typealias Part = (path: [String], members: [String: JSONValue])

    /// The reply itself, then what lies one level deeper.
    private var parts: [Part] = []

    /// The members that servers put around their answer. Objects elsewhere may be about something else, such as the
    /// pipeline of a commit.
    private static let envelopes = [
      "data", "response", "result", "results", "meta", "upload", "uploads", "file", "files",
      "image",
    ]

    init(_ value: JSONValue, _ place: TransferEnd.Place, isOfBatch: Bool) {
      add(value, at: [], place, isOfBatch)
      guard case .object(let members) = value else { return }
      for name in Self.envelopes {
        if let inner = members[name] { add(inner, at: [name], place, isOfBatch) }
      }
    }

    private mutating func add(
      _ value: JSONValue, at path: [String], _ place: TransferEnd.Place, _ isOfBatch: Bool
    ) {
      switch value {
      case .object(let members): parts.append((path, members))
      case .array(let elements):
        // If there is an element for each file, only the file's own says anything about it.
        let isForEach = place.count > 1 && elements.count == place.count
        for (index, element) in elements.enumerated() where !isForEach || index == place.index {
          guard case .object(let members) = element else { continue }
          parts.append((path + [isForEach || isOfBatch ? "*" : "\(index)"], members))
        }
      case .null, .bool, .integer, .longInteger, .number, .string: break
      }
    }

    var doubt: Doubt? {
      for part in parts {
        let meaningful = part.members.compactMap { name, value in
          names.firstIndex(of: name.lowercased()).map { (rank: $0, name: name, value: value) }
        }
        for (_, name, value) in meaningful.sorted(by: { ($0.rank, $0.name) < ($1.rank, $1.name) }) {
          switch Sign.of(name, value) {
          case .none: continue
          // A server that says yes means all that comes after it.
          case .yes: return nil
          case .no(let below, let test):
            let place = ReplyPlace.pointer(JSONPointer(tokens: part.path + below))
            return doubt(in: part, place, test, "\(name) is \(value.source)")
          case .noText:
            guard let pattern = Self.pattern(ofText: name) else { continue }
            return doubt(in: part, .pattern(pattern), .equals(.bool(true)), value.text)
          }
        }
      }
      return nil
    }

    /// A text in a member of this name that is not empty. In other replies the member may be there and empty, or
    /// false, which a test with a pointer would take for an error.
    private static func pattern(ofText name: String) -> Pattern? {
      try? Pattern("\"\(name)\"\\s*:\\s*\"\\K[^\"]+")
    }

    /// Where the message may be, in the order in which the members are looked at.
    private static let messages = [
      ["error", "message"], ["message"], ["Message"], ["error"], ["Error"], ["msg"], ["detail"],
      ["error_description"], ["error_message"], ["description"], ["reason"],
      ["errors", "0", "message"], ["errors", "0"], ["errors"],
    ]

    private func doubt(
      in part: Part, _ place: ReplyPlace, _ test: FailureRule.Test, _ words: String
    ) -> Doubt {
      let all =
        [part]
        + parts.filter { $0.path != part.path && !JSONPointer(tokens: $0.path).dependsOnFile }
      for (path, members) in all {
        for tokens in Self.messages {
          let found = JSONPointer(tokens: tokens).value(in: .object(members))
          guard case .string(let text)? = found, Sign.saysSomething(.string(text)) else { continue }
          let pointer = JSONPointer(tokens: path + tokens)
          // The match of a regular expression is the message itself.
          let isMatch = place.pattern != nil
          return Doubt(
            isMatch ? words : text,
            FailureRule(place, test: test, message: isMatch ? nil : .pointer(pointer)))
        }
      }
      return Doubt(Reply.message(in: part.members) ?? words, FailureRule(place, test: test))
    }
  }
}
