import Testing
import UploadModel

@testable import Screens

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
