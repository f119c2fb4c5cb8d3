import Testing
import UploadModel

@testable import Screens

/// Renaming several files at once, and mending the path of one.
@Suite struct RenamingTests {
  private static func marked(size: Size = Size(width: 80, height: 24)) -> AppState {
    var state = Fixture.empty(size: size)
    Fixture.play(
      &state, .added((1...3).map { Fixture.item($0, "IMG_\($0).jpg") }), .perform(.markAll))
    return state
  }

  private static func text(_ state: AppState) -> String {
    render(state, size: state.size).text.joined(separator: "\n")
  }

  private static func names(_ state: AppState) -> [String] { state.items.map(\.fileName) }

  @Test(arguments: Fixture.sizes) func theNewNamesAreShownAppliedAndUndone(_ size: Size) {
    var state = Self.marked(size: size)
    Fixture.type("e{file.stem}-{index|02}.{file.ext}", &state)
    if size.height > 12 {
      let lines = render(state, size: size).text
      #expect(
        lines.contains { $0.contains("IMG_3.jpg") && $0.contains("→ IMG_3-03.jpg") }, "\(lines)")
    }
    #expect(Self.names(state) == ["IMG_1.jpg", "IMG_2.jpg", "IMG_3.jpg"])
    let effects = Fixture.play(&state, .key(.enter))
    #expect(Self.names(state) == ["IMG_1-01.jpg", "IMG_2-02.jpg", "IMG_3-03.jpg"])
    guard case .edit(let edited)? = effects.last else {
      Issue.record("\(effects)")
      return
    }
    #expect(edited.count == 3 && edited.allSatisfy(\.nameIsChosen))
    Fixture.type("z", &state)
    #expect(Self.names(state) == ["IMG_1.jpg", "IMG_2.jpg", "IMG_3.jpg"])
  }

  @Test func aCommandAsksWithThePreview() {
    var state = Self.marked()
    #expect(Fixture.play(&state, .command("rename s/IMG_/beach-/")).contains(.readTargets))
    #expect(Self.text(state).contains("→ beach-2.jpg") && Self.names(state)[0] == "IMG_1.jpg")
    Fixture.play(&state, .key(.enter))
    #expect(Self.names(state) == ["beach-1.jpg", "beach-2.jpg", "beach-3.jpg"])
    // One file too, and without an argument there is an empty line to fill in.
    Fixture.play(&state, .perform(.clearMarks), .command("rename"))
    Fixture.type("x.jpg", &state)
    Fixture.play(&state, .key(.enter))
    #expect(Self.names(state) == ["x.jpg", "beach-2.jpg", "beach-3.jpg"])
  }

  @Test func oneNameForTwoFilesIsShownAndRefused() throws {
    var state = Self.marked()
    Fixture.type("es/[0-9]//", &state)
    let frame = render(state, size: state.size)
    let row = try #require(frame.text.firstIndex { $0.contains("→ IMG_.jpg") })
    #expect(frame.roles[row].contains("wwwwwwww"), "\(frame.roles[row])")
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(Self.text(state).contains("IMG_1.jpg and IMG_2.jpg would both be IMG_.jpg"))
    #expect(Self.names(state)[0] == "IMG_1.jpg")
    // A mistake loses nothing of what was typed.
    Fixture.play(&state, .key(.control("u")))
    Fixture.type("{file.stem", &state)
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(Self.text(state).contains("without") && Self.text(state).contains("{file.stem"))
    Fixture.play(&state, .key(.escape))
    #expect(state.dialog == nil && Self.names(state)[0] == "IMG_1.jpg")
  }

  @Test func whatIsMissingCanBeFoundElsewhere() throws {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added([Fixture.item(1, "gone.txt", state: .failed(Failure(.missing)))]))
    Fixture.type("e", &state)
    #expect(Self.text(state).contains("Path       /home/me/gone.txt"))
    Fixture.play(&state, .key(.control("u")))
    #expect(Self.text(state).contains("File name  gone.txt"))
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(Self.text(state).contains("a file needs a path"))
    state.options.home = "/home/you"
    Fixture.type("~/new.txt", &state)
    #expect(Self.text(state).contains("File name  new.txt"))
    let effects = Fixture.answered(Fixture.play(&state, .key(.enter)), &state)
    let item = try #require(state.item(ItemID(1)))
    #expect(item.location.description == "/home/you/new.txt")
    #expect(item.fileName == "new.txt" && !item.nameIsChosen, "as the form has shown it")
    #expect(
      effects.last == .retry([ItemID(1)]) && state.message == "changed; now sent from the new path")
    Fixture.type("z", &state)
    #expect(state.item(ItemID(1))?.location.description == "/home/me/gone.txt")
    #expect(state.item(ItemID(1))?.fileName == "gone.txt")
    // A relative path is taken as one that is added; what a person has chosen as the name stays.
    var named = Fixture.item(1, "gone.txt", state: .failed(Failure(.missing)))
    (named.fileName, named.nameIsChosen) = ("mine.txt", true)
    Fixture.play(&state, .added([named]), .key("e"), .key(.control("u")), .paste("sub/new.txt"))
    guard case .lookForEdited(let edited)? = Fixture.play(&state, .key(.enter)).first else {
      Issue.record("the path is not taken")
      return
    }
    #expect(edited.map(\.location.description) == ["sub/new.txt"])
    #expect(edited.map(\.fileName) == ["mine.txt"])
    // A file that is there has no path to mend.
    state = Self.marked()
    Fixture.play(&state, .perform(.clearMarks), .key("e"))
    #expect(!Self.text(state).contains("Path  "))
  }
}
