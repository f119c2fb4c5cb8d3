import Testing
import UploadModel

@testable import Screens

/// What is beside the queue: panes, the list of files, the form, the command line, the mouse.
@Suite struct PaneTests {
  private static func browsing() -> AppState {
    var state = Fixture.empty()
    Fixture.play(&state, .key("b"), .folder(Fixture.folder))
    return state
  }

  private static func path(_ name: String) -> PathInput {
    .bytes(Array("/home/me/pictures/\(name)".utf8))
  }

  static let choices: [([Key], [PathInput])] = [
    (["j", "a"], [path("IMG_0001.jpg")]), (["j", .enter], [path("IMG_0001.jpg")]),
    (["j", " ", " ", .enter], [path("IMG_0001.jpg"), path("IMG_0002.jpg")]),
    (["/", "n", "o", "t", .enter, "a"], [path("notes.txt")]),
    ([.control("a"), "j", " ", "a"], [path("IMG_0002.jpg"), path("café.png"), path("notes.txt")]),
    (["j", " ", .control("r"), "a"], [path("IMG_0002.jpg"), path("café.png"), path("notes.txt")]),
    (["a"], [path("holiday 漢字")]),
  ]

  @Test(arguments: choices)
  func filesAreChosenFromAList(_ keys: [Key], _ paths: [PathInput]) {
    var state = Self.browsing()
    let effects = keys.flatMap { reduce(&state, .key($0)) }
    guard case .add(let added)? = effects.last else {
      Issue.record("\(effects)")
      return
    }
    #expect(Set(added.map { "\($0)" }) == Set(paths.map { "\($0)" }))
    #expect(state.mode == .queue)
  }

