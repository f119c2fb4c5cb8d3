/// A set of pieces of a file. It is stored as runs of indexes, since there are few runs, however many pieces there are.
package struct PieceSet: Hashable, Sendable, Codable {
  /// The runs in ascending order. No run is empty, and no two touch.
  private(set) var runs: [Range<Int>] = []

  init() {}

  init(first count: Int) { if count > 0 { runs = [0..<count] } }

  /// Reads the bounds of the runs, in order. Impossible bounds make an empty set.
  package init(from decoder: any Decoder) throws {
    let bounds = try decoder.singleValueContainer().decode([Int].self)
    guard bounds.count.isMultiple(of: 2), bounds.first ?? 0 >= 0,
      zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 })
    else { return }
    runs = stride(from: 0, to: bounds.count, by: 2).map { bounds[$0]..<bounds[$0 + 1] }
  }

  /// Writes the bounds of the runs, in order.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(runs.flatMap { [$0.lowerBound, $0.upperBound] })
  }

  var isEmpty: Bool { runs.isEmpty }

  /// The index after the last piece in the set.
  var end: Int { runs.last?.upperBound ?? 0 }

  func contains(_ index: Int) -> Bool { runs.contains { $0.contains(index) } }

  mutating func insert(_ index: Int) {
    guard !contains(index) else { return }
    let place = runs.firstIndex { $0.lowerBound > index } ?? runs.count
    runs.insert(index..<index + 1, at: place)
    for left in [place, place - 1]
    where runs.indices.contains(left) && runs.indices.contains(left + 1) {
      guard runs[left].upperBound == runs[left + 1].lowerBound else { continue }
      runs[left] = runs[left].lowerBound..<runs[left + 1].upperBound
      runs.remove(at: left + 1)
    }
  }

  /// The first piece before `end` that is neither in this set nor in `others`; nil if no piece is missing.
  func firstMissing(before end: Int, without others: Set<Int>) -> Int? {
    var index = 0
    while index < end {
      if let run = runs.first(where: { $0.contains(index) }) {
        index = run.upperBound
      } else if others.contains(index) {
        index += 1
      } else {
        return index
      }
    }
    return nil
  }

  /// The byte ranges of the runs in a file, if every piece but the last has this size.
  func ranges(of size: Int64, in length: Int64) -> [Range<Int64>] {
    func offset(_ index: Int) -> Int64 {
      let (product, isTooMuch) = Int64(index).multipliedReportingOverflow(by: size)
      return isTooMuch ? length : min(length, product)
    }
    return runs.map { offset($0.lowerBound)..<offset($0.upperBound) }
  }
}
