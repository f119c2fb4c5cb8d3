import Testing
import UploadModel

@testable import Screens

/// The history is searched where it is stored, and read further as one scrolls.
@Suite struct HistorySearchTests {
  private static func row(
    _ name: String, _ end: HistoryRow.End = .sent, target: String = "photos", id: String = ""
  ) -> HistoryRow {
    HistoryRow(
      id: "\(name) \(id)", name: name, target: target, size: 1, time: "2026-11-20 22:15", end: end,
      outcome: "201 Created", path: "/home/me/\(name)")
  }

  private static func rows(_ count: Int) -> [HistoryRow] { (0..<count).map { row("\($0).bin") } }

  private static func request(_ filter: String = "", limit: Int = 1000) -> HistoryRequest {
    var request = HistoryRequest(filter: filter)
    request.limit = limit
    return request
  }

  private static func title(_ state: AppState) -> String { render(state, size: state.size).text[1] }

  @Test func theTitleSaysOfHowMany() {
    var state = Fixture.empty()
    Fixture.play(
      &state, .key("3"), .history(.rows(Self.rows(996)), total: 4112, isCut: true))
    #expect(Self.title(state).contains("History 996 of 4,112"), "\(Self.title(state))")
    Fixture.play(&state, .history(.rows(Self.rows(30)), total: 30))
    #expect(Self.title(state).contains("History 30 "), "\(Self.title(state))")
  }

  @Test func itReadsOnAsThePersonScrolls() {
    var state = Fixture.empty()
    Fixture.play(&state, .key("3"), .history(.rows(Self.rows(1000)), total: 4112, isCut: true))
    #expect(Fixture.play(&state, .key(.pageDown)) == [])
    #expect(Fixture.play(&state, .key("G")) == [.listHistory(Self.request(limit: 2000))])
    // Once, until the answer is there; the cursor stays on its row.
    #expect(Fixture.play(&state, .key("k")) == [])
    let name = state.history.selected?.name
    Fixture.play(&state, .history(.rows(Self.rows(2000)), total: 4112, isCut: true))
    #expect(state.history.selected?.name == name)
    #expect(Fixture.play(&state, .key("G")) == [.listHistory(Self.request(limit: 4000))])
    Fixture.play(&state, .history(.rows(Self.rows(3000)), total: 3000))
    #expect(Fixture.play(&state, .key("G")) == [], "there is no more")
    // It is read again as far as it was read.
    Fixture.type("1", &state)
    #expect(Fixture.type("3", &state) == [.listHistory(Self.request(limit: 4000))])
  }

