/// A set of pieces of a file. It is stored as ranges of indexes, since there are few, however many pieces there are.
package struct PieceSet: Hashable, Sendable, Codable {
  private var indexes = RangeSet<Int>()

  /// The ranges in ascending order. None is empty, and no two touch.
  var ranges: [Range<Int>] { Array(indexes.ranges) }

  package init() {}

  package init(first count: Int) { indexes.insert(contentsOf: 0..<max(0, count)) }

  /// Reads the bounds of the ranges, in order, as `encode(to:)` writes them. Impossible bounds make an empty set.
  package init(from decoder: any Decoder) throws {
    let bounds = try decoder.singleValueContainer().decode([Int].self)
    guard bounds.count.isMultiple(of: 2), bounds.first ?? 0 >= 0,
      zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 })
    else { return }
    indexes = RangeSet(stride(from: 0, to: bounds.count, by: 2).map { bounds[$0]..<bounds[$0 + 1] })
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(ranges.flatMap { [$0.lowerBound, $0.upperBound] })
  }

  package var isEmpty: Bool { indexes.isEmpty }

  /// The index after the last piece in the set.
  package var end: Int { indexes.ranges.last?.upperBound ?? 0 }

  package func contains(_ index: Int) -> Bool { indexes.contains(index) }

  package mutating func insert(_ index: Int) { indexes.insert(contentsOf: index..<index + 1) }

  /// The first piece before `end` that is neither in this set nor in `others`; nil if no piece is missing.
  package func firstMissing(before end: Int, without others: Set<Int>) -> Int? {
    RangeSet(0..<max(0, end)).subtracting(indexes).ranges.lazy.joined()
      .first { !others.contains($0) }
  }

  /// The ranges in the bytes of a file, if every piece but the last has this size.
  package func ranges(of size: Int64, in length: Int64) -> [Range<Int64>] {
    guard size > 0, length > 0 else { return [] }
    func offset(_ index: Int) -> Int64 {
      let (product, isTooMuch) = Int64(index).multipliedReportingOverflow(by: size)
      return isTooMuch ? length : min(length, product)
    }
    return ranges.map { offset($0.lowerBound)..<offset($0.upperBound) }
  }
}
