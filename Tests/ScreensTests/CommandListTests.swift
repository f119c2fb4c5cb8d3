import Testing
import UploadModel

@testable import Screens

/// The list above the command line.
@Suite struct CommandListTests {
  private static func line(_ state: AppState) -> String? {
    if case .command(let prompt) = state.dialog { prompt.line.field.text } else { nil }
  }

  /// The text of the row that is lit.
  private static func lit(_ state: AppState) -> String? {
    let frame = render(state, size: state.size)
    let row = (0..<frame.size.height).first { row in
      frame.line(row).contains { $0.style.role == .button }
    }
    return row.map { frame.text[$0] }
  }

  @Test func theArrowsChoose() {
    var state = Fixture.empty()
    Fixture.type(":th", &state)
    #expect(Self.lit(state) == nil)
    #expect(render(state, size: state.size).text.contains { $0.contains("↓ chooses") })
    Fixture.play(&state, .key(.down))
    #expect(Self.line(state) == "theme" && Self.lit(state)?.contains("theme") == true)
    // What was typed comes back beyond both ends, and then the last choice.
    Fixture.play(&state, .key(.up))
    #expect(Self.line(state) == "th" && Self.lit(state) == nil)
    Fixture.play(&state, .key(.up))
    let last = Self.line(state)
    #expect(last != "th" && last != "theme" && Self.lit(state)?.contains(last ?? "?") == true)
    Fixture.play(&state, .key(.down), .key(.down))
    // Tab takes the choice, and goes on with what can follow.
    Fixture.play(&state, .key(.tab))
    #expect(Self.line(state) == "theme ")
    #expect(render(state, size: state.size).text.contains { $0.contains("gruvbox") })
    Fixture.play(&state, .key(.down), .key(.down), .key(.enter))
    #expect(state.dialog == nil && state.chosenTheme?.name == Theme.all[1].name)
  }

  @Test func asInAShellTheArrowsRecallWhileNothingIsTyped() {
    var state = Fixture.empty()
    Fixture.play(&state, .command("limit 1M"), .command("lanes 3"), .key(":"), .key(.up))
    #expect(Self.line(state) == "lanes 3")
    Fixture.play(&state, .key(.up))
    #expect(Self.line(state) == "limit 1M")
    Fixture.play(&state, .key(.down), .key(.down))
    #expect(Self.line(state) == "")
    // Below the last line is the list.
    Fixture.play(&state, .key(.down))
    #expect(Self.lit(state) != nil && Self.line(state)?.isEmpty == false)
  }

  /// What is typed into an earlier line is a new one.
  @Test func whatIsTypedAfterRecallingIsKept() {
    var state = Fixture.empty()
    Fixture.play(&state, .command("limit 1M"), .key(":"), .key(.up))
    func hints() -> Bool {
      render(state, size: state.size).text.contains { $0.contains("↓ chooses") }
    }
    #expect(!hints())
    Fixture.play(&state, .key(.control("u")))
    Fixture.type("th", &state)
    #expect(hints())
    Fixture.play(&state, .key(.down))
    #expect(Self.line(state) == "theme" && Self.lit(state)?.contains("theme") == true)
  }

  /// Inside the line, the list is about the word that the arrows and Tab complete.
  @Test func theListIsAboutTheWordAtTheCursor() {
    var state = Fixture.empty()
    Fixture.type(":theme x", &state)
    Fixture.play(&state, .key(.left), .key(.down))
    #expect(Self.lit(state) != nil)
  }

  /// As in the box that the command opens without a name.
  @Test func aThemeIsSeenBeforeItIsChosen() {
    var state = Fixture.empty()
    Fixture.type(":theme ", &state)
    #expect(state.chosenTheme == nil)
    Fixture.play(&state, .key(.down), .key(.down), .key(.down))
    #expect(state.theme.name == Theme.all[2].name)
    let frame = render(state, size: state.size)
    #expect(frame.theme == state.theme)
    // What is behind the list keeps its colours.
    #expect(frame.line(0).contains { $0.style.role == .heading })
    Fixture.play(&state, .key(.escape))
    #expect(state.chosenTheme == nil && state.dialog == nil)
    Fixture.type(":theme nord", &state)
    #expect(state.theme.name == "nord")
    Fixture.play(&state, .key(.backspace))
    #expect(state.chosenTheme == nil)
    Fixture.type("d", &state)
    Fixture.play(&state, .key(.enter))
    #expect(state.theme.name == "nord")
  }

  /// Any file is found by its name, however many there are, and only those that match are counted.
  @Test func filesAreFoundInALongQueue() {
    var state = Fixture.empty()
    Fixture.play(&state, .added((1...3_000).map { Fixture.item($0, "file\($0)") }))
    Fixture.type(":pause file29", &state)
    let text = render(state, size: state.size).text
    #expect(text.contains { $0.contains("file2900") }, "\(text)")
    let shown = text.count { $0.contains("file29") } - 1
    // The file 29, 290 to 299 and 2900 to 2999; and others that have both figures.
    let offered = state.choices(for: "file29", after: "pause ")
    #expect(offered?.first.first?.word == "file29")
    let others = HumanReadable.grouped((offered?.count ?? 0) - shown)
    #expect(text.contains { $0.contains(" \(others) more · ↓ chooses ") }, "\(text)")
    Fixture.play(&state, .key(.down), .key(.down))
    #expect(Self.line(state)?.hasPrefix("pause file29") == true && Self.lit(state) != nil)
    // What is paused meanwhile is not offered any more.
    let count = offered?.count ?? 0
    Fixture.play(&state, .engine([(ItemID(29), .paused)], at: state.now))
    #expect(state.choices(for: "file29", after: "pause ")?.count == count - 1)
  }

  /// A name stands for all files that have it, so equal names are one choice, which says how many files it means.
  @Test func equalNamesAreOneChoice() {
    var state = Fixture.empty()
    var items = (1...14).map { Fixture.item($0, "photo1.jpg") } + [Fixture.item(15, "photo2.jpg")]
    for index in items.indices { items[index].target = "target\(index + 1)" }
    Fixture.play(&state, .added(items), .engine([(ItemID(3), .paused)], at: state.now))
    func notes(_ command: String) -> [[String]]? {
      state.choices(for: "photo", after: command)?.first.map { [$0.word, $0.note] }
    }
    #expect(notes("remove ")?.first == ["photo1.jpg", "14 files"])
    #expect(state.choices(for: "photo", after: "remove ")?.count == 2)
    #expect(notes("pause ")?.first == ["photo1.jpg", "13 files"])
    // One of several is offered with its state, and one alone, too.
    #expect(notes("resume ")?.map(\.first) == ["photo1.jpg"])
    #expect(notes("resume ")?.first?.last?.hasSuffix("files") == false)
    #expect(notes("remove ")?.last?.last?.hasSuffix("files") == false)
    // The filter hides what the command acts on all the same.
    Fixture.play(&state, .command("filter target12"))
    #expect(notes("remove ") == [["photo1.jpg", "14 files"]])
  }
}
