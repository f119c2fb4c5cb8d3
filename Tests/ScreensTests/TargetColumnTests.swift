import Testing
import UploadModel

@testable import Screens

/// The names of targets in the queue.
@Suite struct TargetColumnTests {
  private static func queue(_ width: Int, _ targets: [String], name: String = "photo.jpg")
    -> AppState
  {
    var state = Fixture.empty(size: Size(width: width, height: 24))
    let items = targets.enumerated().map { index, target in
      var item = Fixture.item(Int64(index) + 1, name, type: "image/jpeg")
      item.target = target
      return item
    }
    Fixture.play(&state, .added(items))
    return state
  }

  /// What the rows have in the column.
  private static func shown(_ state: AppState) -> [String] {
    let frame = render(state, size: state.size)
    let columns = state.columns(in: state.layout).target
    return (0..<state.queue.count).map { row in
      columns.map { frame.at(state.layout.rows.lowerBound + row, $0).glyph.text }.joined()
        .trimming { $0 == " " }
    }
  }

  @Test(
    arguments: [60, 76, 80, 100, 130, 160],
    [
      ["closemid", "closeend", "x"], ["backup-2025-nas", "backup-2026-nas"],
      ["photos-of-the-sea-01", "photos-of-the-sea-02", "photos-of-the-sea-10"],
    ])
  func namesThatDifferAreToldApart(_ width: Int, _ targets: [String]) {
    for name in ["photo.jpg", "a name that is longer than any column.jpg"] {
      let state = Self.queue(width, targets, name: name)
      if state.columns(in: state.layout).target.isEmpty { continue }
      let shown = Self.shown(state)
      #expect(Set(shown).count == targets.count, "\(shown)")
    }
  }

  /// The reason of another try says more than the size.
  @Test(arguments: [76, 80, 100, 130])
  func whatIsTriedAgainKeepsItsReason(_ width: Int) {
    var state = Self.queue(width, ["nas", "photos"])
    let lost = Failure(.connectionLost("reset"), attempts: 4)
    Fixture.play(
      &state,
      .engine([(ItemID(1), .retrying(lost, next: 5, of: 5, at: state.now + 3))], at: state.now))
    let row = render(state, size: state.size).text.first { $0.contains("↻ photo") } ?? ""
    #expect(row.contains("connection lost · ") && row.contains("5/5 in 3 s"), "\(row)")
  }

  /// A target can be told by the beginning of its name, a reason cannot.
  @Test(arguments: [80, 100, 130])
  func aLongTargetLeavesRoomForTheReason(_ width: Int) {
    var state = Self.queue(width, ["a-target-with-quite-a-long-name", "nas"], name: "pic1.jpg")
    let lost = Failure(.outcomeUnknown("connection reset by the server"), attempts: 1)
    Fixture.play(&state, .engine([(ItemID(1), .failed(lost))], at: state.now), .key("G"))
    let row = render(state, size: state.size).text.first { $0.contains("? pic1") } ?? ""
    #expect(row.contains("may have arrived · connection "), "\(row)")
  }

  @Test(arguments: [80, 130, 200])
  func namesAreWholeIfThereIsRoom(_ width: Int) {
    let targets = ["closemid", "closeend", "xearly413"]
    #expect(Self.shown(Self.queue(width, targets)) == targets)
  }

  @Test func whatIsCutIsCutAtItsEnd() {
    let long = "a name that is longer than any column.jpg"
    let shown = Self.shown(Self.queue(80, ["photographs", "nas"], name: long))
    #expect(shown[0].hasPrefix("photo") && shown[0].hasSuffix("…"), "\(shown)")
  }
}
