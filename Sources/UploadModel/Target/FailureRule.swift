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

  /// Whether it is asked of each file of a request by itself.
  var dependsOnFile: Bool { pointer.dependsOnFile }

  /// Whether a value that is not there is no failure.
  var isSilentWithoutValue: Bool {
    if case .equals = test { true } else { false }
  }

  /// What the document says went wrong with a file by this rule.
  func complaint(in document: JSONValue, file: Int) -> String? {
    let value = pointer.value(in: document, file: file)
    switch test {
    case .equals(let wanted): guard value == wanted else { return nil }
    case .differs(let wanted): guard value != wanted else { return nil }
    }
    switch message {
    case .text(let text): return text
    case .pointer(let pointer):
      if let text = pointer.value(in: document, file: file)?.text, !text.isEmpty { return text }
    case nil: break
    }
    let place = self.pointer.description(file: file)
    guard let value else { return "its answer has no \(place)" }
    return "\(place) is \(value.source)"
  }
}
