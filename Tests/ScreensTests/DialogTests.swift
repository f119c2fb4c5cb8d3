import Testing

@testable import Screens
@testable import UploadModel

/// What lies over what: help and questions come and go, and what was there before is there again.
@Suite struct DialogTests {
  private static func browsing() -> AppState {
    var state = Fixture.mixed()
    Fixture.play(&state, .key("b"), .folder(Fixture.folder), .key("j"), .key(" "), .key(" "))
    return state
  }

  private static func marks(_ state: AppState) -> Int? {
    if case .browser(let browser) = state.dialog { browser.marks.count } else { nil }
  }

  @Test(
    arguments: [
      ["?", "q"], ["?", .escape], [.control("c"), "n"], [.control("c"), .escape],
      ["?", .control("c"), "c", "q"], ["?", "j", "j", .enter],
    ] as [[Key]])
  func theListOfFilesComesBackWithItsMarks(_ keys: [Key]) {
    var state = Self.browsing()
    for key in keys { #expect(Fixture.play(&state, .key(key)) == []) }
    #expect(Self.marks(state) == 2)
    Fixture.type("q", &state)
    #expect(state.mode == .queue)
  }

  @Test(
    arguments: [
      ("x", "the whole file"), ("jx", "It may have arrived"), ("  x", "awaiting a reply may"),
    ])
  func removingPromisesOnlyWhatIsSo(_ keys: String, _ words: String) {
    var state = Fixture.mixed(size: Size(width: 120, height: 40))
    Fixture.type(keys, &state)
    let text = render(state, size: state.size).text
    #expect(text.contains { $0.contains(words) }, "\(text)")
  }

  @Test func anAnswerFindsTheListOfFilesUnderTheHelp() {
    var state = Self.browsing()
    let above = Folder(path: Array("/home".utf8), name: "/home")
    Fixture.play(
      &state, .key("?"), .folder(above), .resized(Size(width: 50, height: 14)), .key("q"))
    guard case .browser(let browser) = state.dialog else {
      Issue.record("\(state.mode)")
      return
    }
    #expect(browser.folder == above)
  }

  /// Someone who wants an end must know that another window goes on.
  @Test func quittingSaysWhoGoesOn() {
    func words(_ others: Int, stopped: Bool = false) -> String {
      var state = Fixture.mixed()
      Fixture.play(&state, .queue(.successors(others)))
      if stopped { Fixture.play(&state, .command("stop")) }
      Fixture.play(&state, .key("q"))
      return render(state, size: state.size).text.joined(separator: " ")
        .split { " │".contains($0) }.joined(separator: " ")
    }
    let end = "goes on sending at once. To stop everything, press Esc, then s."
    #expect(words(1).contains("Another hoist has this queue open: if you stop here, it \(end)"))
    #expect(words(1).contains("s quit; the other hoist goes on"))
    let several = "2 other hoists have this queue open: if you stop here, one of them"
    #expect(words(2).contains("\(several) \(end)"))
    #expect(words(0).contains("s stop and keep the queue") && !words(0).contains("hoist has"))
    // If the queue is stopped, the other one sends nothing either.
    #expect(!words(1, stopped: true).contains("goes on"))
  }

  @Test func quittingSaysWhatWaitsForCredentials() {
    var state = Fixture.empty(size: Size(width: 100, height: 30))
    state.options.background = .offered
    Fixture.play(
      &state,
      .added([
        Fixture.item(1, "a"), Fixture.item(2, "b"), Fixture.item(3, "c"),
        Fixture.item(4, "d", state: .failed(Failure(.refused, status: 401, attempts: 1))),
      ]),
      .queue(.refusal(target: "photos", .refused)), .key("q"))
    func words() -> String {
      render(state, size: state.size).text.joined(separator: " ")
        .split { " │".contains($0) }.joined(separator: " ")
    }
    let wait = "wait for credentials: nothing goes there until you fix that or retry."
    #expect(words().contains("Nothing is being sent. 3 files \(wait)"), "\(words())")
    // Nothing would go on, and nothing would end.
    #expect(!words().contains("in the background") && !words().contains("finish"))
    // Another target has something left.
    var other = Fixture.item(5, "e")
    other.target = "nas"
    Fixture.play(&state, .key(.escape), .added([other]), .key("q"))
    #expect(
      words().contains("Nothing is being sent: 1 still to come. 3 files \(wait)"), "\(words())")
    #expect(words().contains("in the background") && words().contains("finish"))
    // What finishes first does not wait for a person.
    #expect(Fixture.type("f", &state).isEmpty && state.filesToFinish == 1)
  }

