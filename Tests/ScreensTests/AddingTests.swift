import Testing
import UploadModel

@testable import Screens

/// Getting files in: what the prompt shows, what a paste brings, what waits already; and a first start.
@Suite struct AddingTests {
  private static func said(_ state: AppState) -> String {
    render(state, size: state.size).text.joined(separator: "\n")
  }

  @Test(arguments: [
    (AddPreview(files: 5, bytes: 11_000_000), "5 files, 11 MB"),
    (AddPreview(files: 1, bytes: 0), "1 file, 0 B"),
    (AddPreview(files: 10_000, bytes: 1, isMore: true), "more than 10,000 files, 1 B"),
    (AddPreview(missing: ["*.jpeg"]), "nothing matches *.jpeg"),
    (AddPreview(missing: ["a.txt"]), "nothing is called a.txt"),
    (
      AddPreview(files: 2, bytes: 10, missing: ["a", "b"]),
      "2 files, 10 B; nothing is called a; 1 more not found"
    ),
    (AddPreview(), "no files found"),
    (AddPreview(mistake: "\"md\" is no media type"), "\"md\" is no media type"),
  ])
  func previews(_ preview: AddPreview, _ words: String) { #expect(preview.words == words) }

  @Test func thePromptShowsWhatItWouldAdd() {
    var state = Fixture.empty()
    state.options.folder = "/home/me"
    Fixture.type("a", &state)
    #expect(Self.said(state).contains("in /home/me"))
    #expect(Fixture.previews("*.j", &state) == ["*", "*.", "*.j"])
    Fixture.play(&state, .linePreview(for: "*.j", AddPreview(files: 5, bytes: 11_000_000)))
    #expect(Self.said(state).contains("5 files, 11 MB"))
    // An answer to what was typed before says nothing of what stands here.
    #expect(Fixture.previews("p", &state) == ["*.jp"])
    #expect(!Self.said(state).contains("5 files"))
    Fixture.play(&state, .linePreview(for: "*.j", AddPreview(files: 5)))
    #expect(!Self.said(state).contains("5 files"))
    // What is nothing is not added, and stays to be mended.
    Fixture.play(&state, .linePreview(for: "*.jp", AddPreview(missing: ["*.jp"])))
    #expect(Self.said(state).contains("nothing matches *.jp"))
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(state.mode == .prompt)
    Fixture.type("g", &state)
    #expect(Fixture.play(&state, .key(.enter)) == [.add([.typed("*.jpg")])])
    // Moving about in the line asks nothing.
    Fixture.type("aab", &state)
    #expect(reduce(&state, .key(.left)) == [])
  }

  @Test func aPasteOfWhichOneLineIsOddLosesNone() {
    var state = Fixture.empty()
    let effects = Fixture.play(&state, .paste("file:///a/b.txt\nhttps://example.com/c\n"))
    #expect(effects.first == .add([.exact("/a/b.txt")]))
    #expect(state.mode == .prompt)
    #expect(Self.said(state).contains("https://example.com/c"))
    state = Fixture.empty()
    Fixture.play(&state, .paste("one\ntwo\n/three\n"))
    #expect(Self.said(state).contains("2 lines are not paths"))
  }

  @Test(arguments: [
    (1, 0, 0, "0 is in the queue already. If sent again, it", "already in the queue"),
    (2, 0, 0, "2 files are in the queue already. If sent again, they", "already in the queue"),
    (0, 1, 0, "0 was sent to this target before. If sent again, it", "sent before"),
    (0, 3, 0, "3 files were sent to this target before. If sent again, they", "sent before"),
    (
      1, 1, 0, "1 file is in the queue already, 1 was sent to this target before.",
      "already in the queue or sent before"
    ),
    (
      2, 3, 0, "2 files are in the queue already, 3 were sent to this target before.",
      "already in the queue or sent before"
    ),
    (
      0, 0, 1,
      "0 may have arrived before; check the server. If sent again, it",
      "perhaps sent before"
    ),
    (
      0, 0, 2,
      "2 files may have arrived before; check the server. If sent again, they",
      "perhaps sent before"
    ),
    (
      0, 3, 1, "3 files were sent to this target before, 1 may have arrived before; check the",
      "sent before or perhaps sent before"
    ),
    (
      1, 1, 2,
      "1 file is in the queue already, 1 was sent to this target before, 2 may have arrived before",
      "already in the queue or sent before or perhaps sent before"
    ),
  ])
  func whatIsThereAlreadyIsLeftOutUnlessItIsMeant(
    _ waiting: Int, _ sent: Int, _ doubtful: Int, _ question: String, _ reason: String
  ) throws {
    var state = Fixture.mixed(size: Size(width: 120, height: 40))
    var items = (0..<waiting + sent + doubtful).map { Fixture.item(Int64($0 + 1), "\($0)") }
    // They keep the way in which they are to be sent.
    (items[0].field, items[0].target) = ("photo", "nas")
    let event = AppEvent.leftOut(
      LeftOut(
        waiting: Array(items.prefix(waiting)), sent: Array(items.dropFirst(waiting).prefix(sent)),
        doubtful: items.suffix(doubtful)))
    Fixture.play(&state, event)
    guard case .question(let asked) = state.dialog else {
      Issue.record("nothing is asked")
      return
    }
    let words = QuestionBox(question: asked, state: state, size: state.size).words.text
    #expect(words.contains(question), "\(words)")
    #expect(Fixture.play(&state, .key(.enter)) == [], "leaving them out is lit")
    Fixture.play(&state, event)
    #expect(Fixture.type("a", &state) == [.addAgain(items)])
    // Nothing else is interrupted by the question.
    Fixture.type("u", &state)
    Fixture.play(&state, event)
    #expect(state.mode == .limit)
    #expect(
      state.message == "\(HumanReadable.count(items.count, "file")) left out: \(reason)")
  }

