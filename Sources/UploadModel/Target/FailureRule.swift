import Foundation
import JSONText

/// A sign in a reply that means a failure, such as `{ pointer = "/rc", not = 0, message = "/descr" }`.
package struct FailureRule: Hashable, Sendable {
  package enum Test: Hashable, Sendable {
    /// It equals this. A missing value does not.
    case equals(JSONValue)
    /// It differs from this, or is missing.
    case differs(JSONValue)
    /// It equals this text, with the file's digests filled in.
    case equalsText(Template)
    /// It differs from this text, or is missing.
    case differsText(Template)
    /// With true: it is missing or null. With false: it is present and not null.
    case missing(Bool)
  }

  /// Where the message about the failure is.
  package enum Message: Hashable, Sendable {
    /// In the reply.
    case pointer(JSONPointer)
    /// In the configuration.
    case text(String)
  }

  package var place: ReplyPlace
  /// Which values mean a failure.
  package var test: Test
  /// The message for this failure; nil to show the value itself.
  package var message: Message?

  package init(_ place: ReplyPlace, test: Test, message: Message? = nil) {
    (self.place, self.test, self.message) = (place, test, message)
  }

  /// The text that the value is compared with, which may contain the file's digests; nil if the test has no such text.
  var template: Template? {
    switch test {
    case .equalsText(let text), .differsText(let text): text
    case .equals, .differs, .missing: nil
    }
  }

  /// Whether the rule finds the same replies as another one, in whatever words.
  package func finds(as other: FailureRule) -> Bool { place == other.place && test == other.test }

  /// Whether the rule must be checked separately for each file of a request.
  var dependsOnFile: Bool { template?.isLiteral == false || place.dependsOnFile }

  /// Whether a reply without the value does not count as a failure.
  var isSilentWithoutValue: Bool {
    switch test {
    case .equals, .equalsText, .missing(false): true
    case .differs, .differsText, .missing(true): false
    }
  }

  /// Whether it fails replies without a match of its regular expression, which good replies have.
  var needsMatch: Bool {
    place.pattern != nil && (test == .equals(.bool(false)) || test == .differs(.bool(true)))
  }

  /// Whether a reply says anything about the value that is tested. A reply without the value does not, unless the rule
  /// tests whether the value is missing. `inShortLists` says whether a value that would be in an element of a list is
  /// missing if the list has no such element.
  func isAnswered(
    in content: ReplyContent, of end: TransferEnd, inShortLists: Bool = false
  ) -> Bool {
    if let pattern = place.pattern, content.undecided.contains(pattern) { return false }
    if case .missing(true) = test {
      guard case .pointer(let pointer) = place else { return true }
      if inShortLists, pointer.isBeyondList(in: content.document) { return true }
      // A value counts as missing only if its parent exists.
      return switch pointer.parent.value(in: content.document, file: end.place.index) {
      case .object: true
      case .array: pointer.endsInNumber
      default: false
      }
    }
    guard let value = value(in: content, of: end) else { return false }
    // If the value has to differ from a given one, null or a value of another kind says nothing.
    switch test {
    case .differs(let wanted): return value.isSameKind(as: wanted)
    case .differsText: return value.isSameKind(as: .string(""))
    case .equals, .equalsText, .missing: return true
    }
  }

  /// Whether a reply that the rule does not take for a failure has what the rule looks for.
  func judges(_ content: ReplyContent, of end: TransferEnd) -> Bool {
    if let pattern = place.pattern { return content.matches[pattern] != nil }
    return isAnswered(in: content, of: end)
  }

  /// Whether a reply that fits the rule must be about the question. Almost any reply fits a rule that only says what is
  /// not there, such as a page that asks for a login.
  fileprivate var isProof: Bool {
    switch (test, place) {
    case (.equals(.bool(false)), .pattern): false
    case (.equals, _), (.equalsText, _), (.missing(false), _): true
    // Such a rule is answered only by a value of the same kind.
    case (.differs, .pointer), (.differsText, .pointer): true
    // The value's parent is there, but any reply in JSON may be an object.
    case (.missing(true), .pointer(let pointer)): !pointer.parent.tokens.isEmpty
    case (.differs, _), (.differsText, _), (.missing(true), _): false
    }
  }

  private func value(in content: ReplyContent, of end: TransferEnd) -> JSONValue? {
    switch place {
    case .pointer(let pointer): pointer.value(in: content.document, file: end.place.index)
    case .pattern(let pattern): .bool(content.matches[pattern] != nil)
    case .header(let name): end.headers[name].map { .string($0) }
    }
  }

  /// What went wrong with a file according to the reply and this rule; nil if the rule finds no failure.
  func complaint(in content: ReplyContent, of end: TransferEnd) -> String? {
    let value = value(in: content, of: end)
    switch test {
    case .equals(let wanted): guard value == wanted else { return nil }
    case .differs(let wanted): guard value != wanted else { return nil }
    case .equalsText(let text): guard value == .string(filled(text, end)) else { return nil }
    case .differsText(let text): guard value != .string(filled(text, end)) else { return nil }
    case .missing(let wanted): guard ((value ?? .null) == .null) == wanted else { return nil }
    }
    switch message {
    case .text(let text): return text
    case .pointer(let pointer):
      let text = pointer.value(in: content.document, file: end.place.index)?.text
      if let text, !text.isEmpty { return text }
    case nil: break
    }
    return words(value, content, end)
  }

  private func filled(_ text: Template, _ end: TransferEnd) -> String {
    // Only digests are in the template's scope.
    var values = Template.Values(now: .distantPast, uuid: UUID())
    values.digests = end.digests
    return text.filled(with: values)
  }

  /// What is wrong, in words, for a rule that gives no message of its own.
  private func words(_ value: JSONValue?, _ content: ReplyContent, _ end: TransferEnd) -> String {
    switch place {
    case .pointer(let pointer):
      let place = pointer.description(file: end.place.index)
      return value.map { "\(place) is \($0.source)" } ?? "its answer has no \(place)"
    case .pattern(let pattern):
      guard let match = content.matches[pattern]?.first ?? nil else {
        return "its answer has nothing that matches \(pattern.source)"
      }
      return match.isEmpty ? "its answer matches \(pattern.source)" : match
    case .header(let name):
      return value.map { "\(name) is \($0.text)" } ?? "its answer has no \(name)"
    }
  }
}

