/// Files that failed for the same reason, in whatever form they are given.
package struct FailureGroup<Member> {
  package let reason: FailureReason
  /// In the order in which they were given.
  package let members: [Member]

  /// "403, not yours: 412 files".
  package var words: String {
    "\(reason.words): \(HumanReadable.count(members.count, "file"))"
  }

  /// "412 × 403, not yours", made safe.
  package var line: String {
    "\(HumanReadable.grouped(members.count)) × \(SafeText.beginning(of: reason.words))"
  }

  /// Gathers failures by their reasons: first those of files that have failed, then of those that may have arrived; of
  /// these, the most frequent reason first.
  package static func gathered(
    _ failures: some Sequence<(reason: FailureReason, member: Member)>
  ) -> [Self] {
    Dictionary(grouping: failures, by: \.reason).map { reason, failures in
      Self(reason: reason, members: failures.map(\.member))
    }.sorted {
      ($0.reason.fate.rawValue, $1.members.count, $0.reason.words)
        < ($1.reason.fate.rawValue, $0.members.count, $1.reason.words)
    }
  }
}

extension FailureGroup: Sendable where Member: Sendable {}