  @Test func anUnknownOutcomeHasOneSignEverywhere() {
    #expect(HistoryRow.End.unknown.look.sign == "?")
    #expect(Failure(.outcomeUnknown("x")).sign == "?" && Fixture.tooLarge.sign == "✗")
  }

  @Test func whatMayHaveArrivedIsSentAgainAfterAQuestion() {
    var (state, effects) = ReducerTests.press(["r"], on: 8)
    #expect(effects == [] && state.mode == .sendingAgain)
    #expect(Self.said(state).contains("lost.bin may have arrived; check the"))
    #expect(Fixture.play(&state, .key(.enter)) == [], "leaving it is lit")
    #expect(Fixture.type("ry", &state) == [.retry([ItemID(9)])])
    // One that has been sent meanwhile, by another screen, is not sent again.
    Fixture.type("r", &state)
    Fixture.play(&state, .engine([(ItemID(9), .done(Fixture.receipt))], at: state.now))
    #expect(Fixture.type("y", &state) == [])
    (state, effects) = ReducerTests.press([.control("a"), "r"], on: 0)
    #expect(effects == [])
    #expect(Self.said(state).contains("1 of the 5 may have arrived"))
  }

  @Test func theHistorySendsWhatMayHaveArrivedAfterAQuestion() {
    func row(_ id: Int, _ name: String, _ end: HistoryRow.End) -> HistoryRow {
      var row = HistoryRow(
        id: "\(id)", name: name, target: "photos", size: 1, time: "2026-11-2\(id) 10:00", end: end,
        outcome: "", path: "/\(name)")
      row.record = Fixture.record(row)
      return row
    }
    func add(_ names: String...) -> Effect {
      .sendAgain(names.map { Fixture.record(row(1, $0, .sent)) })
    }
    var state = Fixture.empty(size: Size(width: 120, height: 40))
    // What was sent after all is known; what failed after that may still be there from before.
    let rows = [
      row(6, "a", .unknown), row(5, "b", .sent), row(4, "b", .unknown), row(3, "c", .failed),
      row(2, "c", .unknown), row(1, "d", .failed),
    ]
    Fixture.play(&state, .key("3"), .history(.rows(rows)))
    #expect(Fixture.type("r", &state) == [] && state.mode == .sendingAgain)
    #expect(Self.said(state).contains("a may have arrived; check the server."))
    #expect(Fixture.play(&state, .key(.enter)) == [], "leaving it is lit")
    #expect(Fixture.type("rr", &state) == [add("a")])
    #expect(Fixture.type("jr", &state) == [] && state.mode == .sendingAgain)
    #expect(Self.said(state).contains("b was sent to this target before."))
    #expect(Fixture.type("y", &state) == [add("b")])
    #expect(Fixture.type("jr", &state) == [] && state.mode == .sendingAgain)
    #expect(Fixture.type("y", &state) == [add("c")])
    #expect(Fixture.type("jr", &state) == [add("d")])
    #expect(Fixture.play(&state, .key(.control("a")), .key("r")) == [])
    #expect(Self.said(state).contains("3 of the 4 were sent to photos before or may have "))
    #expect(Fixture.type("y", &state) == [add("a", "b", "c", "d")])
  }

