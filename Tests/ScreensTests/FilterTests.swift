import Testing

@testable import Screens
@testable import UploadModel

/// The queue as a filter leaves it, while it is edited.
@Suite struct FilterTests {
  private static func queue(_ names: String...) -> AppState {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added(names.enumerated().map { Fixture.item(Int64($0) + 1, $1) }))
    return state
  }

  private static func filter(_ text: String, _ state: inout AppState) {
    Fixture.type("f" + text, &state)
    Fixture.play(&state, .key(.enter))
  }

  @Test func anEditThatTakesAFileOutOfSightKeepsTheCursorInTheList() {
    var state = Self.queue("a.txt", "b.txt")
    Self.filter("txt", &state)
    Fixture.type("je", &state)
    Fixture.play(&state, .key(.control("u")), .paste("b.log"), .key(.enter))
    #expect(state.rowCount == 1)
    #expect(state.selected?.fileName == "a.txt")
    // Undone and redone it comes and goes, and the cursor stays on what is seen.
    Fixture.type("z", &state)
    #expect(state.rowCount == 2)
    #expect(state.selected?.fileName == "a.txt")
    Fixture.type("jZ", &state)
    #expect(state.rowCount == 1)
    #expect(state.selected?.fileName == "a.txt")
  }

  @Test func whatIsPutBackUnderAFilterHasTheCursorWhereItIsSeen() {
    var state = Self.queue("1.log", "2.log", "3.txt", "4.log", "5.txt", "6.txt")
    Self.filter("txt", &state)
    Fixture.type("jx", &state)
    #expect(state.selected?.fileName == "6.txt")
    Fixture.type("z", &state)
    #expect(state.selected?.fileName == "5.txt")
    // What comes back out of sight leaves the cursor alone.
    Fixture.play(&state, .key("x"), .key(.escape))
    Self.filter("log", &state)
    Fixture.type("gjz", &state)
    #expect(state.selected?.fileName == "2.log")
  }

  /// Files move past their neighbours on the screen, whatever is hidden between them, and the marks stay.
  @Test(
    arguments: [
      ("G", "T", [6, 1, 2, 3, 4, 5]), ("G", "K", [1, 2, 6, 3, 4, 5]),
      ("g", "J", [2, 3, 1, 4, 5, 6]),
      ("g", "T", [1, 2, 3, 4, 5, 6]), ("G", "J", [1, 2, 3, 4, 5, 6]),
      ("g", "K", [1, 2, 3, 4, 5, 6]),
      (" j ", "T", [1, 6, 2, 3, 4, 5]), (" j ", "J", [2, 3, 4, 5, 1, 6]),
    ] as [(String, String, [Int64])])
  func filesAreMovedAmongThoseInSight(_ before: String, _ key: String, _ order: [Int64]) {
    var state = Self.queue("1.txt", "2.log", "3.txt", "4.log", "5.log", "6.txt")
    Self.filter("txt", &state)
    Fixture.type(before, &state)
    let marks = state.marks
    let effects = Fixture.type(key, &state)
    #expect(state.order.map(\.rawValue) == order)
    #expect(effects == [.bell] || state.message == nil, "\(state.message ?? "")")
    #expect(state.marks == marks && state.list.filter == "txt")
  }

  /// "Esc shows all again" costs no marks.
  @Test func whatAFilterHidesStaysMarked() {
    var state = Self.queue("a.txt", "b.txt")
    Fixture.type(" ", &state)
    Self.filter("none", &state)
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("Esc shows all 2 files again"), "\(text)")
    Fixture.play(&state, .key(.escape))
    #expect(state.rowCount == 2 && state.marks == [ItemID(1)])
    Fixture.play(&state, .key(.escape))
    #expect(state.marks.isEmpty)
  }

  /// In the history, the rows come from a file, and come back only once the filter is gone.
  @Test func withoutTheFilterTheCursorIsWhereItWas() {
    var state = Fixture.empty()
    let rows = Fixture.historyRows
    Fixture.play(&state, .history(.rows(rows)), .key("3"), .key("j"), .key("j"), .key("f"))
    let here = state.history.selected
    Fixture.type(rows[0].name, &state)
    Fixture.play(&state, .history(.rows([rows[0]])))
    #expect(
      state.history.selected?.name == rows[0].name && here?.name == rows[2].name,
      "\(state.shown.filter), \(state.mode), \(state.history.rows.count), \(String(describing: here?.name))"
    )
    var accepted = state
    Fixture.play(&state, .key(.escape), .history(.rows(rows)))
    #expect(state.history.selected == here)
    Fixture.play(&accepted, .key(.enter), .key(.escape), .history(.rows(rows)))
    #expect(accepted.history.selected == here)
  }

  /// A row that has gone is nowhere to go back to, also if it comes again much later.
  @Test func whatHasGoneIsNoPlaceToGoBackTo() {
    var state = Self.queue("a.txt", "b.log", "c.txt")
    Fixture.play(&state, .key("j"))
    Self.filter("txt", &state)
    Fixture.play(&state, .removed([ItemID(2)]), .key(.escape))
    let here = state.selected?.fileName
    Fixture.play(&state, .added([Fixture.item(4, "d.log")]), .added([Fixture.item(2, "b.log")]))
    #expect(state.selected?.fileName == here && here != "b.log", "\(String(describing: here))")
  }

  @Test func aNewListKeepsTheMarksOfWhatIsStillThere() {
    var state = Fixture.empty()
    state.options.listsServer = true
    Fixture.play(&state, .key("2"), .server(.rows(Fixture.serverRows)), .key(" "), .key(" "))
    // Another came first, the second is gone; the cursor is on the third.
    let fresh = ServerEntry(id: "9", name: "new.txt")
    Fixture.play(
      &state, .server(.rows([fresh, Fixture.serverRows[0], Fixture.serverRows[2]])))
    #expect(state.server.list.marks == ["1"])
    #expect(state.server.selected == Fixture.serverRows[2])
    Fixture.play(&state, .server(.failed("connection refused")))
    #expect(state.server.list.marks == [])
  }

  @Test func aPaneHasAFilterOfItsOwn() {
    var state = Self.queue("a.txt", "b.log")
    Self.filter("log", &state)
    Fixture.play(&state, .key("3"), .history(.rows(Fixture.historyRows)))
    Self.filter("no", &state)
    let text = render(state, size: state.size).text
    #expect(text[1].contains("History 3 · 1 with \"no\""))
    #expect(text.contains { $0.contains("notes.txt") })
    #expect(!text.contains { $0.contains("disk.img") })
    Self.filter("pe", &state)
    #expect(
      render(state, size: state.size).text.contains { $0.contains("No name or target contains") })
    Fixture.play(&state, .key(.escape))
    #expect(render(state, size: state.size).text.contains { $0.contains("disk.img") })
    #expect(Fixture.play(&state, .command("find disk")) == [])
    #expect(state.history.selected?.name == "disk.img")
    Fixture.type("1", &state)
    #expect(state.rowCount == 1)
  }

  @Test func allMarkedURLsAreCopied() {
    var state = Fixture.empty()
    let items = (1...3).map { number in
      var receipt = Fixture.receipt
      receipt.url = "https://x/\(number)"
      return Fixture.item(Int64(number), "\(number)", state: .done(receipt))
    }
    Fixture.play(&state, .added(items), .key(.control("a")))
    #expect(Fixture.type("y", &state) == [.copy("https://x/1\nhttps://x/2\nhttps://x/3")])
    #expect(state.message == "copied: 3 URLs")
  }

  @Test func howManyAreMarkedIsReadHoweverLongTheFilterIs() {
    var state = Self.queue("a-rather-long-name", "b")
    Fixture.type("fa-rather-long-name", &state)
    Fixture.play(&state, .key(.enter), .key(" "))
    state.size = Size(width: 80, height: 24)
    let text = render(state, size: state.size).text
    #expect(text[1].contains("Queue · 1 \"a-rather-lo") && text[16].contains("─ 1 marked · "))
    state.size = Size(width: 80, height: 12)
    #expect(render(state, size: state.size).text[1].contains("Queue · 1 marked · 1 \"a-"))
  }

  @Test func theMarksOfARangeFollowTheCursor() {
    var state = Self.queue("1", "2", "3", "4", "5", "6")
    func marked() -> [Int64] { state.marks.map(\.rawValue).sorted() }
    Fixture.type(" jjV", &state)
    #expect(marked() == [1, 4])
    Fixture.type("jj", &state)
    #expect(marked() == [1, 4, 5, 6])
    Fixture.type("k", &state)
    #expect(marked() == [1, 4, 5])
    Fixture.type("g", &state)
    #expect(marked() == [1, 2, 3, 4])
    Fixture.type("j", &state)
    #expect(marked() == [1, 2, 3, 4], "what was marked before stays marked")
    Fixture.type("jj", &state)
    #expect(marked() == [1, 4])
  }
}
