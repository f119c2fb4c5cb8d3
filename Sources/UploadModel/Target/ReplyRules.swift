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