  /// Many files are easily marked by mistake.
  @Test func theQuestionSaysHowManyAndWhereTo() {
    var state = Fixture.empty(size: Size(width: 120, height: 40))
    func ask(_ targets: [String]) -> String {
      let rows = targets.enumerated().map { number, target in
        var row = HistoryRow(
          id: "\(number)", name: "\(number)", target: target, size: 1, time: "2026-11-22 10:00",
          end: .sent, outcome: "201 Created", path: "/\(number)")
        row.record = Fixture.record(row)
        return row
      }
      Fixture.play(
        &state, .key("3"), .history(.rows(rows)), .key(.control("a")), .key("r"))
      defer { Fixture.play(&state, .key(.escape), .key(.escape)) }
      return Self.said(state)
    }
    #expect(ask(["nas", "nas"]).contains("2 files were sent to nas before. If sent again, they"))
    #expect(ask(["a", "b", "c", "b"]).contains("4 files were sent to b, a and c before."))
    #expect(ask(["a", "b", "c", "d"]).contains("4 files were sent to a, b and 2 more before."))
  }

  @Test func anEmptyScreenSaysWhatToPressAndWhereFilesGo() {
    let text = Self.said(Fixture.empty(size: Size(width: 120, height: 24)))
    for words in [
      "Press a to add files, b to choose", "drag them here", "They go to photos, https://api",
      "Press 3 for the history",
    ] {
      #expect(text.contains(words), "\(words)")
    }
  }

  // MARK: The list of files

  private static func browsing() -> AppState {
    var state = Fixture.empty(size: Size(width: 100, height: 24))
    let entries = [
      Folder.Entry(
        name: "sub", path: [1], isFolder: true, size: 0, modified: 50, time: "2026-01-01 10:00"),
      Folder.Entry(
        name: "a.txt", path: [2], isFolder: false, size: 10, modified: 30, time: "2026-01-02 10:00"),
      Folder.Entry(
        name: "b.bin", path: [3], isFolder: false, size: 3000, kind: "link", modified: 10),
      Folder.Entry(name: "c.log", path: [4], isFolder: false, size: 20, modified: 40),
      Folder.Entry(
        name: "pipe", path: [5], isFolder: false, size: 0, kind: "FIFO", isSendable: false),
    ]
    Fixture.play(
      &state, .key("b"), .folder(Folder(path: [9], name: "/home/me/x", entries: entries)))
    return state
  }

  private static func names(_ state: AppState) -> [String] {
    if case .browser(let browser) = state.dialog { browser.entries.map(\.name) } else { [] }
  }

