import Testing
import UploadModel

@testable import Scheduling

@Suite("Files that stay together in a request")
struct BatchGroupsTests {
  private func ids(_ numbers: Int64...) -> [ItemID] { numbers.map { ItemID($0) } }

  @Test("each of them leads to all of them")
  func members() {
    var groups = BatchGroups()
    groups.add(ids(1, 2))
    groups.add(ids(3, 4))
    #expect(groups[ItemID(2)] == ids(1, 2) && groups[ItemID(3)] == ids(3, 4))
    #expect(groups[ItemID(5)] == nil)
  }

  @Test("if one leaves, the others are free")
  func dissolving() {
    var groups = BatchGroups()
    groups.add(ids(1, 2, 3))
    groups.dissolve(with: ItemID(2))
    #expect(ids(1, 2, 3).allSatisfy { groups[$0] == nil } && groups.all.isEmpty)
    groups.dissolve(with: ItemID(2))
  }

  @Test("a file that joins another group leaves its own")
  func regrouping() {
    var groups = BatchGroups()
    groups.add(ids(1, 2))
    groups.add(ids(2, 3))
    #expect(groups[ItemID(1)] == nil && groups[ItemID(2)] == ids(2, 3))
    #expect(Array(groups.all) == [ids(2, 3)])
  }
}
