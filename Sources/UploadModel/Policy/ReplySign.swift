/// A sign in a reply, whatever its status, such as `{ status = 400, regex = "RequestTimeout|dataset lock" }`.
package struct ReplySign: Hashable, Sendable {
  /// The status that the reply must have; nil for any.
  package var status: Int?
  /// What the reply must say; nil if its status says it all.
  package var rule: FailureRule?

  package init(status: Int? = nil, _ rule: FailureRule? = nil) {
    (self.status, self.rule) = (status, rule)
  }

  /// Whether the sign must be looked for separately for each file of a request.
  var dependsOnFile: Bool { rule?.dependsOnFile == true }

  /// Whether a reply has the sign; `content` is what its rule looks for.
  func isFound(in content: ReplyContent, of end: TransferEnd) -> Bool {
    guard status ?? end.status == end.status else { return false }
    return rule.map { [$0].matches(content, of: end) } ?? (status != nil)
  }

  /// What the reply says if it has the sign.
  func words(in end: TransferEnd) -> String? {
    guard let rule, let found = end.status ?? end.earlierStatus, status ?? found == found else {
      return nil
    }
    let content = [rule].content(of: end.reply)
    return rule.isAnswered(in: content, of: end) ? rule.complaint(in: content, of: end) : nil
  }

  /// The signs that a later attempt may succeed, if the configuration names none: S3's time-out, and a dataset that
  /// Dataverse is still busy with.
  package static let temporary: [ReplySign] =
    (try? Pattern(#"\bRequestTimeout\b|\bdataset lock\b"#)).map {
      [ReplySign(status: 400, FailureRule(.pattern($0), test: .equals(.bool(true))))]
    } ?? []
}
