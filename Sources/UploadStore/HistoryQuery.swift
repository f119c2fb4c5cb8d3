import Foundation

/// Which attempts are asked for.
public struct HistoryQuery: Hashable, Sendable {
  /// Only attempts that did not deliver the file.
  public var onlyFailed = false
  /// Only attempts that began then or later.
  public var since: Date?
  /// At most so many, the latest ones.
  public var limit: Int?

  /// Everything.
  public init() {}
}
