import Testing

@testable import Scheduling

@Suite("The pace of the queue's disk")
struct DiskPaceTests {
  private func pace(_ milliseconds: [Double]) -> DiskPace {
    var pace = DiskPace()
    for duration in milliseconds { pace.record(duration / 1000) }
    return pace
  }

  @Test(
    "the median of the last nine writes says whether the disk is slow",
    arguments: [
      ([], true), ([0.5], false), ([12], true),
      // A single slow write changes nothing, wherever it comes.
      ([12, 0.5, 0.5], false), ([0.5, 0.5, 200], false),
      ([0.5, 0.5, 0.5, 0.5, 12, 12, 12, 12], true),
      ([0.5, 0.5, 0.5, 0.5, 0.5, 12, 12, 12, 12], false),
      // In between, it stays what it was.
      ([12, 3.5, 3.5], true), ([0.5, 3.5, 3.5], false), ([0.5, 4, 4], true),
      ([12, 2.9, 2.9], false),
      // Only the last nine count.
      ([12, 12, 12, 12, 12, 12, 12, 12, 12, 0.5, 0.5, 0.5, 0.5, 0.5], false),
      ([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 12, 12, 12, 12], false),
    ])
  func slow(_ milliseconds: [Double], _ isSlow: Bool) {
    #expect(pace(milliseconds).isSlow == isSlow)
  }

  @Test("a disk on the border changes seldom")
  func border() {
    var pace = pace([2, 2, 2])
    var changes = 0
    for number in 0..<1000 {
      let before = pace.isSlow
      // Every fourth write is slow.
      pace.record(number % 4 == 0 ? 0.02 : 0.0028)
      if pace.isSlow != before { changes += 1 }
    }
    #expect(changes == 0)
  }

  @Test(
    "on a quick disk, as many requests are claimed ahead as take 20 milliseconds; on a slow one none",
    arguments: [
      (0.5, 0.0001, 16), (0.5, 0.002, 10), (0.5, 0.007, 2), (0.5, 0.02, 1), (0.5, 2, 1),
      (0.5, 0, 1), (12, 0.0001, 0), (12, 2, 0),
    ])
  func ahead(_ milliseconds: Double, _ request: Double, _ count: Int) {
    #expect(pace([milliseconds]).ahead(ofRequestsTaking: request) == count)
  }

  @Test(
    "on a slow disk all ends are waited for, half of a write, but no more than five milliseconds",
    arguments: [
      (6, 0.0001, 0.003), (40, 0.0001, 0.005), (40, 0.039, 0.005), (40, 0.05, 0),
    ])
  func patience(_ milliseconds: Double, _ request: Double, _ seconds: Double) {
    let patience = pace([milliseconds]).patience(withRequestsTaking: request, claimed: 64)
    #expect(patience == (seconds, 0))
  }

  @Test(
    "on a quick disk a quarter of the ends are waited for, if requests take less than two milliseconds",
    arguments: [
      (0.5, 0.0001, 64, 0.002, 48), (0.5, 0.0019, 5, 0.002, 4), (0.5, 0.002, 64, 0, 48),
      // In memory.
      (0.2, 0.0001, 64, 0, 48),
    ])
  func brief(
    _ milliseconds: Double, _ request: Double, _ claimed: Int, _ seconds: Double, _ left: Int
  ) {
    let patience = pace([milliseconds]).patience(withRequestsTaking: request, claimed: claimed)
    #expect(patience == (seconds, left))
  }
}
