/// A sign in a reply that means that nothing was stored, and that a later attempt may succeed, such as
/// `{ status = 400, regex = "RequestTimeout|dataset lock" }`.
package struct TemporarySign: Hashable, Sendable {
  /// The status that the reply must have; nil for any.
  package var status: Int?
  package var rule: FailureRule

  package init(status: Int? = nil, _ rule: FailureRule) {
    (self.status, self.rule) = (status, rule)
  }

  /// What the reply says if it has the sign.
  func words(in end: TransferEnd) -> String? {
    guard let found = end.status ?? end.earlierStatus, status ?? found == found else { return nil }
    let content = [rule].content(of: end.reply)
    return rule.isAnswered(in: content, of: end) ? rule.complaint(in: content, of: end) : nil
  }

  /// The signs that are looked for if the configuration names none: S3's time-out, and a dataset that Dataverse is still
  /// busy with.
  package static let usual: [TemporarySign] =
    (try? Pattern(#"\bRequestTimeout\b|\bdataset lock\b"#)).map {
      [TemporarySign(status: 400, FailureRule(.pattern($0), test: .equals(.bool(true))))]
    } ?? []
}
