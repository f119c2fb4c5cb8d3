import Foundation
import JSONText

/// `{ pointer = "/rc", not = 0, message = "/descr" }`: something in a reply that tells a failure.
public struct FailureRule: Hashable, Sendable {
  /// Where it stands.
  public enum Place: Hashable, Sendable {
    /// A value in a reply of JSON.
    case pointer(JSONPointer)
    /// The text of any reply: whether it fits.
    case pattern(Pattern)
    /// A header field, its name in lower case.
    case header(String)
  }

  /// What is asked of it.
  public enum Test: Hashable, Sendable {
    /// It is this. A value that is not there is nothing.
    case equals(JSONValue)
    /// It is not this, or not there.
    case differs(JSONValue)
    /// It is this text, in which the sums of the file are filled in.
    case equalsText(Template)
    /// It is not this text, or not there.
    case differsText(Template)
  }

  /// Where the reason stands.
  public enum Message: Hashable, Sendable {
    /// In the reply.
    case pointer(JSONPointer)
    /// In the configuration.
    case text(String)
  }

  /// Where to look.
  public var place: Place
  /// What makes it a failure.
  public var test: Test
  /// What to say then; nil for what is there.
  public var message: Message?

  /// A rule.
  public init(_ place: Place, test: Test, message: Message? = nil) {
    self.place = place
    self.test = test
    self.message = message
  }

  /// A rule for a value in JSON.
  public init(pointer: JSONPointer, test: Test, message: Message? = nil) {
    self.init(.pointer(pointer), test: test, message: message)
  }

  /// The text that it compares with, which may hold the sums of a file.
  var template: Template? {
    switch test {
    case .equalsText(let text), .differsText(let text): text
    case .equals, .differs: nil
    }
  }

  /// Whether it is asked of each file of a request by itself.
  var dependsOnFile: Bool {
    if template?.isLiteral == false { return true }
    if case .pointer(let pointer) = place { return pointer.dependsOnFile }
    return false
  }

  /// Whether it needs a reply of JSON.
  var needsJSON: Bool { if case .pointer = place { true } else { false } }

  /// What it looks for in the text of a reply, if it does.
  var pattern: Pattern? { if case .pattern(let pattern) = place { pattern } else { nil } }

  /// Whether it looks into the content of a reply.
  var needsContent: Bool { if case .header = place { false } else { true } }

  /// Whether a value that is not there is no failure.
  var isSilentWithoutValue: Bool {
    switch test {
    case .equals, .equalsText: true
    case .differs, .differsText: false
    }
  }

  /// What the reply says went wrong with a file by this rule.
  func complaint(in content: ReplyContent, of end: TransferEnd) -> String? {
    let value: JSONValue? =
      switch place {
      case .pointer(let pointer):
        content.document.flatMap { pointer.value(in: $0, file: end.place.index) }
      case .pattern(let pattern): .bool(content.matches[pattern] != nil)
      case .header(let name): end.headers[name].map { .string($0) }
      }
    switch test {
    case .equals(let wanted): guard value == wanted else { return nil }
    case .differs(let wanted): guard value != wanted else { return nil }
    case .equalsText(let text): guard value == .string(filled(text, end)) else { return nil }
    case .differsText(let text): guard value != .string(filled(text, end)) else { return nil }
    }
    switch message {
    case .text(let text): return text
    case .pointer(let pointer):
      if let text = content.document.flatMap({ pointer.value(in: $0, file: end.place.index) })?
        .text, !text.isEmpty
      {
        return text
      }
    case nil: break
    }
    return words(value, content, end)
  }

  private func filled(_ text: Template, _ end: TransferEnd) -> String {
    // Nothing else is in its scope.
    var values = Template.Values(now: .distantPast, uuid: UUID())
    values.digests = end.digests
    return text.filled(with: values)
  }

  /// What is wrong, where nothing is to be said of it.
  private func words(_ value: JSONValue?, _ content: ReplyContent, _ end: TransferEnd) -> String {
    switch place {
    case .pointer(let pointer):
      let place = pointer.description(file: end.place.index)
      guard let value else { return "its answer has no \(place)" }
      return "\(place) is \(value.source)"
    case .pattern(let pattern):
      guard let match = content.matches[pattern] else {
        return "its answer has nothing that fits \(pattern.source)"
      }
      return match.isEmpty ? "its answer fits \(pattern.source)" : match
    case .header(let name):
      guard let value else { return "its answer has no \(name)" }
      return "\(name) is \(value.text)"
    }
  }
}
