import Testing
import UploadModel

@testable import UploadEngine

/// What lanes do not show of a line, for nobody stands twice in theirs.
struct LineTests {
  private func ids(_ numbers: [Int64]) -> [ItemID] { numbers.map { ItemID($0) } }

  @Test func whoLeftIsNotThere() {
    var line = Line(ids([1, 2, 3]))
    #expect(line.leave(ItemID(2)) && !line.leave(ItemID(2)) && !line.contains(ItemID(2)))
    #expect(Array(line) == ids([1, 3]))
    #expect([line.popFirst(), line.popFirst(), line.popFirst()] == ids([1, 3]) + [nil])
    #expect(line.isEmpty)
  }

  /// Searching for each would take 10^10 steps here, and the test would not end.
  @Test(.timeLimit(.minutes(5))) func aHundredThousandLeaveQuickly() {
    let all = (1...100_000).map { ItemID($0) }
    var line = Line(all)
    for id in all.reversed() where id != ItemID(50_000) { line.leave(id) }
    #expect(Array(line) == [ItemID(50_000)])
  }
}
