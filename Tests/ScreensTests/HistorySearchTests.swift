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

  private static func request(
    _ filter: String = "", limit: Int = 1000, counts: Bool = false
  ) -> HistoryRequest {
    var request = HistoryRequest(filter: filter)
    (request.limit, request.countsKinds) = (limit, counts)
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
        == [
          .listHistory(Self.request(counts: true)), .listHistory(Self.request("a")),
          .listHistory(Self.request("ab")),
        ])
    Fixture.play(&state, .history(.rows([Self.row("abc.txt")]), total: 4112), .key(.enter))
    #expect(state.history.selected?.name == "abc.txt")
    #expect(Self.title(state).contains("History · 1 with \"ab\" "), "\(Self.title(state))")
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

  /// Until the whole history has been counted, the prompt says that there may be more.
  @Test func thePromptCountsAllOfIt() {
    func prompt(_ state: AppState) -> String { render(state, size: state.size).text.last ?? "" }
    var state = Fixture.empty()
    let rows = (0..<1000).map { Self.row("\($0)", $0 < 89 ? .failed : .sent) }
    Fixture.play(&state, .key("3"), .history(.rows(rows), total: 2056, isCut: true))
    #expect(Fixture.type("f", &state) == [.listHistory(Self.request(counts: true))])
    #expect(prompt(state).contains("failed (89+)  sent (911+)"), "\(prompt(state))")
    let counts = ["failed": 140, "unknown": 3, "sent": 1913]
    Fixture.play(&state, .history(.rows(rows), total: 2056, isCut: true, counts: counts))
    #expect(prompt(state).contains("failed (140)  unknown (3)  sent (1,913)"), "\(prompt(state))")
    // They are not counted again once the prompt is closed, and nothing is read for closing it.
    #expect(Fixture.play(&state, .key(.escape)) == [])
    #expect(Fixture.play(&state, .key(.function(5))) == [.listHistory(Self.request())])
    Fixture.play(&state, .history(.rows(Array(rows[..<90])), total: 90))
    #expect(Fixture.type("f", &state) == [], "all of it is listed")
    #expect(prompt(state).contains("failed (89)  sent (1)"), "\(prompt(state))")
  }

  @Test func filesAreCountedBeyondTheLimit() {
    var search = HistorySearch(Self.request(limit: 2, counts: true))
    let rows = [
      Self.row("a"), Self.row("b", .failed), Self.row("c", .failed), Self.row("c", id: "0"),
      Self.row("a", .failed, id: "0"),
    ]
    #expect(rows.filter { search.takes($0) }.map(\.id) == ["a ", "b ", "a 0"])
    #expect(search.isFull && !search.isDone)
    #expect(search.counts == ["sent": 1, "failed": 2])
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

  @Test func aFilterIsReadableInTheTitle() {
    var state = Fixture.empty()
    let rows = (0..<61).map { Self.row("\($0)", $0 < 17 ? .failed : .sent) }
    Fixture.play(&state, .key("3"), .history(.rows(rows), total: 4112, isCut: true))
    Fixture.type("ffailed", &state)
    #expect(Self.title(state).contains("History · 17 \"failed\" "), "\(Self.title(state))")
    Fixture.play(&state, .resized(Size(width: 130, height: 24)))
    #expect(Self.title(state).contains("History 4,112 · 17 with \"failed\" "))
  }

  /// In a window of the usual size, dates are short, so that reasons have room, and the server's words come before the
  /// phrase for a status.
  @Test func reasonsHaveRoom() {
    var state = Fixture.empty()
    func row(_ name: String, _ days: Double, _ day: String, _ said: String) -> HistoryRow {
      var row = HistoryRow(
        id: name, name: name, target: name, size: 1, time: "2026-11-\(20 + Int(-days)) 22:15",
        day: day, at: state.now + -days * 86_400, end: .failed, outcome: "401 Unauthorized",
        path: "/\(name)", reply: Reply(text: said))
      row.status = 401
      return row
    }
    let rows = [
      row("a.jpg", 0, "today", "the token is unknown"), row("b.jpg", 1, "yesterday", "bad token"),
      row("c.jpg", 1, "yesterday", ""),
    ]
    Fixture.play(&state, .key("3"), .history(.rows(rows)))
    let text = render(state, size: state.size).text
    #expect(text[3].contains(" today 22:15 ") && text[3].contains("401 · the token is unknown"))
    #expect(text[4].contains(" 11-19 22:15 ") && text[4].contains("401 Unauthorized · bad token"))
    #expect(text[5].contains("       22:15 ") && text[5].contains("401 Unauthorized "))
    // What is longer than its column is cut behind the number.
    #expect(rows[0].outcome(fitting: 16) == "401 · the token…")
    #expect(rows[2].outcome(fitting: 10) == "401 Unaut…")
    // Long ago, the year matters more than the time of day.
    var old = rows[1]
    old.instant = state.now + -400 * 86_400
    #expect(old.shortTime(below: nil, at: state.now) == "2026-11-19")
  }

  /// That a file may be on the server is what matters, and it comes last.
  @Test func thatAFileMayHaveArrivedIsNotCut() {
    var row = Fixture.historyRows[1]
    (row.outcome, row.status, row.end) = ("302 Found, may have arrived", 302, .unknown)
    let forms = [27: row.outcome, 26: "302, may have arrived", 20: "may have arrived"]
    for (width, words) in forms { #expect(row.outcome(fitting: width) == words) }
    (row.outcome, row.status) = ("500 Internal Server Error, may have arrived", 500)
    var state = Fixture.empty()
    row.name = "a name that is longer than any column that there is.jpg"
    Fixture.play(&state, .key("3"), .history(.rows([row])))
    let text = render(state, size: state.size).text[3]
    #expect(text.contains("500, may have arrived"), "\(text)")
  }

  /// It is read from its beginning.
  @Test func anOutcomeIsCutAtItsEnd() {
    var row = Fixture.historyRows[1]
    row.outcome = "200, but the reply broke off after 4 of 100 bytes"
    #expect(row.outcome(fitting: 24) == "200, but the reply brok…")
    #expect(row.outcome(fitting: 60) == row.outcome)
  }
}
