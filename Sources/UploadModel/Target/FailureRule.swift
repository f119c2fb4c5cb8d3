import Foundation
import JSONText

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
