/// Identifies an item for as long as it is in the queue.
@usableFromInline
package struct ItemID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
  /// The number, unique within a queue.
  @usableFromInline package var rawValue: Int64

  @inlinable package init(_ rawValue: Int64) { self.rawValue = rawValue }

  // Written out so that other modules can inline the comparison when they look up items.
  @inlinable package static func == (a: ItemID, b: ItemID) -> Bool { a.rawValue == b.rawValue }

  @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  /// Items are numbered in the order in which they were added.
  @inlinable package static func < (a: ItemID, b: ItemID) -> Bool { a.rawValue < b.rawValue }

  @usableFromInline package var description: String { "#\(rawValue)" }
}
