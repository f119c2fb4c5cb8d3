import Testing
import UploadModel

@testable import Screens

/// A file whose new target has it already is changed only after a question; keys act on the target of their row.
@Suite struct EditAgainTests {
  private static func queue() -> AppState {
    var state = Fixture.empty()
    state.options.targets = Fixture.rows("nas", "photos")
    state.options.targets[0].concurrency = 2
    var items = (1...2).map { Fixture.item($0, "\($0).jpg") }
    for index in items.indices { items[index].target = "photos" }
    Fixture.play(&state, .added(items))
    return state
  }

  /// Edits the target of the first file to "nas".
  private static func edit(_ state: inout AppState) -> [Effect] {
    Fixture.play(&state, .key("g"), .key("e"), .key(.backTab))
    Fixture.type("nas", &state)
    Fixture.play(&state, .key(.enter))
    return Fixture.play(&state, .key(.enter))
  }

  @Test func aTargetThatHasTheFileIsAskedAbout() throws {
    var state = Self.queue()
    let effects = Self.edit(&state)
    guard case .lookForEdited(let edited)? = effects.first, effects.count == 1 else {
      Issue.record("\(effects)")
      return
    }
    #expect(edited.map(\.target) == ["nas"] && state.item(ItemID(1))?.target == "photos")
    #expect(Fixture.play(&state, .editedFound(edited, LeftOut(sent: edited))) == [])
    #expect(state.mode == .sendingAgain)
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("1.jpg was sent to this target before"), "\(text)")
    // The safe answer is lit.
    var other = state
    #expect(Fixture.play(&other, .key(.enter)) == [] && other.item(ItemID(1))?.target == "photos")
    #expect(Fixture.type("r", &state) == [.edit(edited)])
    #expect(state.item(ItemID(1))?.target == "nas")
    #expect(state.message == "1 file changed · z undoes")
  }

  /// Copies that have failed do not count as waiting, but together they would be stored twice at a new target.
  @Test func copiesThatAreEditedTogetherAreAskedAbout() {
    var state = Fixture.empty()
    state.options.targets = Fixture.rows("nas", "photos")
    var items = [Fixture.item(1, "1.jpg"), Fixture.item(2, "1.jpg"), Fixture.item(3, "3.jpg")]
    for index in items.indices { items[index].target = "photos" }
    Fixture.play(
      &state, .added(items),
      .engine(items.map { ($0.id, .failed(Fixture.tooLarge)) }, at: state.now), .key(.control("a")),
      .key("e"), .key(.backTab))
    let edited = items.map { item in
      var item = state.item(item.id) ?? item
      item.target = "nas"
      return item
    }
    Fixture.type("nas", &state)
    Fixture.play(&state, .key(.enter), .key(.enter), .editedFound(edited, LeftOut()))
    #expect(state.mode == .sendingAgain)
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("1.jpg is in the queue already"), "\(text)")
  }

  /// The reason for its failure no longer holds; what comes next is the key that sends it.
  @Test(arguments: [80, 100, 130])
  func theRowOfAFailureSaysThatItWasChanged(_ width: Int) {
    var state = Self.queue()
    state.size.width = width
    Fixture.play(
      &state, .engine([1, 2].map { (ItemID($0), .failed(Fixture.tooLarge)) }, at: state.now))
    var edited = state.queue.rows[0].item
    edited.target = "nas"
    Fixture.play(&state, .added([edited]))
    func row(_ number: Int) -> String {
      render(state, size: state.size).text[state.layout.rows.lowerBound + number]
    }
    #expect(row(0).contains("changed") && row(0).contains("r sends it"), "\(row(0))")
    #expect(!row(1).contains("changed"), "\(row(1))")
    Fixture.play(
      &state, .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now),
      .engine([(ItemID(1), .failed(Fixture.tooLarge))], at: state.now))
    #expect(!row(0).contains("changed"), "\(row(0))")
  }

  /// Nor does what the server of another target said; what comes first is that the file was changed.
  @Test(arguments: [60, 80, 100, 130])
  func theRowOfAFileThatGoesElsewhereSaysSo(_ width: Int) {
    let wrong = "http://127.0.0.1:9922/"
    var state = Fixture.empty(size: Size(width: width, height: 24))
    state.options.targets = Fixture.rows("home")
    var item = Fixture.item(1, "log-1.dat")
    item.target = wrong
    let refused = Failure(
      .refused, status: 405,
      reply: Reply(
        text: "Use GET, HEAD here, not POST, whatever is sent.", mediaType: "text/plain"),
      attempts: 1)
    Fixture.play(
      &state, .added([item]), .engine([(ItemID(1), .failed(refused))], at: state.now))
    item = state.queue.rows[0].item
    item.target = "home"
    Fixture.play(&state, .added([item]))
    let text = render(state, size: state.size).text
    let row = text[state.layout.rows.lowerBound]
    #expect(row.contains("✗") && row.contains("changed, r sends it"), "\(row)")
    #expect(!row.contains("GET"), "\(row)")
    let details = text.joined(separator: "\n")
    #expect(!details.contains("Retrying"), "\(details)")
    Fixture.play(&state, .key(.enter))
    let all = render(state, size: Size(width: 130, height: 40)).text.joined(separator: "\n")
    #expect(all.contains("at http://127.0.0.1:9922/ before it was edited"), "\(all)")
    #expect(all.contains(" it to home."), "\(all)")
    #expect(all.contains("Before the file was edited, the server said"), "\(all)")
    // An address that becomes a target with a name is the same place.
    state.options.targets[0].url = wrong
    #expect(!render(state, size: state.size).text.joined().contains("changed, r"))
  }

  /// What a message says of a key holds if the key is pressed right then.
  @Test func theAdviceAfterAnEditHolds() {
    var state = Self.queue()
    Fixture.play(
      &state, .added([Fixture.item(3, "3.jpg"), Fixture.item(4, "4.jpg")]),
      .engine([1, 2].map { (ItemID($0), .failed(Fixture.tooLarge)) }, at: state.now),
      .engine([(ItemID(3), .failed(Failure(.outcomeUnknown("closed"))))], at: state.now))
    func edit() {
      Fixture.play(&state, .key("e"), .key(.tab), .key(.control("u")))
      Fixture.type("image/png", &state)
      Fixture.play(&state, .key(.enter))
    }
    Fixture.play(&state, .key("g"), .key(" "), .key(" "))
    #expect(state.list.cursor == 2)
    edit()
    #expect(state.message == "2 files changed · r sends them again · z undoes")
    var other = state
    #expect(Fixture.type("r", &other) == [.retry([ItemID(1), ItemID(2)])])
    Fixture.play(&other, .key("g"), .key("k"))
    #expect(other.marks.isEmpty)
    // So does a click on the key in the last line.
    var clicked = state
    let hints = Footer(clicked, width: clicked.size.width).hints
    if let hint = hints.first(where: { $0.action.name == .retry }) {
      let click = Mouse(.click, row: clicked.layout.footer, column: hint.columns.lowerBound)
      #expect(Fixture.play(&clicked, .mouse(click)) == [.retry([ItemID(1), ItemID(2)])])
    } else {
      Issue.record("the last line does not offer to retry")
    }
    #expect(Fixture.type("z", &state).count == 1 && state.item(ItemID(2))?.mediaType != "image/png")
    // Of some files, only a part has failed.
    Fixture.play(&state, .key(.escape), .key("g"), .key(" "), .key("G"), .key(" "))
    edit()
    #expect(state.message == "2 files changed · r sends the one that failed again · z undoes")
    #expect(Fixture.type("r", &state) == [.retry([ItemID(1)])])
    // What is under the cursor needs no mark.
    Fixture.play(&state, .key("g"), .key("e"))
    Fixture.type("x", &state)
    Fixture.play(&state, .key(.enter))
    #expect(state.message == "1 file changed · r sends it again · z undoes" && state.marks.isEmpty)
    #expect(Fixture.type("r", &state) == [.retry([ItemID(1)])])
  }

  /// A pattern changes only the names that it fits, and a link that leads nowhere needs another path.
  @Test func whatCannotBeSentIsNotOffered() {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added([Fixture.item(1, "log-1"), Fixture.item(2, "dangling")]),
      .engine(
        [
          (ItemID(1), .failed(Fixture.tooLarge)), (ItemID(2), .failed(Failure(.brokenLink))),
        ], at: state.now))
    func text() -> String { render(state, size: state.size).text.joined(separator: "\n") }
    Fixture.play(&state, .key(.control("a")), .key("e"))
    Fixture.type("s/log/run/", &state)
    Fixture.play(&state, .key(.enter))
    #expect(state.item(ItemID(1))?.fileName == "run-1")
    #expect(state.message == "1 file changed · r sends it again · z undoes")
    Fixture.play(&state, .key(.escape), .key("G"), .key("e"), .key(.down), .key(.control("u")))
    Fixture.type("other", &state)
    Fixture.play(&state, .key(.enter))
    #expect(state.item(ItemID(2))?.fileName == "other")
    #expect(state.message == "1 file changed · z undoes")
    let row = text().split(separator: "\n").first { $0.contains("✗ other") } ?? ""
    #expect(row.contains("is a broken link") && !row.contains("changed"), "\(row)")
  }

  /// The file that has to be paused, or would be removed, is not the one under the cursor.
  @Test func theAdviceOfUndoHolds() {
    var state = Self.queue()
    Fixture.play(&state, .key("g"), .key("e"))
    Fixture.type("x", &state)
    Fixture.play(
      &state, .key(.enter), .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now),
      .key("G"), .key("z"))
    #expect(state.message?.contains("p pauses it, then undo") == true)
    #expect(Fixture.type("p", &state) == [.pause([ItemID(1)])])
    // A removal that was undone.
    state = Self.queue()
    Fixture.play(&state, .key("g"), .key("x"), .key("z"))
    Fixture.play(
      &state, .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now), .key("G"), .key("Z"))
    #expect(state.message == "not redone: a file is being sent; x removes it anyway")
    Fixture.play(&state, .key("x"))
    guard case .question(let question)? = state.dialog,
      case .removing(let ids, _, _) = question.subject
    else {
      Issue.record("\(String(describing: state.dialog))")
      return
    }
    #expect(ids == [ItemID(1)])
  }

  /// What a message has marked is for the key that it names. Every other one acts on the row under the cursor.
  @Test(arguments: [[], ["j"], ["?", .escape]] as [[Key]])
  func marksOfAMessageHoldForOneKey(_ keys: [Key]) {
    var state = Self.queue()
    Fixture.play(
      &state, .engine([1, 2].map { (ItemID($0), .failed(Fixture.tooLarge)) }, at: state.now),
      .added([Fixture.item(3, "3.jpg")]), .key(.control("a")), .key("e"), .key(.tab),
      .key(.control("u")))
    Fixture.type("image/png", &state)
    Fixture.play(&state, .key(.enter), .key("g"))
    Fixture.play(&state, .key("z"), .key("Z"))
    #expect(state.marks.isEmpty)
    Fixture.play(&state, .key(.control("a")), .key("e"), .key(.tab), .key(.control("u")))
    Fixture.type("image/gif", &state)
    Fixture.play(&state, .key(.enter))
    #expect(state.marks == [ItemID(1), ItemID(2)])
    #expect(state.message == "3 files changed · r sends the 2 that failed again · z undoes")
    for key in keys { Fixture.play(&state, .key(key)) }
    let row = state.selected?.id
    #expect(keys.isEmpty || state.marks.isEmpty && state.message == nil)
    #expect(
      Fixture.play(&state, .key("x")).contains {
        if case .remove(let ids, _) = $0 { ids == [row] } else { false }
      })
  }

  /// An undo that is refused leaves the marks that the person has set.
  @Test func anUndoReplacesNoMarks() {
    var state = Self.queue()
    Fixture.play(
      &state, .added((3...9).map { Fixture.item($0, "\($0).jpg") }), .key("g"), .key("e"))
    Fixture.type("x", &state)
    Fixture.play(
      &state, .key(.enter), .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now),
      .key("G"), .key(" "), .key("k"), .key(" "))
    let marks = state.marks
    Fixture.play(&state, .key("z"))
    #expect(marks.count == 2 && state.marks == marks && state.selected?.id == ItemID(1))
    #expect(state.message?.hasSuffix("is being sent; pause it first") == true)
  }

  /// Another window removes files while they are being edited here.
  @Test func whatIsGoneIsNotSaidToBeChanged() {
    var state = Self.queue()
    Fixture.play(&state, .key("g"), .key("e"))
    Fixture.type("x", &state)
    Fixture.play(&state, .removed([ItemID(1)]))
    #expect(render(state, size: state.size).text.contains { $0.contains("─ Edit 1.jpg ─") })
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(state.message == "not changed: the file is no longer in the queue")
    // The others are changed, and it is said that some were not.
    state = Self.queue()
    Fixture.play(&state, .key(.control("a")), .key("e"), .key(.tab), .key(.control("u")))
    Fixture.type("image/png", &state)
    Fixture.play(&state, .removed([ItemID(1)]))
    Fixture.play(&state, .key(.enter))
    #expect(state.item(ItemID(2))?.mediaType == "image/png")
    #expect(state.message == "1 file changed · z undoes; the file is no longer in the queue")
    // It is removed while hoist looks it up.
    state = Self.queue()
    guard case .lookForEdited(let edited)? = Self.edit(&state).first else {
      Issue.record("another case than the one that is tested")
      return
    }
    Fixture.play(&state, .removed([ItemID(1)]), .editedFound(edited, LeftOut()))
    #expect(state.message == "not changed: the file is no longer in the queue")
  }

  /// A wrong URL on the first command line is corrected without a target in the configuration, or with a new one.
  @Test func anAddressIsATargetToo() {
    let wrong = "http://127.0.0.1:9922/"
    func editing(_ text: String) -> AppState {
      var state = Fixture.empty()
      var item = Fixture.item(1, "1.jpg")
      item.target = wrong
      Fixture.play(
        &state, .added([item]), .engine([(ItemID(1), .failed(Fixture.tooLarge))], at: state.now),
        .key("e"), .key(.backTab))
      #expect(render(state, size: state.size).text.contains { $0.contains("Target") })
      Fixture.type(text, &state)
      return state
    }
    // Without a scheme, on this machine.
    var state = editing("127.0.0.1:9922/upload")
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("this URL") && text.contains("new target…"), "\(text)")
    #expect(text.contains("http://127.0.0.1:9922/up"), "\(text)")
    Fixture.play(&state, .key(.enter))
    guard case .lookForEdited(let edited)? = Fixture.play(&state, .key(.enter)).first else {
      Issue.record("another case than the one that is tested")
      return
    }
    #expect(edited.map(\.target) == ["http://127.0.0.1:9922/upload"])
    Fixture.play(&state, .editedFound(edited, LeftOut()))
    #expect(state.message == "1 file changed · r sends it again · z undoes")
    // What may hold a secret goes into the configuration, and not into the queue.
    for text in ["https://host/up?key=1", "https://me:pw@host/up", "nas"] {
      state = editing(text)
      let text = render(state, size: state.size).text.joined(separator: "\n")
      #expect(!text.contains("this URL") && text.contains("new target…"), "\(text)")
    }
    // A target that is made for the files becomes theirs.
    state = editing("127.0.0.1:9922/upload")
    Fixture.play(&state, .key(.down), .key(.enter))
    #expect(state.mode == .setup && state.setupAnswers?.url == "127.0.0.1:9922/upload")
    // As the first target, it is also for files that are added later.
    guard case .setUp(_, _, isForEdit: false)? = Fixture.play(&state, .key(.enter)).first else {
      Issue.record("another case than the one that is tested")
      return
    }
    Fixture.play(&state, .targets(Fixture.rows("home")))
    #expect(state.mode == .form)
    guard case .lookForEdited(let moved)? = Fixture.play(&state, .key(.enter)).first else {
      Issue.record("another case than the one that is tested")
      return
    }
    #expect(moved.map(\.target) == ["home"])
  }

  /// A target that is made for files that are edited is not for those that are added later.
  @Test(arguments: [false, true])
  func aTargetMadeForAnEditIsForNothingElse(isGoodEnough: Bool) {
    var state = Self.queue()
    let (before, name) = (state.target, state.target)
    state.options.targets = Fixture.rows(name)
    state.options.configuration = "~/.config/hoist/config.toml"
    Fixture.play(&state, .key("g"), .key("e"), .key(.backTab), .key(" "))
    Fixture.type("http://nas/up", &state)
    Fixture.play(&state, .key(.down), .key(.enter))
    #expect(state.mode == .setup)
    var effects = Fixture.play(&state, .key(.enter))
    if isGoodEnough {
      Fixture.play(&state, .setupRefused("no answer from nas", isGoodEnough: true))
      effects = Fixture.play(&state, .key("y"))
    }
    guard case .setUp(_, isGoodEnough: isGoodEnough, isForEdit: true)? = effects.first else {
      Issue.record("\(effects)")
      return
    }
    Fixture.play(&state, .targets(Fixture.rows(name, "nas")))
    #expect(state.mode == .form && state.target == before)
    #expect(state.message == "nas is saved; files added from now on still go to \(before)")
    guard case .lookForEdited(let edited)? = Fixture.play(&state, .key(.enter)).first else {
      Issue.record("the edit is not made")
      return
    }
    #expect(edited.map(\.target) == ["nas"])
  }

  @Test func aTargetThatDoesNotHaveItGetsIt() {
    var state = Self.queue()
    guard case .lookForEdited(let edited)? = Self.edit(&state).first else {
      Issue.record("another case than the one that is tested")
      return
    }
    #expect(Fixture.play(&state, .editedFound(edited, LeftOut())) == [.edit(edited)])
    #expect(state.dialog == nil)
    // The person has closed the form.
    state = Self.queue()
    _ = Self.edit(&state)
    #expect(state.mode == .form && Fixture.play(&state, .key(.enter)) == [])
    Fixture.play(&state, .key(.escape))
    #expect(Fixture.play(&state, .editedFound(edited, LeftOut())) == [] && state.dialog == nil)
    // By then its sending has begun.
    state = Self.queue()
    _ = Self.edit(&state)
    Fixture.play(&state, .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now))
    #expect(Fixture.play(&state, .editedFound(edited, LeftOut())) == [.bell])
    #expect(state.item(ItemID(1))?.target == "photos")
  }

  /// Keys that are typed while it is looked up change nothing.
  @Test func nothingIsTypedWhileItIsLookedUp() {
    var state = Self.queue()
    guard case .lookForEdited(let edited)? = Self.edit(&state).first else {
      Issue.record("another case than the one that is tested")
      return
    }
    let text = render(state, size: state.size).text
    #expect(text.contains { $0.contains("checking whether it is there already") })
    Fixture.play(&state, .key("x"), .key(.down), .key("y"), .paste("z"), .key(.tab), .key("t"))
    #expect(render(state, size: state.size).text == text)
    #expect(Fixture.play(&state, .editedFound(edited, LeftOut())) == [.edit(edited)])
    #expect(state.dialog == nil && state.queue.count == 2)
  }

  @Test func aFileThatWaitsForTheTargetAlreadyIsAskedAbout() {
    var state = Self.queue()
    var copy = Fixture.item(3, "1.jpg")
    copy.target = "nas"
    Fixture.play(&state, .added([copy]))
    guard case .lookForEdited(let edited)? = Self.edit(&state).first else {
      Issue.record("another case than the one that is tested")
      return
    }
    #expect(Fixture.play(&state, .editedFound(edited, LeftOut())) == [])
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("1.jpg is in the queue already"), "\(text)")
  }

  @Test func lanesAreThoseOfTheRowsTarget() {
    var state = Self.queue()
    var other = Fixture.item(3, "3.jpg")
    other.target = "nas"
    Fixture.play(&state, .added([other]))
    #expect(Fixture.play(&state, .key("G"), .key("+")) == [.setConcurrency(3, target: "nas")])
    #expect(state.lanes(of: "photos").count == 4 && state.message?.hasSuffix("to nas") == true)
    #expect(Fixture.type("-", &state) == [.setConcurrency(2, target: "nas")])
    #expect(
      Fixture.play(&state, .command("lanes 7")) == [.setConcurrency(7, target: "nas")])
    // What "auto" means is up to that target, too.
    state.options.targets[0].concurrency = .auto(2...8)
    #expect(
      Fixture.play(&state, .command("lanes auto")) == [.setConcurrency(.auto(2...8), target: "nas")]
    )
    #expect(Fixture.play(&state, .key("g"), .key("+")) == [.setConcurrency(5, target: "photos")])
    #expect(state.lanes(of: "photos").count == 5)
  }

  /// At every size, what lies over the list cuts no row in half.
  @Test(arguments: Fixture.sizes + [Size(width: 130, height: 40), Size(width: 200, height: 60)])
  func aDialogCutsNoRow(_ size: Size) {
    let before = render(Fixture.mixed(size: size), size: size).text.map { [Character]($0) }
    for key: Key in ["q", "o", "u", "E"] {
      var state = Fixture.mixed(size: size)
      Fixture.play(&state, .key(key))
      let after = render(state, size: size).text.map { [Character]($0) }
      let start = state.layout.list.lowerBound
      // A box that takes the whole width leaves nothing beside it.
      for line in state.layout.rows
      where after[line] != before[line] && (start > 0 || !"│╭╰".contains(after[line].first ?? " "))
      {
        // Up to the edge of the box, a line is as it was, or empty.
        let rest = after[line].dropFirst(start + 1).prefix { !"│╭╰".contains($0) }
        #expect(rest.allSatisfy { $0 == " " }, "\(String(after[line])) behind \(key)")
      }
    }
  }
}
