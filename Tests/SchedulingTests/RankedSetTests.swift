import Testing

@testable import Scheduling
@testable import UploadModel

struct RankedSetTests {
  /// Compared with an array that is sorted, through 20,000 random changes.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func itIsASortedSet(_ seed: UInt64) {
    var random = SplitMix(seed)
    var set = RankedSet()
    var known: Set<Int64> = []
    for step in 0..<20_000 {
      let rank = Int64(random.below(4000)) - 2000
      // It grows, and shrinks to nothing again.
      if random.below(100) < (step < 10_000 ? 70 : 20) {
        if known.insert(rank).inserted { set.insert(RankedSet.Entry(rank: rank, id: ItemID(rank))) }
      } else {
        known.remove(rank)
        set.remove(rank)
      }
      #expect(set.isEmpty == known.isEmpty)
      guard step % 500 == 0 else { continue }
      let sorted = known.sorted()
      #expect(set.entries().map(\.rank) == sorted)
      #expect(set.first?.rank == sorted.first && set.last?.rank == sorted.last)
      for rank in [-3000, -1, 0, 999, 3000] as [Int64] {
        #expect(set.entry(before: rank)?.rank == sorted.last { $0 < rank })
        #expect(
          set.entries(after: rank, limit: 7).map(\.rank)
            == sorted.filter { $0 > rank }.prefix(7).map { $0 })
      }
    }
  }

  @Test(arguments: [0, 1, 255, 256, 257, 5000])
  func itCanBeMadeOfWhatIsSorted(_ count: Int) {
    let entries = (0..<count).map { RankedSet.Entry(rank: Int64($0) * 10, id: ItemID(Int64($0))) }
    var set = RankedSet(sorted: entries)
    #expect(set.entries() == entries && set.isEmpty == (count == 0))
    for entry in entries { set.remove(entry.rank) }
    #expect(set.isEmpty && set.first == nil && set.last == nil && set.entries() == [])
  }
}

/// Random numbers that are the same for the same seed (SplitMix64).
struct SplitMix {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}