  @Test func foldersAreEnteredAndLeft() {
    var state = Self.browsing()
    #expect(
      Fixture.play(&state, .key(.enter))
        == [.listFolder(Array("/home/me/pictures/holiday 漢字".utf8))])
    #expect(Fixture.play(&state, .key("h")) == [.listFolder(Array("/home/me".utf8))])
    // Coming up, the cursor is on the folder that was left.
    let above = Folder(
      path: Array("/home/me".utf8), name: "/home/me",
      entries: ["aaa", "pictures", "zzz"].map {
        Folder.Entry(name: $0, path: Array("/home/me/\($0)".utf8), isFolder: true, size: 0)
      })
    Fixture.play(&state, .folder(above))
    guard case .browser(let browser) = state.dialog else {
      Issue.record("another case than the one that is tested")
      return
    }
    #expect(browser.selected?.name == "pictures")
    #expect(Fixture.play(&state, .key("h")) == [.bell], "there is nothing above")
  }

  @Test func hiddenNamesAreShownWhenAskedFor() {
    var state = Self.browsing()
    func names() -> [String] {
      if case .browser(let browser) = state.dialog { browser.entries.map(\.name) } else { [] }
    }
    #expect(!names().contains(".thumbnails"))
    Fixture.type(".", &state)
    #expect(names().contains(".thumbnails"))
    Fixture.type("/png", &state)
    #expect(names() == ["café.png"])
    Fixture.play(&state, .key(.escape))
    #expect(names().count == 6)
  }

  @Test func marksThatTheFilterHidesAreCountedAloud() {
    var state = Self.browsing()
    func says(_ words: String) -> Bool {
      render(state, size: state.size).text.contains { $0.contains(" \(words) ") }
    }
    Fixture.play(&state, .key(.control("a")))
    guard case .browser(let browser) = state.dialog else {
      Issue.record("another case than the one that is tested")
      return
    }
    let count = browser.marks.count
    let all = browser.folder?.entries.count ?? 0
    let marked = "\(count)/\(all) marked · \(HumanReadable.bytes(browser.markedBytes))"
    #expect(count > 1 && says(marked))
    Fixture.play(&state, .key("/"), .key("p"), .key("n"), .key("g"), .key(.enter))
    #expect(says("\(marked), \(count - 1) not shown · with \"png\""))
    // Esc takes the filter away first, and the marks stay.
    Fixture.play(&state, .key(.escape))
    #expect(says(marked))
    Fixture.play(&state, .key(.escape))
    #expect(state.mode == .queue)
  }

  @Test func aNameThatIsNoTextIsAddedByItsBytes() {
    var state = Fixture.empty()
    let bytes: [UInt8] = [0x2F, 0xFF, 0xFE]
    let entry = Folder.Entry(name: "\u{FFFD}\u{FFFD}", path: bytes, isFolder: false, size: 3)
    Fixture.play(&state, .key("b"), .folder(Folder(path: [0x2F], name: "/", entries: [entry])))
    #expect(Fixture.type("a", &state) == [.add([.bytes(bytes)])])
  }

  // MARK: The form

  static let edits: [(String, [Key], String, String?, String, String?)] = [
    ("other.bin", [], "a/b", "other.bin", "text/plain", nil),
    ("", [.tab], "image/webp", nil, "image/webp", nil),
    ("", [.tab, .tab], "upload", nil, "text/plain", "upload"),
  ]

  @Test(arguments: edits)
  func editing(
    _ name: String, _ moves: [Key], _ text: String, _ newName: String?, _ type: String,
    _ field: String?
  ) throws {
    var state = Fixture.mixed()
    let before = try #require(state.queue.row(ItemID(7))?.item)
    Fixture.type("jjjjjje", &state)
    if !name.isEmpty { Fixture.play(&state, .key(.control("u")), .paste(name)) }
    for key in moves { Fixture.play(&state, .key(key)) }
    if !moves.isEmpty { Fixture.play(&state, .key(.control("u")), .paste(text)) }
    let effects = Fixture.play(&state, .key(.enter))
    guard case .edit(let items)? = effects.first, let item = items.first else {
      Issue.record("\(effects) \(state.mode)")
      return
    }
    #expect(item.fileName == newName ?? "漢字かな交じり文.png")
    #expect(item.field == field)
    #expect(moves.count == 1 ? item.mediaType == type : true)
    if moves.count == 1 { #expect(item.typeSource == UploadItem.chosenByHand) }
    // Undone, it is as it was.
    let undone = Fixture.type("z", &state)
    #expect(undone == [.edit([before])])
  }

  @Test(arguments: ["", "nonsense", "a/", "/b", "a/b/c", "a b/c", "ä/b"])
  func whatIsNoTypeIsRefused(_ type: String) {
    var state = Fixture.mixed()
    Fixture.type("jjjjjje", &state)
    Fixture.play(&state, .key(.tab), .key(.control("u")), .paste(type))
    if type.isEmpty { Fixture.play(&state, .key("x"), .key(.backspace)) }
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(state.mode == .form)
  }

  @Test func severalFilesKeepWhatDiffers() {
    var state = Fixture.mixed()
    Fixture.type("jjjjjj  e", &state)
    Fixture.play(&state, .key(.tab), .key(.tab), .paste("attachment"))
    let effects = Fixture.play(&state, .key(.enter))
    guard case .edit(let items)? = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(items.map(\.field) == ["attachment", "attachment"])
    #expect(items.map(\.mediaType) == ["image/png", "application/octet-stream"])
  }

  @Test func aTargetIsPickedFromTheList() {
    var state = Fixture.empty()
    state.options.targets = Fixture.rows("album", "photos-new", "photos-old")
    var item = Fixture.item(1, "a.txt")
    item.target = "album"
    Fixture.play(&state, .added([item]), .key("e"), .key(.backTab), .key(" "))
    func text() -> String { render(state, size: state.size).text.joined(separator: "\n") }
    #expect(state.mode == .pick && text().contains("http://photos-new/"), "\(text())")
    // Esc goes back to the form, which keeps what it has.
    Fixture.play(&state, .key(.escape))
    #expect(state.mode == .form && text().contains("▸ album"))
    // Typing opens the list too, with what contains it.
    Fixture.type("old", &state)
    #expect(!text().contains("photos-new"))
    Fixture.play(&state, .key(.enter))
    #expect(state.mode == .form && text().contains("▸ photos-old"))
    Fixture.play(&state, .key(.tab), .key("b"))
    (item.target, item.fileName, item.nameIsChosen) = ("photos-old", "a.txtb", true)
    let effects = Fixture.play(&state, .key(.enter))
    #expect(effects == [.lookForEdited([item])])
    #expect(Fixture.answered(effects, &state) == [.edit([item])])
  }

  /// The type, the field and the target of all marked files at once.
  @Test func whatIsMarkedIsSetAtOnce() {
    var state = Fixture.empty()
    state.options.targets = Fixture.rows("album", "photos")
    var items = (1...5).map { Fixture.item($0, "\($0).txt", size: $0) }
    for index in items.indices { items[index].target = "album" }
    Fixture.play(&state, .added(items), .perform(.markAll), .key("e"), .key(.tab))
    Fixture.play(&state, .key(.control("u")), .paste("text/csv"), .key(.tab), .paste("data"))
    guard case .edit(let edited)? = Fixture.play(&state, .key(.enter)).first else {
      Issue.record("nothing is edited")
      return
    }
    #expect(edited.map(\.mediaType) == Array(repeating: "text/csv", count: 5))
    #expect(edited.map(\.field) == Array(repeating: "data", count: 5))
    #expect(edited.map(\.fileName) == items.map(\.fileName))
  }

  @Test func tabCompletesAPath() {
    var state = Fixture.empty()
    var item = Fixture.item(1, "a.txt")
    item.state = .failed(Failure(.missing))
    Fixture.play(&state, .added([item]), .key("e"), .key(.control("u")), .paste("/tm"))
    func text() -> String { render(state, size: state.size).text.joined(separator: "\n") }
    #expect(Fixture.play(&state, .key(.tab)) == [.complete("/tm")])
    #expect(Fixture.play(&state, .completions(for: "/tm", ["/tmp/"])) == [])
    #expect(Fixture.play(&state, .key(.tab)) == [.complete("/tmp/")])
    Fixture.play(&state, .completions(for: "/tmp/", ["/tmp/a.txt", "/tmp/ab.txt"]))
    #expect(Fixture.play(&state, .key(.tab)) == [.complete("/tmp/a")])
    Fixture.play(&state, .completions(for: "/tmp/a", ["/tmp/a.txt", "/tmp/ab.txt"]))
    #expect(text().contains("2 start with this: a.txt, ab.txt"), "\(text())")
    // An answer to what stood there before is too late.
    Fixture.type("b", &state)
    Fixture.play(&state, .completions(for: "/tmp/a", ["/tmp/other"]))
    #expect(text().contains("/tmp/ab ") && !text().contains("start with this"), "\(text())")
    #expect(Fixture.play(&state, .completions(for: "/tmp/ab", [])) == [.bell])
    #expect(text().contains("nothing starts with this"))
    Fixture.play(&state, .completions(for: "/tmp/ab", ["/tmp/ab.txt"]))
    guard case .lookForEdited(let items)? = Fixture.play(&state, .key(.enter)).first else {
      Issue.record("the path is not taken")
      return
    }
    #expect(items.map(\.location.description) == ["/tmp/ab.txt"])
    // If no file is there, the form says so, and nothing is changed.
    #expect(Fixture.play(&state, .pathRefused("no file is there")) == [.bell])
    #expect(state.mode == .form && text().contains("no file is there"), "\(text())")
    #expect(state.item(item.id)?.location == item.location)
    Fixture.play(&state, .key(.control("u")), .paste("/tmp/a.txt"))
    #expect(!text().contains("no file is there"))
    Fixture.play(&state, .key(.escape))
    #expect(Fixture.play(&state, .pathRefused("no file is there")) == [], "it was closed before")
  }

  @Test func onlyWhatIsChangedIsLookedAt() {
    var state = Fixture.empty()
    state.options.targets = Fixture.choices("photos")
    var item = Fixture.item(1, "a.txt")
    item.target = "https://elsewhere.example.com/"
    Fixture.play(&state, .added([item]), .key("e"))
    // Through all fields to the target, and about in it.
    Fixture.play(&state, .key(.tab), .key(.tab), .key(.tab), .key(.left), .key("x"))
    Fixture.play(&state, .key(.escape), .key(.backTab), .paste("upload"))
    let effects = Fixture.play(&state, .key(.enter))
    item.field = "upload"
    #expect(effects == [.edit([item])])
  }

  @Test func whatBeganWhileTheFormWasOpenIsNotChanged() {
    var state = Fixture.mixed()
    Fixture.type("jjjjjje", &state)
    Fixture.play(
      &state, .engine([(ItemID(7), .preparing(attempt: 1))], at: state.now), .key("x"))
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(state.message == "not changed, because sending has begun")
  }

  // MARK: Targets, the server, the history

  @Test func theTargetIsSwitched() {
    var state = Fixture.mixed()
    state.options.targets = Fixture.choices("album", "photos", "tickets")
    #expect(
      Fixture.play(&state, .key("t"), .key(.down), .key(.enter))
        == [.readTargets, .switchTarget("tickets")])
    // What is typed narrows them down, by name or address.
    state.options.targets[0].url = "https://pictures.example.com/"
    Fixture.type("tpict", &state)
    #expect(
      render(state, size: state.size).text.contains {
        $0.contains("album ") && $0.contains(" https://pictures")
      })
    #expect(Fixture.play(&state, .key(.enter)) == [.switchTarget("album")])
    Fixture.play(
      &state, .target(name: "tickets", url: "https://t/", concurrency: 4, listsServer: true))
    #expect(render(state, size: state.size).text[0].contains("tickets"))
    #expect(Fixture.play(&state, .command("target tickets")) == [])
    #expect(Fixture.play(&state, .command("target album")) == [.switchTarget("album")])
    // Whether there is one of that name, the configuration says as it is now.
    #expect(Fixture.play(&state, .command("target nowhere")) == [.switchTarget("nowhere")])
    // Where the server's files are listed, too; the list is then the other one's.
    let asked = Fixture.play(&state, .key("2"), .key("t"), .key("l"), .key(.enter))
    #expect(asked == [.listServer, .readTargets, .switchTarget("album")])
    let answer = AppEvent.target(
      name: "album", url: "https://a/", concurrency: 4, listsServer: true)
    #expect(Fixture.play(&state, answer) == [.listServer])
    #expect(state.pane == .server)
    // A question about the other one's files has become meaningless by then.
    Fixture.play(&state, .server(.rows(Fixture.serverRows)), .key("x"))
    #expect(state.mode == .deleting)
    Fixture.play(
      &state, .target(name: "photos", url: "https://p/", concurrency: 4, listsServer: true))
    #expect(state.mode == .server)
  }

  @Test func whatIsOnTheServerIsListedAndDeleted() {
    var state = Fixture.empty()
    #expect(Fixture.type("L", &state) == [], "this target has no list")
    state.options.listsServer = true
    #expect(Fixture.type("L", &state) == [.listServer])
    Fixture.play(&state, .server(.rows(Fixture.serverRows)))
    #expect(Fixture.type("jx", &state) == [])
    #expect(state.mode == .deleting)
    #expect(Fixture.play(&state, .key(.enter)) == [], "the way out is lit")
    #expect(Fixture.type("xy", &state) == [.deleteOnServer([Fixture.serverRows[1]])])
    Fixture.play(&state, .server(.rows([Fixture.serverRows[0]])))
    #expect(Fixture.type("y", &state) == [.copy("https://api.example.com/f/1")])
    #expect(Fixture.type("r", &state) == [.listServer])
  }

  @Test func theHistoryIsReadAgainEachTime() {
    var state = Fixture.empty()
    #expect(Fixture.type("3", &state) == [.listHistory(HistoryRequest())])
    Fixture.play(&state, .history(.rows(Fixture.historyRows)))
    #expect(Fixture.type("y", &state) == [.copy("https://api.example.com/f/42")])
    Fixture.play(&state, .key(.enter))
    #expect(state.mode == .page)
    #expect(render(state, size: state.size).text.contains { $0.contains("\"tags\": []") })
    #expect(Fixture.type("q13", &state) == [.listHistory(HistoryRequest())])
  }

  @Test func theLogIsBoundedAndStaysAtItsEnd() {
    var state = Fixture.empty()
    for number in 0..<3000 { Fixture.play(&state, .message("line \(number)")) }
    #expect(state.log.lines.count <= SessionLog.limit + SessionLog.limit / 4)
    Fixture.type("4", &state)
    #expect(render(state, size: state.size).text.contains { $0.contains("line 2999") })
    Fixture.type("g", &state)
    Fixture.play(&state, .message("newer"))
    #expect(state.log.list.cursor == 0, "a reader's place does not move")
  }

  // MARK: The command line

  static let lines: [(String, [Effect], String?)] = [
    ("add /a/b 'c d'", [.add([.typed("/a/b"), .exact("c d")])], nil),
    ("add a\\ b", [.add([.typed("a b")])], nil), ("limit 2 MB/s", [.setLimit(2_000_000)], nil),
    ("limit off", [.setLimit(nil)], nil),
    ("limit fast", [.bell], "limit: \"fast\" is not a speed; give one like 2 MB/s or 500k, or off"),
    ("lanes 65", [.bell], "lanes: expected a number from 1 to 64, or auto, not \"65\""),
    ("lanes", [.bell], "lanes: give the number of files to send at once, such as lanes 4, or auto"),
    ("retry 4 10", [.retry([ItemID(4), ItemID(10)])], nil),
    ("retry lost.bin", [], nil),
    ("retry 99", [.bell], "retry: no file in the queue is called \"99\""),
    ("retry 0", [.bell], "retry: no file in the queue is called \"0\""),
    (
      "retry \(Int.min)", [.bell],
      "retry: no file in the queue is called \"-9223372036854775808\""
    ),
    ("rm 4", [.remove([ItemID(4)])], ""),
    ("remove gone.txt", [.remove([ItemID(10)])], "1 file removed · z undoes"),
    ("pause 7", [.pause([ItemID(7)])], nil),
    ("retry-all", [.retry([ItemID(4), ItemID(10)]), .probe], ""),
    ("details 2", [.inspect(ItemID(2))], nil), ("start-stop", [.setStarted(false)], nil),
    ("find lost", [], nil), ("filter txt", [], nil),
    ("history", [.listHistory(HistoryRequest())], nil),
    ("quit", [], nil), ("q", [], nil), ("", [], nil), ("  ", [], nil),
    ("frobnicate", [.bell], "no command is called \"frobnicate\"; help lists them"),
    ("delte", [.bell], "no command is called \"delte\"; did you mean remove?"),
    ("delete 4", [.remove([ItemID(4)])], ""), ("speed 2 MB/s", [.setLimit(2_000_000)], nil),
    ("retry all", [.retry([ItemID(4), ItemID(10)]), .probe], ""),
    ("stop all", [.setStarted(false)], nil),
    ("retry *.txt", [.retry([ItemID(10), ItemID(11)])], nil),
    ("retry failed", [.retry([ItemID(4), ItemID(10), ItemID(11)])], ""),
    ("retry unknown", [], nil), ("remove sent", [.remove([ItemID(3)])], ""),
    ("pause waiting", [.pause([ItemID(7), ItemID(12)])], ""),
    ("retry doubtful", [.bell], "retry: no file in the queue is doubtful"),
    ("retry today", [.bell], "retry: no file in the queue is called \"today\""),
    ("undo 3", [.bell], "undo takes no argument, but \"3\" was given"),
    (
      "theme nord", [],
      "nord until you quit; base = \"nord\" under [theme] in ~/.config/hoist/config.toml keeps it"
    ),
    ("theme default", [], nil),
    (
      "theme neon", [.bell],
      "theme: expected one of default, dark, light, nord, gruvbox, dracula, solarized, rose-pine, contrast, plain, not \"neon\""
    ),
    (
      "sort sideways", [.bell],
      "sort: expected one of name, smallest, largest, type, target, failed, reverse, not \"sideways\""
    ),
  ]

  @Test(arguments: lines)
  func commands(_ line: String, _ effects: [Effect], _ message: String?) {
    var state = Fixture.mixed()
    #expect(Fixture.play(&state, .command(line)) == effects)
    if message != "" { #expect(state.message == message) }
  }

  @Test(arguments: [
    ("delete", "remove"), ("dele", "remove"), ("speed", "limit"), ("parallel", "lanes"),
    ("resend", "retry"),
    ("upload", "add"), ("q!", "quit"), ("rename", "rename"), ("lim", "limit"),
  ])
  func theListOffersWhatTheLineRuns(_ typed: String, _ first: String) {
    #expect(CommandLine.matching(typed).first?.name.word == first)
    #expect(CommandLine(typed)?.action?.name.word == first || ["lim", "dele"].contains(typed))
  }

  /// A command of the queue, given beside it, and what is to be seen then.
  static let besideTheQueue: [(String, [Effect], Mode)] = [
    ("clear", [.remove([ItemID(3)])], .queue), ("undo", [.bell], .queue),
    ("pause-all", [], .pausing), ("add", [], .prompt),
    ("sort reverse", [.reorder((1...12).reversed().map(ItemID.init))], .queue),
    ("limit", [], .limit), ("start-stop", [.setStarted(false)], .queue),
    ("add /a", [.add([.typed("/a")])], .queue), ("details 2", [.inspect(ItemID(2))], .details),
  ]

  /// What another pane has too is done there.
  @Test func aCommandOfTheVisiblePaneStaysThere() {
    var state = Fixture.mixed()
    Fixture.play(&state, .key("3"), .history(.rows(Fixture.historyRows)), .command("sort"))
    #expect(state.pane == .history && state.message == "history sorted: by name")
  }

  @Test(arguments: besideTheQueue)
  func aCommandOfTheQueueShowsIt(_ line: String, _ effects: [Effect], _ mode: Mode) {
    for key in ["2", "3", "4"] as [Key] {
      var state = Fixture.mixed()
      Fixture.play(&state, .key(key))
      Fixture.type(":" + line, &state)
      #expect(Fixture.play(&state, .key(.enter)) == effects)
      #expect(state.mode == mode)
      #expect(state.pane == .queue)
    }
    var state = Fixture.mixed()
    Fixture.type("3", &state)
    #expect(Fixture.play(&state, .command("log"), .command("help")) == [])
    #expect(state.pane == .log, "what is there in every pane stays where it is")
  }

  @Test(
    arguments: [
      ("https://nas/up", "https://nas/up", ""), ("nas", "", "nas"),
      ("nas.example", "nas.example", ""),
      ("", "", ""),
    ])
  func aNewTargetIsMadeWhereTargetsAreChosen(_ typed: String, _ url: String, _ name: String) {
    var state = Fixture.mixed()
    state.options.targets = Fixture.choices("photos")
    Fixture.type("t" + typed, &state)
    Fixture.play(&state, .key(.end), .key(.down), .key(.enter))
    #expect(
      state.mode == .setup && state.setupAnswers?.url == url && state.setupAnswers?.name == name)
    #expect(!render(state, size: state.size).text.contains { $0.contains("hoist demo") })
    // It can be left again, unlike that of a first start.
    #expect(Fixture.play(&state, .key(.escape)) == [] && state.mode == .queue)
    #expect(Fixture.play(&state, .command("target https://nas/up")) == [])
    #expect(state.setupAnswers?.url == "https://nas/up")
    guard case .setUp? = Fixture.play(&state, .key(.enter)).last else {
      Issue.record("it is not tried")
      return
    }
    var left = state
    #expect(Fixture.play(&left, .key(.escape)) == [.stopSetUp] && left.mode == .queue)
    Fixture.play(&state, .targets(Fixture.rows("nas", "photos")))
    #expect(state.mode == .queue)
    // Without a configuration there is no place for it, as in the demo.
    state.options.configuration = nil
    Fixture.type("t", &state)
    #expect(Self.menu(state) == ["nas", "photos"])
    Fixture.play(&state, .key(.escape))
    state.options.targets = []
    #expect(Fixture.type("t", &state) == [.bell])
  }

  @Test func targetsThatWereWrittenMeanwhileAreSeen() {
    var state = Fixture.mixed()
    state.options.targets = Fixture.choices("photos")
    Fixture.type("t", &state)
    Fixture.play(&state, .targets(Fixture.rows("album", "photos", "nas")))
    #expect(Self.menu(state) == ["album", "photos", "nas", "new target…"])
    #expect(Fixture.play(&state, .key(.enter)) == [], "the cursor stays on photos")
    Fixture.type("tna", &state)
    Fixture.play(&state, .targets(Fixture.rows("nas", "photos", "snail")))
    #expect(Self.menu(state) == ["nas", "snail", "new target…"])
    Fixture.play(&state, .key(.escape))
    // Forms take them, too.
    Fixture.type("jjjjjj", &state)
    #expect(Fixture.type("e", &state) == [.readTargets])
    Fixture.play(&state, .targets(Fixture.rows("nas")), .key(.backTab), .paste("nas"), .key(.enter))
    _ = Fixture.answered(Fixture.play(&state, .key(.enter)), &state)
    #expect(state.queue.row(ItemID(7))?.item.target == "nas")
  }

  private static func menu(_ state: AppState) -> [String]? {
    guard case .menu(let menu) = state.dialog else { return nil }
    return menu.shown.map { menu.choices[$0] }
  }

  @Test(
    arguments: [
      (["http://127.0.0.1:3000/a", "http://127.0.0.1:3000/b"], ["…a", "…b"]),
      (["http://127.0.0.1:3000/up", "http://127.0.0.1:4000/up"], ["…3000/up", "…4000/up"]),
      (
        ["https://photos.example/up", "https://pictures.example/up"],
        ["photos.example/up", "pictures.example/up"]
      ),
      (["http://a/up", "https://a/up"], ["http://a/up", "https://a/up"]),
      (["https://one.example/up", "nas"], ["one.example/up", "nas"]),
      (["http://a/up", "http://a/up?x=1"], ["…up", "…up?x=1"]),
      (["https://a/", "https://a/x"], ["a/", "a/x"]),
      (["", "nas"], ["", "nas"]),
    ])
  func aColumnSaysWhatTellsTargetsApart(_ names: [String], _ labels: [String]) {
    #expect(names.map(TargetLabels(names).label) == labels)
  }

  @Test func commandsAreCompletedAndRemembered() {
    var state = Fixture.empty()
    state.options.targets = Fixture.choices("album", "photos")
    func text() -> String {
      if case .command(let prompt) = state.dialog { prompt.line.field.text } else { "" }
    }
    Fixture.type(":und", &state)
    Fixture.play(&state, .key(.tab))
    #expect(text() == "undo")
    Fixture.play(&state, .key(.escape))
    Fixture.type(":target a", &state)
    Fixture.play(&state, .key(.tab))
    #expect(text() == "target album")
    #expect(Fixture.play(&state, .key(.enter)) == [.switchTarget("album")])
    Fixture.type(":lanes 3", &state)
    Fixture.play(&state, .key(.enter))
    Fixture.type(":", &state)
    Fixture.play(&state, .key(.up))
    #expect(text() == "lanes 3")
    Fixture.play(&state, .key(.up))
    #expect(text() == "target album")
    Fixture.play(&state, .key(.down), .key(.down))
    #expect(text() == "")
    Fixture.play(&state, .paste("add ~/my\\ fi"))
    #expect(Fixture.play(&state, .key(.tab)) == [.complete("~/my fi")])
    Fixture.play(&state, .completions(for: "~/my fi", ["~/my file.txt"]))
    #expect(text() == "add ~/my\\ file.txt")
    #expect(Fixture.play(&state, .key(.enter)) == [.add([.typed("~/my file.txt")])])
  }

  @Test func everyActionHasAWordOfItsOwn() {
    #expect(Set(Action.Name.allCases.map(\.word)).count == Action.Name.allCases.count)
    #expect(Action.Name(word: "retry-all") == .retryAll)
    #expect(Action.Name.copyURL.word == "copy-url")
    #expect(Action.Name(word: "nothing") == nil)
  }

  // MARK: The mouse

  @Test func clicksSelectAndOpen() {
    var state = Fixture.mixed()
    Fixture.play(&state, .mouse(Mouse(.click, row: 6, column: 10)))
    #expect(state.selected?.id == ItemID(4))
    #expect(
      Fixture.play(&state, .mouse(Mouse(.click, row: 6, column: 10))) == [.inspect(ItemID(4))])
    Fixture.play(&state, .key(.escape), .mouse(Mouse(.wheelDown, row: 5, column: 5)))
    #expect(state.list.cursor == 6)
    Fixture.play(&state, .mouse(Mouse(.wheelUp, row: 5, column: 5)))
    #expect(state.list.cursor == 3)
    let tabs = Tabs(state, width: 80).tabs
    for tab in tabs {
      Fixture.play(&state, .mouse(Mouse(.click, row: 1, column: tab.columns.lowerBound)))
      #expect(state.pane == tab.pane)
    }
    Fixture.play(&state, .key("1"), .key("q"))
    let rows = render(state, size: state.size).text
    let row = rows.firstIndex { $0.contains("finish, then quit") } ?? 0
    #expect(Fixture.play(&state, .mouse(Mouse(.click, row: row, column: 30))) == [])
    #expect(state.finishing == .queue)
  }

  @Test func aClickBelowTheLastRowSelectsNothing() {
    var state = Fixture.mixed()
    state.options.listsServer = true
    Fixture.play(&state, .key("2"), .server(.rows(Fixture.serverRows)))
    let below = state.layout.rows.lowerBound + 5
    Fixture.play(&state, .mouse(Mouse(.click, row: below, column: 10)))
    #expect(state.server.list.cursor == 0)
    state = Fixture.empty()
    Fixture.play(&state, .message("one"), .message("two"), .key("4"), .key("g"))
    Fixture.play(&state, .mouse(Mouse(.click, row: below, column: 10)))
    #expect(state.log.list.cursor == 0)
  }

  @Test(arguments: Fixture.sizes) func aClickAnywhereIsSafe(_ size: Size) {
    for keys in ["", "b", "o", "q", "?", "4", "a", ":", "jje"] {
      for row in -1...size.height {
        var state = Fixture.mixed(size: size)
        Fixture.type(keys, &state)
        Fixture.play(&state, .folder(Fixture.folder))
        for column in [-1, 0, size.width / 2, size.width] {
          Fixture.play(&state, .mouse(Mouse(.click, row: row, column: column)))
        }
      }
    }
  }

  /// A wide window has room for whole addresses in the history.
  @Test(arguments: [160, 200])
  func theHistoryShowsWholeTargets(_ width: Int) {
    var state = Fixture.empty(size: Size(width: width, height: 40))
    var rows = Fixture.historyRows
    let targets = ["127.0.0.1:8001/slow", "nas.example.com/incoming/low", "[::1]:8000/low"]
    for (index, target) in targets.enumerated() { rows[index].target = "http://\(target)" }
    Fixture.play(&state, .history(.rows(rows)), .key("3"))
    let text = render(state, size: state.size).text
    for target in targets { #expect(text.contains { $0.contains("  \(target)  ") }, "\(text)") }
  }

  /// A list that is longer than its box says where one is in it.
  @Test func aLongMenuSaysHowLongItIs() {
    var state = Fixture.empty(size: Size(width: 80, height: 14))
    state.options.targets = (1...40).map { TargetRow(name: "target\($0)", url: "http://h/") }
    Fixture.play(&state, .key("t"), .targets(state.options.targets), .key(.down))
    let text = render(state, size: state.size).text
    #expect(text.contains { $0.contains(" 2 of 41 ") }, "\(text)")
  }
}