  @Test func theListOfFilesSaysKindsTimesAndSums() {
    var state = Self.browsing()
    let text = Self.said(state)
    #expect(
      text.contains("FIFO") && text.contains("link ?") && text.contains(" 3.0 kB")
        && text.contains("2026-01-02 10:00"))
    Fixture.play(&state, .key(.control("a")))
    #expect(Self.said(state).contains("3/4 marked · 3.0 kB"), "a FIFO cannot be sent")
    Fixture.play(&state, .key(.control("a")))
    #expect(Self.said(state).contains("4/4 marked"), "and the folder, when asked once more")
    #expect(Fixture.type("a", &state) == [.add([[1], [2], [3], [4]].map(PathInput.bytes))])
  }

  /// As people count, and as other lists of files have it.
  @Test func theListOfFilesCounts() {
    var state = Fixture.empty()
    let names = [
      "f10", "f2", "f1", "f01", "f", "a 9.txt", "a 10.txt", "F3", "f99999999999999999999999999",
      "f100000000000000000000000000", "é1",
    ]
    let entries = names.map {
      Folder.Entry(name: $0, path: Array($0.utf8), isFolder: false, size: 1)
    }
    Fixture.play(&state, .key("b"), .folder(Folder(path: [9], name: "/x", entries: entries)))
    #expect(
      Self.names(state) == [
        "F3", "a 9.txt", "a 10.txt", "f", "f01", "f1", "f2", "f10", "f99999999999999999999999999",
        "f100000000000000000000000000", "é1",
      ])
  }

  @Test func theListOfFilesIsSortedAndTheFolderRemembered() {
    var state = Self.browsing()
    #expect(Self.names(state) == ["sub", "a.txt", "b.bin", "c.log", "pipe"])
    Fixture.type("o", &state)
    #expect(Self.names(state).prefix(3) == ["sub", "c.log", "a.txt"])
    #expect(Self.said(state).contains("newest first"))
    Fixture.type("o", &state)
    #expect(Self.names(state).prefix(3) == ["sub", "b.bin", "c.log"])
    Fixture.type("o", &state)
    #expect(Self.names(state).prefix(3) == ["sub", "a.txt", "b.bin"])
    Fixture.type("q", &state)
    #expect(Fixture.type("b", &state) == [.listFolder([9])])
  }

  // MARK: The history

  @Test func theHistoryHasARowForEachFileAndSendsItAgain() {
    var state = Fixture.empty()
    func row(_ id: Int, _ name: String, _ end: HistoryRow.End, target: String = "photos")
      -> HistoryRow
    {
      var row = HistoryRow(
        id: "\(id)", name: name, target: target, size: 1, time: "2026-11-2\(id) 10:00", end: end,
        attempt: id, outcome: end == .sent ? "201 Created" : "503 Service Unavailable",
        path: "/\(name)")
      row.record = Fixture.record(row)
      return row
    }
    let rows = [row(4, "b", .sent), row(3, "a", .sent), row(2, "a", .failed), row(1, "a", .failed)]
    Fixture.play(&state, .key("3"), .history(.rows(rows)))
    #expect(state.history.rows.all.map(\.name) == ["b", "a"])
    Fixture.play(&state, .key("j"), .key(.enter))
    #expect(Self.said(state).contains("2026-11-22 10:00  try 2  503 Service Unavailable"))
    Fixture.play(&state, .key(.escape))
    #expect(Fixture.type("ry", &state) == [.sendAgain([Fixture.record(rows[1])])])
    Fixture.type("o", &state)
    #expect(state.history.rows.all.map(\.name) == ["a", "b"])
    Fixture.play(&state, .history(.rows([row(5, "c", .sent, target: "nas")])))
    // It goes where it went, whichever target is chosen now.
    #expect(
      Fixture.type("ry", &state)
        == [.sendAgain([Fixture.record(row(5, "c", .sent, target: "nas"))])]
    )
  }

  @Test(arguments: [
    ("https://e.org/f/1", true), ("HTTP://e.org", true), ("file:///etc/passwd", false),
    ("javascript:alert(1)", false), ("https://e.org/\u{1B}[2J", false),
  ])
  func onlyPlainAddressesOfTheWebAreOpened(_ url: String, _ isOpened: Bool) {
    var state = Fixture.empty()
    let receipt = Receipt(status: 201, url: url)
    Fixture.play(
      &state, .added([Fixture.item(1, "a")]), .engine([(ItemID(1), .done(receipt))], at: state.now))
    #expect(Fixture.type("O", &state) == (isOpened ? [.openURL(url)] : [.bell]))
  }

  @Test(arguments: [
    ("https://e.org/del/1", true), ("javascript:alert(1)", false),
    ("https://e.org/\u{1B}[2J", false),
    (nil, false),
  ])
  func anUploadedFileIsDeletedAfterAYes(_ url: String?, _ isAsked: Bool) {
    var state = Fixture.empty()
    let receipt = Receipt(status: 201, deletionURL: url)
    Fixture.play(
      &state, .added([Fixture.item(1, "a")]), .engine([(ItemID(1), .done(receipt))], at: state.now))
    #expect(Fixture.type("D", &state) == (isAsked ? [] : [.bell]))
    #expect(state.mode == (isAsked ? .deleting : .queue))
    guard isAsked, let url else { return }
    #expect(Self.said(state).contains("nothing can bring"))
    // Enter is the way out.
    Fixture.play(&state, .key(.enter))
    #expect(state.mode == .queue)
    let file = UploadedFile(name: "a", target: Fixture.item(1, "a").target, deletionURL: url)
    #expect(Fixture.type("Dy", &state) == [.deleteUploaded([file])])
    Fixture.play(&state, .key(.enter))
    #expect(Self.said(state).contains(url))
    #expect(Fixture.type("Dn", &state).isEmpty)
  }

  /// A reply may name any address: that of another server is shown before it is asked.
  @Test(arguments: [
    ("https://nas.example/del/1", nil),
    ("https://NAS.example:443/del/1", nil),
    ("https://e.org/del/1", "This contacts https://e.org/del/1,"),
    ("http://nas.example/del/1", "This contacts http://nas.example/del/1,"),
    ("https://nas.example@e.org/del/1", "This contacts https://e.org,"),
    ("https://e.org/" + String(repeating: "a", count: 200), "This contacts https://e.org,"),
  ])
  func theAddressOfAnotherServerIsShown(_ url: String, _ words: String?) {
    var state = Fixture.empty()
    state.urls["nas"] = "https://nas.example/upload"
    var item = Fixture.item(1, "a")
    item.target = "nas"
    Fixture.play(
      &state, .added([item]),
      .engine([(ItemID(1), .done(Receipt(status: 201, deletionURL: url)))], at: state.now))
    #expect(Fixture.type("D", &state).isEmpty)
    guard case .question(let question)? = state.dialog else {
      Issue.record("nothing was asked")
      return
    }
    let said = QuestionBox(question: question, state: state, size: state.size).words.text
    #expect(said.contains("This contacts") == (words != nil), "\(said)")
    if let words { #expect(said.contains(words), "\(said)") }
  }

  @Test func whatDeletesAFileIsInTheHistory() {
    var state = Fixture.empty()
    var row = HistoryRow(
      id: "1", name: "a", target: "nas", size: 1, time: "2026-11-22 10:00", end: .sent,
      outcome: "201 Created", path: "/a")
    row.deletionURL = "https://e.org/del/1"
    Fixture.play(&state, .key("3"), .history(.rows([row])))
    let file = UploadedFile(name: "a", target: "nas", deletionURL: "https://e.org/del/1")
    #expect(Fixture.type("Dy", &state) == [.deleteUploaded([file])])
    Fixture.play(&state, .key(.enter))
    #expect(Self.said(state).contains("address for deleting it: https://e.org/del/1"))
  }

  /// Otherwise a second `r` would send what has arrived in the meantime.
  @Test func theHistoryFollowsWhatIsSentAgain() {
    var state = Fixture.empty()
    let rows = Fixture.historyRows.map { row in
      var row = row
      row.record = Fixture.record(row)
      return row
    }
    Fixture.play(&state, .key("3"), .history(.rows(rows)), .key("j"))
    #expect(state.history.selected?.name == "disk.img")
    #expect(Fixture.type("r", &state) == [.sendAgain([Fixture.record(rows[1])])])
    let done = ItemState.done(Receipt(status: 201))
    let item = UploadItem(id: ItemID(7), Fixture.record(rows[1]))
    Fixture.play(&state, .added([item]))
    #expect(
      Fixture.play(&state, .engine([(ItemID(7), done)], at: state.now)) == [
        .listHistory(HistoryRequest())
      ])
    // The new attempt is the latest, and its file is now the first.
    var latest = rows[1]
    (latest.id, latest.end, latest.outcome) = ("4", .sent, "201 Created")
    Fixture.play(&state, .history(.rows([latest] + rows)))
    #expect(state.history.selected?.name == "disk.img")
    #expect(state.history.selected?.outcome == "201 Created")
    Fixture.play(&state, .key("1"))
    #expect(
      !Fixture.play(&state, .engine([(ItemID(7), done)], at: state.now)).contains(
        .listHistory(HistoryRequest())))
  }

  @Test func whatHasFailedInTheQueueIsNotQueuedASecondTime() {
    var state = Fixture.empty()
    let (failed, other) = (Fixture.historyRows[1], Fixture.historyRows[2])
    let item = UploadItem(
      id: ItemID(7), Fixture.record(failed), state: .failed(Failure(.refused, status: 413)))
    Fixture.play(&state, .added([item]))
    var edited = Fixture.record(failed)
    edited.fileName = "other name"
    let found = state.queue.failed(as: [Fixture.record(failed), Fixture.record(other), edited])
    #expect(found.items == [ItemID(7)])
    #expect(found.others == [Fixture.record(other), edited])
  }

  // MARK: The help

  @Test func theHelpIsSearchedAndStandsInColumns() {
    var state = Fixture.empty(size: Size(width: 120, height: 40))
    // The first page has ten keys and the way to all of them.
    Fixture.type("?", &state)
    #expect(Self.said(state).contains("add files by path"))
    #expect(!Self.said(state).contains("read the configuration again"))
    #expect(render(state, size: state.size).text.filter { $0.contains("│") }.count < 40)
    Fixture.type("?", &state)
    let row = render(state, size: state.size).text.first { $0.contains("add files by path") } ?? ""
    #expect(row.count > 80, "two columns: \(row)")
    Fixture.type("/undo", &state)
    #expect(
      Self.said(state).contains("undo the last edit") && !Self.said(state).contains("by path"))
    Fixture.play(&state, .key(.enter), .key(.escape))
    #expect(Self.said(state).contains("add files by path") && state.mode == .help)
    Fixture.play(&state, .key(.escape))
    #expect(state.mode == .queue)
    Fixture.type("?/zzzz", &state)
    #expect(Self.said(state).contains("Nothing in the help contains that text."))
  }

  // MARK: A first start

  @Test func aFirstStartAsksForATargetAndTriesIt() {
    var state = AppState.setup(
      isASCII: false, size: Size(width: 80, height: 24), now: Instant(seconds: 0),
      options: AppState.Options())
    #expect(
      Self.said(state).contains("Where should files go?") && Self.said(state).contains("hoist demo")
    )
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    #expect(Self.said(state).contains("a URL is required"))
    Fixture.type("http://nas/up", &state)
    Fixture.play(&state, .key(.tab))
    Fixture.type("nas", &state)
    let answers = TargetAnswers(url: "http://nas/up", name: "nas", field: "file")
    #expect(Fixture.play(&state, .key(.enter)) == [.setUp(answers, isGoodEnough: false)])
    #expect(Fixture.play(&state, .key(.enter)) == [], "it is being tried")
    // What was asked for before tells nothing of it.
    Fixture.play(&state, .targets([]))
    #expect(state.mode == .setup)
    Fixture.play(&state, .setupRefused("no answer from nas", isGoodEnough: true))
    // It is written only after a clear yes; Enter corrects it, with the cursor where the fault is.
    #expect(Self.said(state).contains("no answer from nas") && state.mode == .keepingTarget)
    #expect(Fixture.play(&state, .key(.enter)) == [] && state.mode == .setup)
    Fixture.type("x", &state)
    #expect(state.setupAnswers?.url == "http://nas/upx")
    Fixture.play(&state, .key(.backspace), .key(.enter))
    Fixture.play(&state, .setupRefused("no answer from nas", isGoodEnough: true))
    #expect(Fixture.type("y", &state) == [.setUp(answers, isGoodEnough: true)])
    Fixture.play(
      &state,
      .setupRefused("there is already a target of that name", at: .name, isGoodEnough: false))
    Fixture.type("2", &state)
    let others = TargetAnswers(url: "http://nas/up", name: "nas2", field: "file")
    #expect(Fixture.play(&state, .key(.enter)) == [.setUp(others, isGoodEnough: false)])
    // Esc stops the trial, closes the form, and does not end the program: that is for the key that quits.
    #expect(Fixture.play(&state, .key(.escape)) == [.stopSetUp] && state.mode == .setup)
    #expect(Fixture.play(&state, .key(.escape)) == [] && state.mode == .queue)
    #expect(Self.said(state).contains("There is no target yet"))
    #expect(Fixture.play(&state, .key(.escape)) == [] && state.mode == .queue)
    #expect(
      Fixture.type("u", &state) == [.bell] && Self.said(state).contains("there is no target yet"))
    // What was typed is kept.
    Fixture.type("a", &state)
    #expect(state.setupAnswers == others)
    Fixture.play(&state, .key(.escape))
    Fixture.play(&state, .paste("/tmp/a.txt"))
    #expect(state.mode == .setup)
    Fixture.play(&state, .key(.escape))
    #expect(Fixture.type("q", &state) == [.quit(.idle)])
  }

  @Test func aServiceIsChosenInTheFormAndAsksWhatItNeeds() {
    var options = AppState.Options()
    options.services = [
      ServiceChoice(
        name: "s3", title: "Amazon S3", introduction: "Amazon S3: buckets.", questions: []),
      ServiceChoice(
        name: "box", title: "The Box", introduction: "The Box: a box.",
        questions: [
          ServiceChoice.Question("The box's address", sample: "https://box.example"),
          ServiceChoice.Question("The folder", sample: "in", isUsual: true),
          ServiceChoice.Question("Your token", sample: "BOX_TOKEN", isSecret: true),
        ]),
    ]
    options.secretsPlace = "~/.config/hoist/secrets"
    var state = AppState.setup(
      isASCII: false, size: Size(width: 80, height: 24), now: Instant(seconds: 0), options: options)
    Fixture.play(&state, .key(.up), .key(.enter))
    #expect(state.mode == .pick && Self.said(state).contains("Amazon S3"))
    Fixture.type("box", &state)
    Fixture.play(&state, .key(.enter))
    #expect(state.mode == .setup && Self.said(state).contains("The Box: a box."))
    Fixture.type("https://me.test", &state)
    Fixture.play(&state, .key(.tab), .key(.tab))
    // A token that is typed is not shown, and it is said where it goes.
    Fixture.type("to-ken", &state)
    #expect(Self.said(state).contains("******") && !Self.said(state).contains("to-ken"))
    #expect(Self.said(state).contains("a file of its own in ~/.config/hoist/secrets,"))
    #expect(Self.said(state).contains("which only you can read"))
    Fixture.play(&state, .key(.tab))
    #expect(Self.said(state).contains("******") && !Self.said(state).contains("to-ken"))
    Fixture.type("desk", &state)
    var answers = TargetAnswers(url: "", name: "desk")
    (answers.service, answers.replies) = ("box", ["https://me.test", "in", "to-ken"])
    #expect(Fixture.play(&state, .key(.enter)) == [.setUp(answers, isGoodEnough: false)])
    Fixture.play(&state, .setupRefused("no", at: .answer(2), isGoodEnough: false))
    // A variable and a file are shown.
    for text in ["$BOX_TOKEN", "~/box-token"] {
      Fixture.play(&state, .key(.control("u")))
      Fixture.type(text, &state)
      #expect(Self.said(state).contains(text))
      #expect(Self.said(state).contains("It is read from this"))
    }
    // Back to any server: the name is kept.
    Fixture.play(&state, .key(.up), .key(.up), .key(.up))
    Fixture.type("any", &state)
    Fixture.play(&state, .key(.enter))
    #expect(state.setupAnswers == TargetAnswers(url: "", name: "desk", field: "file"))
  }

  @Test func theSecondCopyOfAFileIsMarkedUntilOneIsGone() {
    func rows(_ state: AppState) -> [String] {
      render(state, size: state.size).text.filter { $0.contains(" a.txt  ") }
    }
    var (one, other) = (Fixture.item(1, "a.txt"), Fixture.item(2, "a.txt"))
    (one.target, other.target) = ("photos", "photos")
    var elsewhere = Fixture.item(3, "a.txt")
    elsewhere.target = "album"
    var state = Fixture.empty(size: Size(width: 120, height: 24))
    Fixture.play(&state, .added([one, elsewhere]))
    #expect(!rows(state).contains { $0.contains("copy") })
    Fixture.play(&state, .added([other]))
    #expect(rows(state).map { $0.contains("2 a.txt") } == [false, false, true])
    // The first copy is sent in any case: its row says what it waits for.
    #expect(rows(state)[0].contains("· a.txt") && !rows(state)[0].contains("copy"))
    #expect(rows(state)[2].contains("waiting · copy 2"))
    #expect(
      Self.said(state).contains(
        "this file is queued 2 times for photos; x in the queue removes this entry"))
    Fixture.type("x", &state)
    #expect(!rows(state).contains { $0.contains("copy") })
    Fixture.type("z", &state)
    #expect(rows(state).count { $0.contains("copy 2") } == 1)
    // What has come to its end is no reason for a mark.
    Fixture.play(&state, .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now))
    #expect(!rows(state).contains { $0.contains("copy") })
    Fixture.play(&state, .engine([(ItemID(1), .waiting)], at: state.now))
    #expect(rows(state).count { $0.contains("copy 2") } == 1)
    // One that goes elsewhere by now is no copy any more.
    Fixture.play(&state, .removed([ItemID(3)]))
    other.target = "album"
    Fixture.play(&state, .added([other]))
    #expect(!rows(state).contains { $0.contains("copy") })
  }
}