  @Test(
    arguments: [
      ([.enter], .details), (["3", .enter], .page),
      ([":", "t", "h", "e", "m", "e", .enter], .menu),
    ] as [([Key], Mode)])
  func helpGivesWayToWhatWasThere(_ keys: [Key], _ mode: Mode) {
    var state = Fixture.mixed()
    for key in keys {
      Fixture.play(&state, .key(key), .history(.rows(Fixture.historyRows)))
    }
    #expect(state.mode == mode)
    Fixture.type("?", &state)
    #expect(state.mode == .help)
    Fixture.type("q", &state)
    #expect(state.mode == mode)
  }

  /// The first page has the keys that do something here.
  @Test func theHelpOfAnEmptyQueueIsAboutWhatCanBeDone() {
    var state = Fixture.empty()
    Fixture.type("?", &state)
    func text() -> String { render(state, size: state.size).text.joined(separator: "\n") }
    for words in ["add files by path", "add files from a list", "choose or create the target"] {
      #expect(text().contains(words), "\(words): \(text())")
    }
    for words in ["retry", "remove from", "pause a file", "everything about the file", "limit the"]
    {
      #expect(!text().contains(words), "\(words): \(text())")
    }
    // All keys are there if asked for, and with files in the queue.
    Fixture.type("?", &state)
    #expect(text().contains("everything about the file"))
    Fixture.play(&state, .key("q"), .added([Fixture.item(1, "a")]), .key("?"))
    #expect(text().contains("everything about the file") && text().contains("remove from"))
  }

  @Test func detailsThatGoUnderTheHelpAreGone() {
    var state = Fixture.mixed()
    Fixture.play(&state, .key("j"), .key(.enter), .key("?"), .removed([ItemID(2)]), .key("q"))
    #expect(state.mode == .queue)
  }

