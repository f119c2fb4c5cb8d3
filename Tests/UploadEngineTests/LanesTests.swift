import Testing
import UploadModel

@testable import UploadEngine

struct LanesTests {
  /// Lanes with these numbers in line.
  private func lanes(_ count: Int, _ line: some Sequence<Int64>) -> Lanes {
    var lanes = Lanes(count: count)
    for number in line { lanes.queue(ItemID(number), atHead: false) }
    return lanes
  }

  /// Everyone in line, each leaving at once.
  private func drained(_ lanes: Lanes) -> [Int64] {
    var (lanes, order) = (lanes, [Int64]())
    while let id = lanes.next() {
      order.append(id.rawValue)
      lanes.leave(id)
    }
    return order
  }

  @Test func firstComeFirstServed() {
    #expect(drained(lanes(1, 1...5)) == [1, 2, 3, 4, 5])
    #expect(drained(lanes(1, [])) == [])
  }

  @Test func whoComesBackStandsAtTheHead() {
    var lanes = lanes(1, [1, 2])
    lanes.queue(ItemID(9), atHead: true)
    lanes.queue(ItemID(8), atHead: true)
    #expect(drained(lanes) == [8, 9, 1, 2])
  }

  @Test func standingInLineTwiceCountsOnce() {
    var lanes = lanes(1, [1, 2, 1])
    lanes.queue(ItemID(2), atHead: true)
    #expect(drained(lanes) == [1, 2])
  }

  @Test func whoLeavesTheLineIsPassedOverAndMayComeBackAtItsEnd() {
    var lanes = lanes(1, 1...4)
    lanes.unqueue(ItemID(2))
    lanes.unqueue(ItemID(77))
    #expect(drained(lanes) == [1, 3, 4])
    lanes.queue(ItemID(2), atHead: false)
    #expect(drained(lanes) == [1, 3, 4, 2], "the old place does not count")
    lanes.unqueue(ItemID(2))
    lanes.queue(ItemID(2), atHead: true)
    #expect(drained(lanes) == [2, 1, 3, 4])
  }

  @Test(
    arguments: [
      (3, 1, [3, 1, 2, 4]), (1, 4, [2, 3, 1, 4]), (1, nil, [2, 3, 4, 1]), (4, 3, [1, 2, 4, 3]),
      (1, 99, [2, 3, 4, 1]), (99, 1, [1, 2, 3, 4]), (2, 2, [1, 3, 4, 2]),
    ] as [(Int64, Int64?, [Int64])])
  func moving(_ item: Int64, before other: Int64?, _ order: [Int64]) {
    var lanes = lanes(1, 1...4)
    lanes.move(ItemID(item), before: other.map { ItemID($0) })
    #expect(drained(lanes) == order)
  }

  @Test func movingKeepsTheHeadAndForgetsTheCrossedOut() {
    var lanes = lanes(1, 1...4)
    lanes.queue(ItemID(9), atHead: true)
    lanes.unqueue(ItemID(2))
    lanes.move(ItemID(4), before: ItemID(9))
    #expect(drained(lanes) == [4, 9, 1, 3])
  }

  @Test(
    arguments: [
      ([4, 3, 2, 1], [4, 3, 2, 1]), ([3], [3, 9, 1, 2, 4]), ([2, 9, 77, 2], [2, 9, 1, 3, 4]),
      ([], [9, 1, 2, 3, 4]),
    ] as [([Int64], [Int64])])
  func arranging(_ order: [Int64], _ expected: [Int64]) {
    var lanes = lanes(1, 1...4)
    if expected.contains(9) { lanes.queue(ItemID(9), atHead: true) }
    lanes.arrange(order.map { ItemID($0) })
    #expect(drained(lanes) == expected)
  }

  @Test func noMoreThanTheLanes() {
    var lanes = lanes(2, 1...4)
    #expect([lanes.next(), lanes.next(), lanes.next()] == [ItemID(1), ItemID(2), nil])
    lanes.leave(ItemID(1))
    #expect([lanes.next(), lanes.next()] == [ItemID(3), nil])
    lanes.count = 1
    lanes.leave(ItemID(2))
    #expect(lanes.next() == nil, "one is under way, and one is allowed")
    lanes.count = 0
    #expect(lanes.count == 1)
    lanes.leave(ItemID(3))
    #expect(lanes.next() == ItemID(4))
    lanes.leave(ItemID(4))
    #expect(lanes.next() == nil)
  }

  @Test func companionsShareALaneUntilTheLastHasLeft() {
    var lanes = lanes(2, 1...6)
    #expect(lanes.next() == ItemID(1))
    #expect(Array(lanes.waiting) == (2...6).map { ItemID($0) })
    for number: Int64 in [2, 4, 1] { lanes.join(ItemID(number), to: ItemID(1)) }
    lanes.join(ItemID(5), to: ItemID(99))
    #expect(Array(lanes.waiting) == [3, 5, 6].map { ItemID($0) })
    #expect([lanes.next(), lanes.next()] == [ItemID(3), nil])
    lanes.leave(ItemID(1))
    lanes.leave(ItemID(4))
    #expect(lanes.next() == nil)
    // The first one may be under way again before the last one of its old company has left.
    lanes.queue(ItemID(1), atHead: true)
    lanes.leave(ItemID(3))
    #expect([lanes.next(), lanes.next()] == [ItemID(1), nil])
    lanes.leave(ItemID(2))
    #expect([lanes.next(), lanes.next()] == [ItemID(5), nil])
  }

  /// A line in which leaving searched would take 10^10 steps here, and the test would not end.
  @Test(.timeLimit(.minutes(5))) func aHundredThousandStayCheap() {
    let all = Int64(100_000)
    var lanes = lanes(1, 1...all)
    for number in stride(from: all, to: 0, by: -2) { lanes.unqueue(ItemID(number)) }
    #expect(drained(lanes) == Array(stride(from: 1, to: all, by: 2)))
    for number in 1...all { lanes.queue(ItemID(number), atHead: true) }
    for number in 1...all where number != 5 { lanes.unqueue(ItemID(number)) }
    #expect(lanes.next() == ItemID(5))
  }
}
