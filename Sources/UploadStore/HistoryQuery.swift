import Foundation

/// Which attempts are asked for.
public struct HistoryQuery: Hashable, Sendable {
  /// Only attempts that did not deliver the file.
  public var onlyFailed = false
  /// Only attempts that began then or later.
  public var since: Date?
  /// The most attempts to return; the latest ones are kept.
  public var limit: Int?

  /// A query for everything.
  public init() {}
}
