import TestSupport
import Testing

@testable import UploadModel

struct ItemTableTests {
  /// Compared with a dictionary, through 20,000 random changes.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func itIsADictionary(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var table = ItemTable<String>()
    var known: [ItemID: String] = [:]
    for step in 0..<20_000 {
      // Some neighbours, some far apart, some below zero.
      let number =
        Int64(Int.random(in: 0..<300, using: &random))
        * (Int.random(in: 0..<4, using: &random) == 0 ? 1000 : 1) - 50
      let id = ItemID(number)
      switch Int.random(in: 0..<10, using: &random) {
      // It grows, and shrinks to nothing again.
      case 0...(step < 10_000 ? 4 : 1): (table[id], known[id]) = ("\(step)", "\(step)")
      case 5:
        table[id]?.append("+")
        known[id]?.append("+")
      case 6: #expect(table.removeValue(forKey: id) == known.removeValue(forKey: id))
      default: (table[id], known[id]) = (nil, nil)
      }
      #expect(table[id] == known[id])
      #expect(table.count == known.count && table.isEmpty == known.isEmpty)
      guard step % 500 == 0 else { continue }
      #expect(table.values.sorted() == known.values.sorted())
      for id in (-100..<400).map(ItemID.init) { #expect(table[id] == known[id]) }
    }
  }

  /// A copy keeps what the original had.
  @Test func aCopyIsAValue() {
    var table = ItemTable<Int>()
    for number in 0..<100 { table[ItemID(Int64(number))] = number }
    let copy = table
    for number in 0..<50 { table[ItemID(Int64(number))] = nil }
    table[ItemID(70)] = -1
    #expect(copy.count == 100 && copy.values.sorted() == Array(0..<100))
    #expect(table.count == 50 && copy[ItemID(70)] == 70)
  }

  /// Nothing is left of values that are taken out.
  @Test func itShrinks() {
    var table = ItemTable<Int>()
    for number in 0..<1000 { table[ItemID(Int64(number))] = number }
    for number in 0..<1000 { table[ItemID(Int64(number))] = nil }
    #expect(table.isEmpty && table.pages.isEmpty)
  }
}
