import ScalarText
import Testing
import UploadModel

@testable import Screens

/// The room that the reason of a failure has in its row.
@Suite struct ReasonRowTests {
  private static let said =
    "uploads of this kind are taken between 6 and 22 o'clock, on weekdays only"

  private static func queue(_ size: Size, count: Int64 = 8, said: String = said) -> AppState {
    var state = Fixture.empty(size: size)
    let failure = Failure(.refused, status: 403, reply: Reply(text: said), attempts: 1)
    Fixture.play(
      &state,
      .added((1...count).map { Fixture.item($0, "\($0).bin", state: .failed(failure)) }))
    return state
  }

  private static func place(_ state: AppState) -> Range<Int> {
    state.columns(in: state.layout).words
  }

  /// What the rows' reasons say, line by line.
  private static func reasons(_ state: AppState) -> [String] {
    let frame = render(state, size: state.size)
    let columns = place(state)
    return state.layout.rows.map { line in
      columns.map { frame.at(line, $0).glyph.text }.joined().trimming { $0 == " " }
    }
  }

  @Test(arguments: [60, 76, 80, 90, 100, 120, 121, 130, 160, 200], [16, 24, 40])
  func theSelectedRowHasTwoLinesForTheReason(_ width: Int, _ height: Int) {
    var state = Self.queue(Size(width: width, height: height))
    for key: Key in ["g", "j", "G"] {
      Fixture.play(&state, .key(key))
      let lines = state.queueLines(state.layout)
      let reasons = Self.reasons(state)
      let place = lines.firstIndex(of: state.list.cursor) ?? 0
      let room = Self.place(state).count
      let isLong = "403 · \(Self.said)".count > room
      let second = isLong ? reasons[place + 1] : ""
      let whole = "\(reasons[place]) \(second)".trimming { $0 == " " }
      #expect(whole.hasSuffix(Self.said) || whole.hasSuffix("…"), "\(whole)")
      // Each line is used as far as words go.
      #expect(!isLong || whole.count > room, "\(whole) in \(room)")
      #expect(lines.filter { $0 == state.list.cursor }.count == (isLong ? 2 : 1))
    }
  }

  @Test func aNumberIsNotCutInTwo() {
    let said = "The file in part 1 is longer than 2000000 bytes."
    let reasons = Self.reasons(Self.queue(Size(width: 80, height: 24), said: said))
    #expect(reasons[3] == "403 · The file in part 1 is longer …", "\(reasons)")
    for width in 1...60 {
      let cut = TextFitting.beginning(of: Glyphs.of(said, ascii: true), to: width, ascii: true)
      let words = cut.map(\.text).joined()
      #expect(cut.count <= width && (words == said || words.hasSuffix("~")), "\(words)")
      #expect(!words.contains("2") || words.contains("2000000"), "\(words)")
    }
  }

  /// The column of the sizes is whole, however long the reasons are.
  @Test(
    arguments: [80, 100, 130],
    [said, "you may not write to this folder", "quota of this bucket is used up", "no"])
  func theSizeStays(_ width: Int, _ said: String) {
    let state = Self.queue(Size(width: width, height: 24), said: said)
    let row = render(state, size: state.size).text[state.layout.rows.lowerBound + 4]
    #expect(row.contains(" 1.0 kB ") && row.contains(said.prefix(20)), "\(row)")
  }

  /// A file that may not be read has a size. What is no file, or was never seen, has none.
  @Test func aSizeThatIsNotKnownIsNotShown() throws {
    var state = Fixture.empty(size: Size(width: 120, height: 40))
    var items = [Fixture.item(1, "shut", size: 12_345), Fixture.item(2, "pipe", size: 0)]
    for index in items.indices {
      items[index].identity = nil
      items[index].state = .failed(Failure(.unreadable("Permission denied")))
    }
    Fixture.play(&state, .added(items + [Fixture.item(3, "empty", size: 0)]))
    let text = render(state, size: state.size).text
    func row(_ name: String) throws -> String {
      try #require(text.first { $0.contains(" \(name) ") }, "\(text)")
    }
    #expect(try row("shut").contains(" 12 kB") && row("empty").contains(" 0 B"))
    #expect(try !row("pipe").contains(" 0 B"))
    Fixture.play(&state, .key("j"), .key(.enter))
    let details = render(state, size: state.size).text
    #expect(!details.contains { $0.contains("Size ") }, "\(details)")
  }

  /// A type that fills its column, and the reason that comes after it where sizes are not shown.
  @Test(arguments: [60, 76, 80, 100, 130])
  func theReasonStandsApartFromTheType(_ width: Int) {
    let state = Self.queue(Size(width: width, height: 24), said: "quota of this bucket is used up")
    let row = render(state, size: state.size).text[state.layout.rows.lowerBound]
    #expect(row.contains(/(text\/plain|kB)  (403 · quota|failed: 403)/), "\(row)")
  }

  /// The column of targets leaves less room.
  @Test(arguments: [60, 76, 80, 90, 100])
  func aWaitSaysWhatItIsFor(_ width: Int) {
    var state = Fixture.empty(size: Size(width: width, height: 24))
    var items = [Fixture.item(1, "a.txt"), Fixture.item(2, "b.txt")]
    items[1].target = "nas"
    Fixture.play(
      &state, .added(items), .pace(target: "photos", until: state.now + 4),
      .pace(target: "nas", until: state.now + 9))
    let rows = render(state, size: state.size).text[state.layout.rows]
    #expect(rows.contains { $0.contains("too many") && $0.contains(" 4 s") }, "\(rows)")
    #expect(rows.contains { $0.contains("too many") && $0.contains(" 9 s") }, "\(rows)")
  }

  @Test func theMouseFindsTheRowsBelowTheSecondLine() {
    var state = Self.queue(Size(width: 80, height: 24))
    let top = state.layout.rows.lowerBound
    Fixture.play(&state, .mouse(Mouse(.click, row: top + 2, column: 10)))
    #expect(state.selected?.fileName == "2.bin")
    // The second line belongs to its row: another click there opens it.
    Fixture.play(&state, .mouse(Mouse(.click, row: top + 2, column: 10)))
    #expect(state.mode == .details)
  }

  /// More rows than lines: the row under the cursor and its second line stay in sight.
  @Test func theLastRowInSightHasItsSecondLine() {
    var state = Self.queue(Size(width: 80, height: 24), count: 40)
    for _ in 0..<40 {
      let lines = state.queueLines(state.layout)
      #expect(lines.count == state.layout.rows.count)
      #expect(lines.filter { $0 == state.list.cursor }.count == 2)
      Fixture.play(&state, .key("j"))
    }
  }
}
