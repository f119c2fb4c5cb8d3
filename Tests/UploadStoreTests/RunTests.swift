import Foundation
import Testing
import UploadModel

@testable import UploadStore

struct RunTests {
  private let harness: StoreHarness
  private let store: UploadStore

  init() throws {
    harness = try StoreHarness()
    store = try harness.open()
  }

  private func add(_ count: Int, to target: String) throws -> [ItemID] {
    try store.enqueue((0..<count).map { item("\($0)", target: target) }).map(\.id)
  }

  @Test("a run is kept until it is over, with those of its files that have failed or are paused")
  func runs() throws {
    let ids = try add(4, to: "a")
    let others = try add(1, to: "b")
    // It failed in no run, or in an earlier one.
    _ = try store.begin([ids[0]])
    try store.record([(ids[0], .failed(refused))])
    var point = RunPoint(.open)
    point.values = ["id": "7"]
    try store.keepRun(point, of: "a")
    _ = try store.begin([ids[1], ids[2], others[0]])
    try store.record([
      (ids[1], .failed(refused)),
      (others[0], .failed(refused)),
      (ids[2], .awaitingReply(attempt: 1, since: Instant(seconds: 0))),
      (ids[3], .paused),
    ])
    #expect(
      try store.runs()
        == [UploadStore.Run(target: "a", point: point, open: [ids[1], ids[3]])])
    // Nobody knows whether it has arrived.
    _ = try store.recover()
    #expect(try store.runs().first?.open == [ids[1], ids[2], ids[3]])
    point.phase = .closing
    try store.keepRun(point, of: "a")
    #expect(try store.runs().first?.point == point)
    try store.keepRun(nil, of: "a")
    #expect(try store.runs().isEmpty)
  }

  @Test("the ends of runs are listed by time, and forgotten with the history")
  func ends() throws {
    for (event, seconds) in [("closed", 100.0), ("close_failed", 200)] {
      try store.recordRunEnd(
        event, "words", of: "a", now: Date(timeIntervalSince1970: seconds))
    }
    let at = { Date(timeIntervalSince1970: $0) }
    #expect(
      try store.runEnds(from: nil, to: nil, limit: nil).map(\.event) == ["close_failed", "closed"])
    #expect(try store.runEnds(from: at(150), to: nil, limit: nil).map(\.event) == ["close_failed"])
    #expect(try store.runEnds(from: nil, to: at(150), limit: 1).map(\.event) == ["closed"])
    _ = try store.forget(before: at(150))
    #expect(try store.runEnds(from: nil, to: nil, limit: nil).count == 1)
  }
}