extension [FailureRule] {
  /// The content of a reply that these rules look for.
  func content(of reply: Reply) -> ReplyContent {
    var rules = ReplyRules()
    rules.failures = self
    return rules.read(reply)
  }

  /// Whether any of these rules describes a reply. A missing value says nothing, unless a rule tests whether it is
  /// missing.
  func matches(
    _ content: ReplyContent, of end: TransferEnd, inShortLists: Bool = false
  ) -> Bool {
    contains {
      $0.isAnswered(in: content, of: end, inShortLists: inShortLists)
        && $0.complaint(in: content, of: end) != nil
    }
  }

  /// Whether one of these rules describes a reply in a way that describes no others.
  func prove(_ content: ReplyContent, of end: TransferEnd) -> Bool {
    filter(\.isProof).matches(content, of: end)
  }

  /// Whether a successful reply fits one of these rules. Without rules, its status is enough. Throws if the reply does
  /// not say whether it fits. `known` is the content that the rules look for, if it has been read already. For
  /// `inShortLists`, see `FailureRule.isAnswered`.
  func fit(
    _ end: TransferEnd, _ known: ReplyContent? = nil, inShortLists: Bool = false
  ) throws(Failure.Cause) -> Bool {
    if isEmpty { return true }
    let content = known ?? content(of: end.reply)
    if matches(content, of: end, inShortLists: inShortLists) { return true }
    // A reply that says nothing about the rules must not be taken as a no.
    if content.document == nil, contains(where: \.place.needsJSON) {
      throw .unusable("its answer is not JSON")
    }
    if end.reply.isCut { throw .unusable("its answer is too long to read") }
    if let pattern = content.undecided.first {
      throw .unusable("searching its answer for \(pattern.source) takes too long")
    }
    return false
  }
}
