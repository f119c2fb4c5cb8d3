/// Which files of the history to list.
package struct HistoryRequest: Hashable, Sendable {
  /// Only files that pass this filter; empty for all.
  package var filter: String
  /// The most files to list, the latest first.
  package var limit = Self.usual
  /// Whether to count what each word of the filter finds, also beyond the limit.
  package var countsKinds = false

  static let usual = 1000

  package init(filter: String = "") { self.filter = filter }
}
