import Testing
import UploadModel

@testable import Screens

/// Filters by what rows are: their state, their day.
@Suite struct RowFilterTests {
  private static func filter(_ text: String, _ state: inout AppState) {
    Fixture.type("f", &state)
    Fixture.play(&state, .key(.control("u")))
    Fixture.type(text, &state)
    Fixture.play(&state, .key(.enter))
  }

  private static func names(_ state: AppState) -> [String] {
    (0..<state.rowCount).compactMap { state.row($0)?.item.fileName }
  }

  @Test(
    arguments: [
      ("failed", ["disk.img", "gone.txt", "stopped.txt"]), ("unknown", ["lost.bin"]),
      ("sent", ["notes.txt"]), ("done", ["notes.txt"]), ("OK", ["notes.txt"]),
      (
        "sending",
        [
          "IMG_0001.jpg", "report.pdf", "a name that is much longer than any column.tar.gz",
        ]
      ),
      ("retrying", ["clip.mp4"]), ("paused", ["paused.bin"]),
      ("failed txt", ["gone.txt", "stopped.txt"]),
      ("txt failed", ["gone.txt", "stopped.txt"]), ("failed sent", []),
      ("stopped", ["stopped.txt"]),
      ("img", ["IMG_0001.jpg", "disk.img"]), ("faile", []),
    ])
  func theQueueShowsWhatIsAskedFor(_ text: String, _ names: [String]) {
    var state = Fixture.mixed()
    Self.filter(text, &state)
    #expect(Self.names(state) == names)
  }

  /// Files that go to several targets are found by their targets as well.
  @Test func theTargetIsLookedAt() {
    var items = ["1.jpg", "2.jpg", "nas.txt"].enumerated().map { Fixture.item(Int64($0), $1) }
    for (index, target) in ["photos", "nas", "photos"].enumerated() { items[index].target = target }
    var state = Fixture.empty(size: Size(width: 120, height: 24))
    Fixture.play(&state, .added(items))
    for (filter, names) in [
      ("nas", ["2.jpg", "nas.txt"]), ("nas jpg", ["2.jpg"]),
      ("waiting photos", ["1.jpg", "nas.txt"]),
    ] {
      Self.filter(filter, &state)
      #expect(Self.names(state) == names, "\(filter)")
    }
    Self.filter("reset", &state)
    #expect(
      render(state, size: state.size).text.contains {
        $0.contains("No name or target contains \"reset\"")
      })
    // If all go to the same target, its name tells nothing.
    Fixture.play(&state, .key(.escape), .removed([items[1].id]))
    Self.filter("photos", &state)
    #expect(Self.names(state) == [])
  }

  @Test func aNameMayBeTheWordOfAState() {
    var state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "failed.log"), Fixture.item(2, "b")]))
    Self.filter("failed", &state)
    #expect(Self.names(state) == ["failed.log"])
    Self.filter("waiting b", &state)
    #expect(Self.names(state) == ["b"])
  }

  @Test func rowsComeAndGoAsTheirStatesChange() {
    var state = Fixture.empty()
    Fixture.play(&state, .added((1...4).map { Fixture.item($0, "\($0).txt") }))
    Self.filter("failed", &state)
    #expect(
      render(state, size: state.size).text.contains { $0.contains("Nothing matches \"failed\"") })
    func fail(_ ids: Int64...) {
      let failed = ItemState.failed(Fixture.tooLarge)
      Fixture.play(&state, .engine(ids.map { (ItemID($0), failed) }, at: state.now))
    }
    fail(2, 4)
    #expect(Self.names(state) == ["2.txt", "4.txt"])
    Fixture.type("j", &state)
    fail(1, 3)
    #expect(Self.names(state).count == 4 && state.selected?.fileName == "4.txt")
    // The row under the cursor goes, and the cursor stays on the screen.
    Fixture.play(&state, .engine([(ItemID(4), .waiting), (ItemID(2), .waiting)], at: state.now))
    #expect(Self.names(state) == ["1.txt", "3.txt"] && state.selected?.fileName == "3.txt")
    // Progress alone changes nothing.
    let version = state.queue.kindsVersion
    for sent in 1...3 {
      let sending = ItemState.sending(attempt: 1, sent: Int64(sent), total: 1000)
      Fixture.play(&state, .engine([(ItemID(2), sending)], at: state.now))
    }
    #expect(state.queue.kindsVersion == version + 1)
  }

  private static func history() -> AppState {
    var state = Fixture.empty()
    func row(_ name: String, _ time: String, _ day: String? = nil, _ end: HistoryRow.End = .sent)
      -> HistoryRow
    {
      HistoryRow(
        id: name, name: name, target: "nas", size: 1, time: time, day: day, end: end, outcome: "",
        path: "/\(name)")
    }
    Fixture.play(
      &state, .key("3"),
      .history(
        .rows([
          row("a", "2026-11-21 09:15", "today"), row("b", "2026-11-21 08:00", "today", .failed),
          row("c", "2026-11-20 23:59", "yesterday", .unknown), row("d", "2026-11-19 08:00"),
          row("e", "2026-11-19 07:00"),
        ])))
    return state
  }

  @Test(
    arguments: [
      ("today", ["a", "b"]), ("yesterday", ["c"]), ("2026-11-20", ["c"]),
      ("2026-11-19", ["d", "e"]),
      ("2026-11", ["a", "b", "c", "d", "e"]), ("2026-11-1", ["d", "e"]), ("failed", ["b"]),
      ("today failed", ["b"]), ("today sent", ["a"]), ("sent d", ["d"]), ("2026-10", []),
      ("2026", []),
    ])
  func theHistoryShowsADayOrAnEnd(_ text: String, _ names: [String]) {
    var state = Self.history()
    Self.filter(text, &state)
    #expect((0..<state.shown.count).compactMap { state.history.row($0)?.name } == names)
  }

  @Test func aDayIsNamedOnceAndTheTopLineAlwaysNamesIt() {
    var state = Self.history()
    let days = ["today 09:15", "08:00", "11-20 23:59", "11-19 08:00", "07:00"]
    func seen() -> [String] {
      state.layout.rows.map { render(state, size: state.size).text[$0] }.filter { $0.contains(":") }
    }
    for (line, day) in zip(seen(), days) { #expect(line.contains(day), "\(line)") }
    #expect(!seen()[1].contains("today") && !seen()[4].contains("11-19"))
    Fixture.play(&state, .resized(Size(width: 80, height: 10)), .key(.end), .key(.up))
    #expect(seen().first?.contains("11-20") == false || state.history.list.scroll < 3)
    Fixture.play(&state, .resized(Size(width: 80, height: 24)), .key("o"))
    #expect(seen()[1].contains("today") == false && state.historyOrder == .name)
  }

  /// The words that find something are shown until something is typed.
  @Test func thePromptHintsAtItsWords() {
    var state = Fixture.mixed()
    func last(_ state: AppState) -> String { render(state, size: state.size).text.last ?? "" }
    Fixture.type("f", &state)
    let hint = last(state)
    #expect(hint.hasPrefix(" filter   failed (3)  unknown (1)  sent (1)  waiting ("), "\(hint)")
    #expect(!hint.contains("doubtful"))
    Fixture.type("x", &state)
    #expect(last(state) == " filter x")
    var other = Fixture.empty()
    Fixture.play(&other, .history(.rows(Fixture.historyRows)), .key("3"), .key("f"))
    #expect(last(other).contains("failed (1)  sent (1)"), "\(last(other))")
  }
}
