import Foundation
import JSONText
import ScalarText

/// How a target's replies are read: which mean success, what they say went wrong, where the file is.
public struct ReplyRules: Hashable, Sendable {
  /// The statuses that mean success.
  public var ok: [ClosedRange<Int>]
  /// What a reply with a good status may say that makes it a failure all the same.
  public var failures: [FailureRule]
  /// Where the reply names the file's address; nil for its `Location`.
  public var url: ReplyValue?

  /// Rules like these: 200 to 299 unless said otherwise.
  public init(
    ok: [ClosedRange<Int>] = [200...299], failures: [FailureRule] = [], url: ReplyValue? = nil
  ) {
    self.ok = ok
    self.failures = failures
    self.url = url
  }

  /// Whether the status means success.
  public func isOK(_ status: Int) -> Bool { ok.contains { $0.contains(status) } }

  /// Whether success depends on what the reply says, and it may be JSON but is not as far as it came.
  func cannotJudge(_ reply: Reply) -> Bool {
    !failures.isEmpty && JSONValue(text: reply.text) == nil
      && reply.text.unicodeScalars.first { !$0.isWhiteSpace } != "<"
  }

  /// What a reply says went wrong, in its own words where it has any; nil where it says nothing.
  public func complaint(in reply: Reply) -> String? {
    guard !failures.isEmpty else { return nil }
    let document = JSONValue(text: reply.text)
    return failures.lazy.compactMap { $0.complaint(in: document) }.first
  }

  /// The file's address as a whole URL; nil where the reply does not name it. What a reply names without
  /// regard to the file is no file's address where the request had several.
  public func address(in end: TransferEnd) -> String? {
    guard end.place.count == 1 || url?.dependsOnFile == true else { return nil }
    guard let url else { return end.location?.absoluteString }
    guard let text = url.text(in: end), !text.isEmpty,
      let whole = URL(string: text, relativeTo: end.url)?.absoluteURL, whole.scheme != nil
    else { return nil }
    return whole.absoluteString
  }
}

/// `{ pointer = "/rc", not = 0, message = "/descr" }`: a value that tells a failure.
public struct FailureRule: Hashable, Sendable {
  /// What is asked of the value.
  public enum Test: Hashable, Sendable {
    /// It is this. A value that is not there is nothing.
    case equals(JSONValue)
    /// It is not this, or not there.
    case differs(JSONValue)
  }

  /// Where the reason stands.
  public enum Message: Hashable, Sendable {
    /// In the reply.
    case pointer(JSONPointer)
    /// In the configuration.
    case text(String)
  }

  /// Where the value stands.
  public var pointer: JSONPointer
  /// What makes it a failure.
  public var test: Test
  /// What to say then; nil for the value itself.
  public var message: Message?

  /// A rule.
  public init(pointer: JSONPointer, test: Test, message: Message? = nil) {
    self.pointer = pointer
    self.test = test
    self.message = message
  }

  /// What the document, nil for a reply that is not JSON, says went wrong by this rule.
  func complaint(in document: JSONValue?) -> String? {
    let value = document.flatMap { pointer.value(in: $0) }
    switch test {
    case .equals(let wanted): guard value == wanted else { return nil }
    case .differs(let wanted): guard value != wanted else { return nil }
    }
    guard let document else { return "its answer is not JSON" }
    switch message {
    case .text(let text): return text
    case .pointer(let pointer):
      if let text = pointer.value(in: document)?.text, !text.isEmpty { return text }
    case nil: break
    }
    guard let value else { return "its answer has no \(self.pointer)" }
    return "\(self.pointer) is \(value.source)"
  }
}

/// A text that is picked out of a reply.
public struct ReplyValue: Hashable, Sendable {
  /// Where it is.
  public enum Place: Hashable, Sendable {
    /// A value of JSON.
    case pointer(JSONPointer)
    /// The first group that the expression captures in the body, or all that it matches.
    case pattern(Pattern)
    /// A header field; its name in lower case.
    case header(String)
  }

  /// Where the text is.
  public var place: Place
  /// What goes before it.
  public var prefix: String
  /// What goes after it.
  public var suffix: String

  /// The text at a place.
  public init(_ place: Place, prefix: String = "", suffix: String = "") {
    self.place = place
    self.prefix = prefix
    self.suffix = suffix
  }

  /// Whether it is another one for each file of a request.
  public var dependsOnFile: Bool {
    if case .pointer(let pointer) = place { pointer.dependsOnFile } else { false }
  }

  func text(in end: TransferEnd) -> String? {
    let text: String? =
      switch place {
      case .pointer(let pointer):
        JSONValue(text: end.reply.text).flatMap { pointer.value(in: $0, file: end.place.index) }
          .flatMap { value in
            switch value {
            case .string, .integer: value.text
            case .null, .bool, .number, .array, .object: nil
            }
          }
      case .pattern(let pattern):
        pattern.firstMatch(in: end.reply.text).flatMap { groups in
          groups.dropFirst().lazy.compactMap { $0 }.first ?? groups.first ?? nil
        }
      case .header(let name): end.headers[name]
      }
    return text.map { prefix + $0 + suffix }
  }
}