  /// The filter looks through all of it, so that the answer has no rows.
  @Test func whatIsNotFoundIsSaid() {
    var state = Fixture.empty()
    Fixture.play(&state, .key("3"), .history(.rows(Self.rows(9)), total: 9))
    Fixture.type("fxyz", &state)
    Fixture.play(&state, .history(.rows([]), total: 9))
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("No name or target contains \"xyz\"."), "\(text)")
    #expect(!text.contains("Nothing has been sent yet."), "\(text)")
  }

  /// The filter also looks at where files went, here and where the history is searched.
  @Test func itFindsTargets() {
    let rows = ["photos", "tickets"].flatMap { target in
      ["a.pdf", "b.jpg"].map { Self.row($0, target: target, id: target) }
    }
    for (filter, count) in [("tick", 2), ("tickets jpg", 1), ("pdf", 2), ("tickets sent", 2)] {
      var search = HistorySearch(Self.request(filter))
      #expect(rows.count { search.takes($0) } == count, "\(filter)")
      var state = Fixture.empty()
      Fixture.play(&state, .key("3"), .history(.rows(rows), total: 4))
      Fixture.type("f" + filter, &state)
      #expect(state.shown.count == count, "\(filter)")
    }
  }

  /// Files of the same name are told apart by where they went, in a window of the usual size as well.
  @Test func severalTargetsAreNamed() {
    var state = Fixture.empty()
    let rows = ["photos", "tickets"].map { Self.row("report.pdf", target: $0, id: $0) }
    Fixture.play(&state, .key("3"), .history(.rows(rows)))
    var text = render(state, size: state.size).text
    #expect(text[2].contains("TARGET") && !text[2].contains("TRY"), "\(text[2])")
    #expect(text[3].contains("report.pdf") && text[3].contains(" photos "), "\(text[3])")
    #expect(text[4].contains("tickets ") && text[4].contains("201 Created"), "\(text[4])")
    Fixture.play(&state, .history(.rows([rows[0]])))
    text = render(state, size: state.size).text
    #expect(!text[2].contains("TARGET") && text[2].contains("TRY"), "\(text[2])")
  }

  /// A file that was sent without the queue is recorded when its attempt ends.
  @Test func theNewestFirstAreThoseThatBeganLast() {
    var state = Fixture.empty()
    let rows = [("pushed", 10.0), ("later", 30), ("earlier", 20)].map { name, second in
      var row = Self.row(name)
      row.instant = Instant(seconds: second)
      return row
    }
    Fixture.play(&state, .key("3"), .history(.rows(rows), total: 3))
    #expect((0..<3).map { state.history.row($0)?.name } == ["later", "earlier", "pushed"])
  }

  @Test func theFilterLooksThroughAll() {
    var state = Fixture.empty()
    Fixture.play(&state, .key("3"), .history(.rows(Self.rows(1000)), total: 4112, isCut: true))
    #expect(
      Fixture.type("fab", &state)
        == [.listHistory(Self.request("a")), .listHistory(Self.request("ab"))])
    Fixture.play(&state, .history(.rows([Self.row("abc.txt")]), total: 4112), .key(.enter))
    #expect(state.history.selected?.name == "abc.txt")
    #expect(Self.title(state).contains("History 4,112 · 1 with "), "\(Self.title(state))")
    #expect(Fixture.play(&state, .key(.escape)) == [.listHistory(Self.request())])
    #expect(
      Fixture.play(&state, .command("filter failed")) == [.listHistory(Self.request("failed"))])
    // A search says where it has looked.
    state = Fixture.empty()
    Fixture.play(&state, .key("3"), .history(.rows(Self.rows(1000)), total: 4112, isCut: true))
    Fixture.type("/needle", &state)
    Fixture.play(&state, .key(.enter))
    #expect(
      state.message == "none of the latest 1,000 names contains that text; f looks through all")
  }

  @Test func theLatestAttemptAtAFileDecides() {
    let attempts = [
      Self.row("a", id: "2"), Self.row("b", .failed), Self.row("a", .failed, id: "1"),
      Self.row("b", id: "0"), Self.row("a", .failed, target: "nas"), Self.row("c", .failed),
      Self.row("c", .failed, id: "0"), Self.row("d", .failed),
    ]
    func taken(_ request: HistoryRequest) -> (ids: [String], isFull: Bool) {
      var search = HistorySearch(request)
      return (
        attempts.filter { search.takes($0) }.map { "\($0.id)\($0.target.first ?? "-")" },
        search.isFull
      )
    }
    #expect(taken(Self.request("failed")).ids == ["b p", "b 0p", "a n", "c p", "c 0p", "d p"])
    #expect(taken(Self.request("A")).ids.isEmpty)
    #expect(taken(Self.request("a")).ids == ["a 2p", "a 1p", "a n"])
    let two = taken(Self.request(limit: 2))
    #expect(two.ids == ["a 2p", "b p", "a 1p", "b 0p"] && two.isFull)
    #expect(!taken(Self.request(limit: 5)).isFull)
  }

  /// It is read from its beginning.
  @Test func anOutcomeIsCutAtItsEnd() {
    var row = Fixture.historyRows[1]
    row.outcome = "200, but the reply broke off after 4 of 100 bytes"
    #expect(row.outcome(fitting: 24) == "200, but the reply brok…")
    #expect(row.outcome(fitting: 60) == row.outcome)
  }
}
