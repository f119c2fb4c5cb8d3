import UploadModel

/// How many requests a target may be sent at once now.
package struct LaneCount: Hashable, Sendable {
  package var count: Int
  /// Whether hoist finds the number.
  package var isFound: Bool

  package init(_ count: Int, isFound: Bool) { (self.count, self.isFound) = (count, isFound) }

  /// Such as "4 lanes" or "12 lanes (auto)".
  package var words: String {
    HumanReadable.count(count, "lane") + (isFound ? " (auto)" : "")
  }

  package static func + (one: LaneCount, other: LaneCount) -> LaneCount {
    LaneCount(one.count + other.count, isFound: one.isFound || other.isFound)
  }
}