  @Test func aReplyIsLaidOutOnceForAllFramesAndNews() throws {
    var state = Fixture.mixed()
    Fixture.play(
      &state, .key("G"), .key("j"), .command("details 4"), .request(ItemID(4), ["POST /"]))
    _ = render(state, size: state.size)
    Fixture.play(
      &state, .tick(state.now + 1), .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now))
    let row = try #require(state.queue.row(ItemID(4)))
    guard case .details(let details) = state.dialog else {
      Issue.record("\(state.mode)")
      return
    }
    let source = ItemDetails(row: row, state: state).textSource(width: 76, request: ["POST /"])
    let texts = details.texts.value(for: source) { _ in
      Issue.record("laid out again")
      return ItemDetails.Texts()
    }
    #expect(texts.reply.count > 3)
    #expect(texts.request.count == 3)
  }

  @Test func aReplyIsShownLineByLine() throws {
    var state = Fixture.empty()
    let failure = Failure(
      .refused, status: 500, reply: Reply(text: "one\r\n\n\ntwo\n\n"), attempts: 1)
    Fixture.play(&state, .added([Fixture.item(1, "a.bin", state: .failed(failure))]))
    let row = try #require(state.queue.row(ItemID(1)))
    let details = ItemDetails(row: row, state: state)
    let reply = details.texts(details.textSource(width: 72, request: [])).reply
    let lines = reply.map { $0.spans.flatMap(\.0).map(\.text).joined() }
    #expect(lines == ["", "The server said:", "one", "", "", "two"])
  }

  @Test func aReasonWhyThereIsNoRequestIsNotSaidTwice() {
    var state = Fixture.empty()
    let failure = Failure(.missing)
    Fixture.play(
      &state, .added([Fixture.item(1, "a.bin", state: .failed(failure))]), .key(.enter),
      .request(ItemID(1), [failure.explanation]))
    let text = render(state, size: state.size).text
    #expect(!text.contains { $0.contains("The request would be:") }, "\(text)")
    Fixture.play(&state, .request(ItemID(1), ["POST https://x/", "Host: x"]))
    #expect(render(state, size: state.size).text.contains { $0.contains("The request would be:") })
  }

  /// What cannot be sent has no request; a link that leads nowhere is no file, however that is said.
  @Test func aReasonIsNotCalledARequest() {
    var state = Fixture.empty()
    let reason = "There is no file at this path."
    Fixture.play(
      &state,
      .added([
        Fixture.item(1, "a.bin", state: .failed(Failure(.brokenLink))), Fixture.item(2, "b.bin"),
      ]), .key(.enter), .request(ItemID(1), [reason]))
    func text() -> String { render(state, size: state.size).text.joined(separator: "\n") }
    #expect(!text().contains(reason) && !text().contains("would be"), "\(text())")
    Fixture.play(
      &state, .key(.escape), .key("j"), .key(.enter), .request(ItemID(2), [reason]))
    #expect(text().contains("No request can be made now:") && text().contains(reason), "\(text())")
  }

  @Test func theDetailsShowWhatWasSentAndWhatWouldBe() throws {
    var state = Fixture.empty()
    var item = Fixture.item(1, "p0.png", type: "image/png", size: 9332)
    func lines() throws -> [String] {
      var details = ItemDetails(row: try #require(state.queue.row(ItemID(1))), state: state)
      let source = details.textSource(width: 90, request: ["POST https://x/", "Host: x"])
      details = ItemDetails(row: details.row, state: state)
      return details.everything(width: 90, texts: details.texts(source)).map { line in
        line.spans.flatMap(\.0).map(\.text).joined()
      }
    }
    Fixture.play(&state, .added([item]))
    #expect(try lines().contains("Name     p0.png"))
    #expect(try lines().contains("The request would be:"))
    #expect(try !lines().contains { $0.hasPrefix("Sent as") })
    // Once it is under way, that is not the request that goes on, which may resume an upload.
    Fixture.play(
      &state, .engine([(item.id, .sending(attempt: 2, sent: 1, total: 9332))], at: state.now))
    #expect(try lines().contains("If it were sent from its beginning, the request would be:"))
    // The target's command made something else of it.
    var receipt = Fixture.receipt
    receipt.sent = SentFile(name: "p0_photo.jpg", mediaType: "image/jpeg", size: 580)
    item.state = .done(receipt)
    Fixture.play(&state, .engine([(item.id, item.state)], at: state.now))
    #expect(try lines().contains("Sent as  p0_photo.jpg, image/jpeg, 580 bytes"))
    #expect(try lines().contains("If sent again, the request would be:"))
    #expect(try lines().contains { $0.hasPrefix("Size     9.3 kB") && !$0.contains("as it is") })
    #expect(state.item(item.id)?.sentSize == 580)
    // Where that is not known, nothing is made up.
    receipt.sent = nil
    Fixture.play(&state, .added([item.with(.done(receipt))]))
    #expect(try lines().contains("Name     p0.png"))
  }

  @Test func aPasteLeavesTheListOfFilesOpen() {
    var state = Self.browsing()
    #expect(Fixture.play(&state, .paste("/a /b")) == [.add([.exact("/a"), .exact("/b")])])
    #expect(Self.marks(state) == 2)
    Fixture.play(&state, .paste("not a path"))
    #expect(state.promptText == "not a path")
    Fixture.play(&state, .key(.escape))
    #expect(Self.marks(state) == 2)
    Fixture.play(&state, .key("/"), .paste("/no\ntes"))
    guard case .browser(let browser) = state.dialog else {
      Issue.record("another case than the one that is tested")
      return
    }
    #expect(browser.prompt?.text == "/notes")
  }

  /// Someone who has seen what is wrong with an address types the right one, whatever lies over the form.
  @Test func whatIsTypedAnswersNoQuestion() {
    for mode in Mode.questions {
      let moving = Action.inMode(mode).filter { [.next, .previous].contains($0.name) }
      let letters = moving.flatMap(\.keys).filter {
        if case .character = $0 { true } else { false }
      }
      #expect(moving.count == 2 && letters.isEmpty, "\(mode): \(letters)")
    }
    var state = Fixture.empty()
    Fixture.play(&state, .key("t"))
    Fixture.play(&state, .key(.enter))
    Fixture.type("127.0.0.1:9999/up", &state)
    Fixture.play(
      &state, .key(.enter), .setupRefused("nothing listens there", at: .url, isGoodEnough: true))
    #expect(state.mode == .keepingTarget)
    #expect(Fixture.type("http://127.0.0.1:9911/ok", &state) == [])
    // There is no way around the ends to the answer that is not safe.
    Fixture.play(&state, .key(.down), .key(.down), .key(.tab))
    #expect(Fixture.play(&state, .key(.enter)) == [] && state.mode == .setup)
    #expect(state.setupAnswers?.url == "http://127.0.0.1:9999/up")
  }

  @Test func quittingTwiceIsQuittingHoweverMuchLiesThere() {
    var state = Self.browsing()
    Fixture.play(&state, .key("?"), .key(.control("c")))
    #expect(state.mode == .quitting)
    #expect(Fixture.play(&state, .key(.control("c"))) == [.quit(.forced)])
    Fixture.play(&state, .command("quit"), .command("help"), .command("quit"), .command("help"))
    #expect(state.dialogs.count <= 3)
  }

  @Test(
    arguments: [
      (.unavailable, [.stopAndQuit, .finishThenQuit, .close], [.bell], .stopping),
      (
        .offered, [.stopAndQuit, .finishThenQuit, .goOnInBackground, .close],
        [.quit(.background)], .stopping
      ),
      (
        .preferred, [.goOnInBackground, .stopAndQuit, .finishThenQuit, .close],
        [.quit(.background)], .background
      ),
    ] as [(AppState.Background, [Action.Name], [Effect], QuitMode)])
  func theBackgroundIsOfferedWhereThereIsOne(
    _ background: AppState.Background, _ names: [Action.Name], _ answer: [Effect],
    _ closed: QuitMode
  ) {
    var state = Fixture.mixed()
    state.options.background = background
    Fixture.type("q", &state)
    guard case .question(let question) = state.dialog else {
      Issue.record("\(state.mode)")
      return
    }
    #expect(question.buttons.map(\.name) == names)
    #expect(Fixture.play(&state, .key("b")) == answer)
    #expect(Fixture.play(&state, .hangUp) == [.quit(closed)])
    #expect(Fixture.play(&state, .terminate) == [.quit(.stopping)])
  }

  @Test func theFooterHasAllAnswersAndTheLastOneSaysWhatItDoes() {
    var state = Fixture.mixed()
    state.options.background = .offered
    Fixture.type("q", &state)
    let footer = render(state, size: state.size).text.last ?? ""
    for words in ["s stop and quit", "f finish, then quit", "b in the background", "Esc"] {
      #expect(footer.contains(words), "\(footer)")
    }
    Fixture.play(&state, .key(.escape))
    #expect(state.message == nil)
    Fixture.type("qf", &state)
    #expect(state.filesToFinish != nil)
    Fixture.play(&state, .key("q"), .key(.escape))
    #expect(state.filesToFinish == nil && state.message == "hoist no longer quits by itself")
  }

  @Test func whatThePersonStoppedDoesNotGoOnBehindTheirBack() {
    var state = Fixture.mixed()
    state.options.background = .preferred
    Fixture.type("s", &state)
    #expect(Fixture.play(&state, .hangUp) == [.quit(.stopping)])
    var idle = Fixture.empty()
    idle.options.background = .preferred
    #expect(Fixture.play(&idle, .hangUp) == [.quit(.stopping)])
  }

  @Test(
    arguments: [
      // Nothing goes on, and nothing ends.
      ([.paused], true, [.stopAndQuit, .close]),
      ([.paused, .waiting], false, [.stopAndQuit, .close]),
      // What is under way ends, also where nothing begins.
      ([.paused, underWay], false, [.stopAndQuit, .finishThenQuit, .close]),
      ([.paused, .waiting], true, [.stopAndQuit, .finishThenQuit, .goOnInBackground, .close]),
    ] as [([ItemState], Bool, [Action.Name])])
  func onlyThatIsOfferedWhichDoesSomething(
    _ states: [ItemState], _ isStarted: Bool, _ names: [Action.Name]
  ) {
    var state = Fixture.empty(size: Size(width: 120, height: 40))
    Fixture.play(
      &state,
      .added(states.enumerated().map { Fixture.item(Int64($0 + 1), "\($0)", state: $1) }),
      .stopped(!isStarted))
    state.options.background = .offered
    Fixture.type("q", &state)
    guard case .question(let question) = state.dialog else {
      Issue.record("\(state.mode)")
      return
    }
    #expect(question.buttons.map(\.name) == names)
    for (key, name) in [("f", Action.Name.finishThenQuit), ("b", .goOnInBackground)]
    where !names.contains(name) {
      #expect(Fixture.type(key, &state) == [.bell] && state.mode == .quitting, "\(key)")
    }
    // A terminal that is closed leaves nothing in the background either that has nothing to do.
    state.options.background = .preferred
    let goesOn = names.contains(.goOnInBackground)
    #expect(Fixture.play(&state, .hangUp) == [.quit(goesOn ? .background : .stopping)])
  }

  private static let underWay = ItemState.sending(attempt: 1, sent: 10, total: 100)

  @Test func nothingGoesToTheBackgroundThatHasEndedMeanwhile() {
    var state = Fixture.empty()
    state.options.background = .offered
    Fixture.play(&state, .added([Fixture.item(1, "a"), Fixture.item(2, "b", state: .paused)]))
    Fixture.type("q", &state)
    Fixture.play(&state, .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now))
    #expect(Fixture.type("b", &state) == [.quit(.stopping)])
  }

  @Test(arguments: Fixture.sizes) func aLongNameLeavesTheAnswersOnTheScreen(_ size: Size) {
    var state = Fixture.empty(size: size)
    state.options.listsServer = true
    let name = String(repeating: "title ", count: 40) + ".tar.gz"
    Fixture.play(
      &state, .key("2"), .server(.rows([ServerEntry(id: "1", name: name)])), .key("x"))
    let text = render(state, size: size).text
    #expect(text.contains { $0.contains("cancel") })
    #expect(text.contains { $0.contains(".tar.gz") })
    #expect(text.contains { $0.contains("brings it back") || $0.contains("back.") })
  }
}
