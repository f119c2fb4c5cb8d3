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

  @Test func thePreviewSaysHowManyMoreThereAre() {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added((1...500).map { Fixture.item($0, "IMG_\($0).jpg") }), .perform(.markAll))
    Fixture.type("e{index}.jpg", &state)
    let lines = render(state, size: state.size).text
    let shown = lines.count { $0.contains("IMG_") && $0.contains("→ ") }
    #expect(shown > 5 && lines.contains { $0.contains("… and \(500 - shown) more") }, "\(lines)")
    Fixture.play(&state, .key(.enter))
    #expect(state.message == "500 files changed · z undoes")
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

  /// A queue of a.jpg and b.jpg for "nas" and c.jpg for "photos", seen from the window that sends it or from another.
  private static func targets(isAside: Bool) -> AppState {
    var state = Fixture.empty()
    state.options.targets = Fixture.rows("nas", "photos")
    var items = ["a.jpg", "b.jpg", "c.jpg"].enumerated().map {
      Fixture.item(Int64($0 + 1), $1)
    }
    for index in items.indices { items[index].target = index < 2 ? "nas" : "photos" }
    Fixture.play(&state, .added(items), .queue(.aside(isAside)))
    return state
  }

  /// The name of the first file becomes the one that was typed.
  private static func rename(_ keys: AppEvent..., to name: String, in state: inout AppState) {
    for key in keys { Fixture.play(&state, key) }
    Fixture.play(&state, .key("e"), .key(.control("u")))
    Fixture.type(name, &state)
  }

  @Test("The name of another file for the target is refused", arguments: [false, true])
  func aNameThatAnotherFileHas(isAside: Bool) throws {
    var state = Self.targets(isAside: isAside)
    Self.rename(.key("g"), to: "b.jpg", in: &state)
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(Self.text(state).contains("a.jpg and b.jpg would both be b.jpg"), "\(Self.text(state))")
    #expect(Self.names(state) == ["a.jpg", "b.jpg", "c.jpg"] && state.mode == .form)
    // Another name is taken, and that of a file for another target.
    Fixture.play(&state, .key(.control("u")))
    Fixture.type("c.jpg", &state)
    Fixture.play(&state, .key(.enter))
    #expect(Self.names(state) == ["c.jpg", "b.jpg", "c.jpg"] && state.dialog == nil)
    // The other target has one now.
    Fixture.play(&state, .key("g"), .key("e"), .key(.control("u")))
    Fixture.type("d.jpg", &state)
    Fixture.play(&state, .key(.enter), .key("G"), .key("e"), .key(.control("u")))
    Fixture.type("b.jpg", &state)
    Fixture.play(&state, .key(.backTab))
    Fixture.type("nas", &state)
    Fixture.play(&state, .key(.enter))
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(Self.text(state).contains("c.jpg and b.jpg would both be b.jpg"), "\(Self.text(state))")
  }

  @Test("Of several files, too, whether all of them are renamed or others have the name")
  func namesThatOtherFilesHave() {
    var state = Self.targets(isAside: false)
    // Only the first and the last are marked; they go to the same target by the same edit.
    Fixture.play(&state, .key("g"), .key(" "), .key("G"), .key(" "))
    Self.rename(to: "{index}.jpg", in: &state)
    Fixture.play(&state, .key(.control("u")))
    Fixture.type("x.jpg", &state)
    Fixture.play(&state, .key(.backTab))
    Fixture.type("nas", &state)
    Fixture.play(&state, .key(.enter))
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(Self.text(state).contains("a.jpg and c.jpg would both be x.jpg"), "\(Self.text(state))")
    // A name that a file has that is not marked.
    state = Self.targets(isAside: false)
    Fixture.play(&state, .key("g"), .key(" "), .key("G"), .key(" "))
    Self.rename(to: "s/a/b/", in: &state)
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(Self.text(state).contains("a.jpg and b.jpg would both be b.jpg"), "\(Self.text(state))")
    #expect(Self.names(state) == ["a.jpg", "b.jpg", "c.jpg"])
  }

  @Test("A file that is moved to a target where another one has its name is refused, too")
  func aNameAtAnotherTarget() {
    var state = Self.targets(isAside: false)
    Self.rename(.key("g"), to: "c.jpg", in: &state)
    Fixture.play(&state, .key(.enter), .key("G"), .key("e"), .key(.backTab))
    Fixture.type("nas", &state)
    Fixture.play(&state, .key(.enter))
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(Self.text(state).contains("c.jpg and c.jpg would both be c.jpg"), "\(Self.text(state))")
  }

  @Test(
    "A name is free once its file is sent, and where the target keeps files apart or names them itself"
  )
  func namesThatAreFree() {
    let frees: [(inout AppState) -> Void] = [
      { Fixture.play(&$0, .engine([(ItemID(2), .done(Fixture.receipt))], at: $0.now)) },
      { $0.options.targets[0].takesSameNames = true },
      { $0.options.targets[0].namesFiles = true },
    ]
    for (index, free) in frees.enumerated() {
      var state = Self.targets(isAside: false)
      free(&state)
      Self.rename(.key("g"), to: "b.jpg", in: &state)
      Fixture.play(&state, .key(.enter))
      #expect(Self.names(state) == ["b.jpg", "b.jpg", "c.jpg"], "\(index)")
      // What files have in common already is no fault of a later edit.
      Fixture.play(&state, .key("g"), .key("e"), .key(.tab), .key(.control("u")))
      Fixture.type("image/png", &state)
      Fixture.play(&state, .key(.enter))
      #expect(state.item(ItemID(1))?.mediaType == "image/png" && state.dialog == nil, "\(index)")
    }
  }

  @Test func whatIsMissingCanBeFoundElsewhere() throws {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added([Fixture.item(1, "gone.txt", state: .failed(Failure(.missing)))]))
    Fixture.type("e", &state)
    #expect(Self.text(state).contains("Path        /home/me/gone.txt"))
    Fixture.play(&state, .key(.control("u")))
    #expect(Self.text(state).contains("File name   gone.txt"))
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(Self.text(state).contains("a file needs a path"))
    state.options.home = "/home/you"
    Fixture.type("~/new.txt", &state)
    #expect(Self.text(state).contains("File name   new.txt"))
    let effects = Fixture.answered(Fixture.play(&state, .key(.enter)), &state)
    let item = try #require(state.item(ItemID(1)))
    #expect(item.location.description == "/home/you/new.txt")
    #expect(item.fileName == "new.txt" && !item.nameIsChosen, "as the form has shown it")
    #expect(!effects.isEmpty && !effects.contains(.retry([ItemID(1)])))
    #expect(state.message == "1 file changed · r sends it again · z undoes")
    #expect(Self.text(state).contains("changed, r sends it"))
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
