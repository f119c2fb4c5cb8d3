import Foundation

/// Which attempts are asked for.
package struct HistoryQuery: Hashable, Sendable {
  /// Only attempts that did not deliver the file.
  package var onlyFailed = false
  /// Only attempts that began then or later.
  package var since: Date?
  /// The most attempts to return; the latest ones are kept.
  package var limit: Int?

  /// A query for everything.
  package init() {}
}
