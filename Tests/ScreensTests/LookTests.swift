import Scheduling
import Testing

@testable import Screens
@testable import UploadModel

/// Keys and looks that a person chooses, and texts that are laid out.
@Suite struct LookTests {
  @Test(arguments: [
    ("a", Key.character("a")), ("R", .character("R")), ("é", .character("é")),
    ("^a", .control("a")),
    ("Ctrl-x", .control("x")), ("c-x", .control("x")), ("F5", .function(5)), ("f12", .function(12)),
    ("Space", .character(" ")), ("PgDn", .pageDown), ("Shift-Tab", .backTab), ("esc", .escape),
    ("/", .character("/")), ("^", .character("^")),
  ])
  func keysByName(_ text: String, _ key: Key) { #expect(Key(named: text) == key) }

  @Test(arguments: ["", " ", "ab", "F0", "F13", "^1", "ctrl-", "^i", "^m", "meta-x"])
  func whatIsNoKey(_ text: String) { #expect(Key(named: text) == nil) }

  @Test func reboundKeysAreEverywhere() throws {
    var state = Fixture.mixed()
    state.options.keymap = try Keymap([.retry: [.function(6)], .remove: ["X"], .pause: []])
    state.moveCursor(to: 3)
    #expect(Fixture.play(&state, .key("r")) == [])
    #expect(Fixture.play(&state, .key(.function(6))) == [.retry([ItemID(4)])])
    #expect(Fixture.play(&state, .key("p")) == [])
    #expect(Fixture.type("X", &state) == [.remove([ItemID(4)])])
    Fixture.play(&state, .key(.control("l")))
    #expect(render(state, size: state.size).text.last?.contains("F6 retry") == true)
    #expect(render(state, size: state.size).text.last?.contains("pause") == false)
    Fixture.type("?", &state)
    #expect(render(state, size: state.size).text.contains { $0.contains("F6") })
  }

  @Test(
    arguments: [
      ([.retry: ["a"]], Keymap.BindingError.ambiguous("a", .add, .retry)),
      ([.quit: []], .noWayOut(.quit)), ([.close: ["x"]], .typed("x", .close)),
    ] as [(Keymap.Bindings, Keymap.BindingError)])
  func whatCannotBeBound(_ bindings: Keymap.Bindings, _ mistake: Keymap.BindingError) {
    #expect(throws: mistake) { _ = try Keymap(bindings) }
  }

  @Test func allThatCannotBeBoundIsToldOnce() {
    let mistakes = Keymap.mistakes(in: [.retry: ["a"], .quit: [], .pause: []])
    #expect(mistakes == [.noWayOut(.quit), .ambiguous("a", .add, .retry)])
  }

  @Test func theUsualKeysAreFreeOfMistakes() throws { _ = try Keymap([:]) }

  @Test(
    arguments: [
      ("red", .index(1), nil, false), ("bold red", .index(1), nil, true),
      ("bright-blue", .index(12), nil, false), ("244", .index(244), nil, false),
      ("#ff8001", .rgb(255, 128, 1), nil, false), ("bold", nil, nil, true),
      ("plain", nil, nil, false), ("on 236", nil, .index(236), false),
      ("white on #102030 bold", .index(7), .rgb(16, 32, 48), true),
    ] as [(String, Theme.Color?, Theme.Color?, Bool)])
  func looks(_ text: String, _ color: Theme.Color?, _ ground: Theme.Color?, _ isBold: Bool) {
    let look = Theme.Look(text)
    #expect(look?.color == color)
    #expect(look?.ground == ground)
    #expect(look?.isBold == isBold)
  }

  @Test(arguments: [
    "", "purple-ish", "red blue", "256", "#12", "#gggggg", "red on", "on", "on bold", "on on red",
    "on red on blue",
  ])
  func whatIsNoLook(_ text: String) { #expect(Theme.Look(text) == nil) }

  /// Moving through the list of themes shows them; what the user wants in all of them stays.
  @Test func aThemeIsTriedBeforeItIsChosen() {
    var state = Fixture.mixed()
    let wish = Theme.Look()
    state.options.theme.wish(.bad, wish)
    func shown() -> Theme { render(state, size: state.size).theme }
    func bad() -> Theme.Look { shown().look(.bad, colors: 256, on: .dark) }
    Fixture.play(&state, .command("theme"), .key("j"), .key("j"), .key("j"))
    #expect(shown().name == "nord" && bad() == wish)
    Fixture.play(&state, .key(.escape))
    #expect(shown().name == "default" && state.mode == .queue)
    Fixture.play(&state, .command("theme nord"), .command("theme"))
    #expect(render(state, size: state.size).text.contains { $0.contains("▸ nord") })
    Fixture.play(&state, .key("k"), .key(.enter))
    #expect(shown().name == "light" && bad() == wish && state.mode == .queue)
    #expect(state.message?.hasPrefix("light until you quit; base = \"light\"") == true)
    // The configured one needs no setting.
    Fixture.play(&state, .command("theme"), .key(.home), .key(.enter))
    #expect(shown().name == "default" && state.message == nil)
  }

  /// Colours cannot be judged where everything is dimmed.
  @Test func whatIsBehindTheThemesKeepsItsColours() {
    var state = Fixture.mixed()
    func roles() -> Set<Role> { Set(render(state, size: state.size).cells.map(\.style.role)) }
    let all = roles()
    Fixture.play(&state, .command("theme"))
    #expect(roles().isSuperset(of: all))
    Fixture.play(&state, .key(.escape), .key("o"))
    #expect(!roles().contains(.good))
  }

  /// The usual theme goes by the background; few colours are the terminal's own.
  @Test func aThemeGoesByTheTerminal() {
    func look(_ theme: Theme, _ colors: Int, _ background: Theme.Background) -> Theme.Look {
      theme.look(.selection, colors: colors, on: background)
    }
    #expect(look(.usual, 256, .dark) == look(.dark, 256, .unknown))
    #expect(look(.usual, 256, .light) == look(.light, 256, .dark))
    // No grey on grey where the background is not known.
    for role in [Role.selection, .marked] {
      let look = Theme.usual.look(role, colors: 256, on: .unknown)
      guard case .index(let ground)? = look.ground else {
        Issue.record("no ground: \(look)")
        continue
      }
      #expect((16..<232).contains(ground), "\(role) on \(ground)")
    }
    // Of the terminal's own colours, these can be read on white and on black.
    for role in Role.allCases where ![.selection, .marked].contains(role) {
      let color = Theme.usual.look(role, colors: 256, on: .unknown).color
      let readable = ["red", "green", "magenta"].map { Theme.Color($0) }
      #expect(color == nil || readable.contains(color), "\(role): \(String(describing: color))")
    }
    #expect(Theme.usual.look(.barFull, colors: 256, on: .unknown) == Theme.Look())
    // On such a row, the terminal's own colours, which may be dark, are hard to read.
    for role in [Role.bad, .good, .warning, .accent, .dim] {
      let look = Theme.usual.look(role, colors: 256, on: .unknown, in: .selected)
      guard case .index(let color)? = look.color else {
        Issue.record("no colour of its own: \(role)")
        continue
      }
      #expect(color >= 16 && !look.isDim, "\(role)")
      #expect(Theme.usual.look(role, colors: 16, on: .unknown, in: .selected).color != look.color)
    }
    for theme in Theme.all where theme != .plain {
      #expect(look(theme, 256, .dark).ground != nil, "\(theme.name)")
      #expect(look(theme, 16, .dark) == Theme.Look("reverse"), "\(theme.name)")
    }
    #expect(Set(Theme.all.map(\.name)).count == Theme.all.count)
  }

  @Test(arguments: [
    (196, 256, 196), (196, 16, 9), (196, 8, 1), (12, 8, 4), (12, 16, 12), (244, 8, 7), (5, 4, 1),
    (12, 4, 0),
  ])
  func fewerColours(_ index: Int, _ count: Int, _ expected: Int) {
    #expect(Theme.Color.index(UInt8(index)).among(count) == UInt8(expected))
  }

  @Test(arguments: [
    ("{}", "{}"), ("[]", "[]"),
    ("{\"a\":1,\"b\":[1,2]}", "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    2\n  ]\n}"),
    ("{\"a\":{}}", "{\n  \"a\": {}\n}"),
    ("[ {\"x\" : \"}:,\\\"\"} ]", "[\n  {\n    \"x\": \"}:,\\\"\"\n  }\n]"),
    ("[1.0e400]", "[\n  1.0e400\n]"), (" [true] \n", "[\n  true\n]"),
  ])
  func json(_ text: String, _ pretty: String) { #expect(JSONText.pretty(text) == pretty) }

  @Test(arguments: [
    "", "hello", "<html>", "{\"a\":1", "[1}", "]", "\"text\"", "{\"a", "12",
    String(repeating: "[", count: 100),
  ])
  func noJSON(_ text: String) { #expect(JSONText.pretty(text) == nil) }

  @Test func jsonThatWouldGrowBeyondMeasureStaysAsItCame() {
    let deep =
      String(repeating: "[", count: 60) + "1"
      + String(repeating: ",1", count: 20_000) + String(repeating: "]", count: 60)
    #expect(JSONText.pretty(deep) == nil)
    let flat = "[1" + String(repeating: ",1000000", count: 20_000) + "]"
    #expect(JSONText.pretty(flat) != nil)
  }

  @Test func aGraphOfTheLastSeconds() {
    var graph = Sparkline()
    let start = Instant(seconds: 100.5)
    #expect(graph.text(width: 10, at: start, ascii: false) == "")
    for (second, bytes) in [0, 100, 50, 0, 100].enumerated() {
      graph.record(Int64(bytes), at: start + Double(second))
    }
    // The second that still runs is not shown.
    #expect(graph.text(width: 10, at: start + 4, ascii: false) == "▁█▄▁")
    #expect(graph.text(width: 10, at: start + 6, ascii: false) == "▁█▄▁█▁")
    #expect(graph.text(width: 2, at: start + 6, ascii: true) == "#_")
    #expect(graph.text(width: 99, at: start + 1e6, ascii: false) == "")
  }

  /// A file that is being sent may have arrived by the time it is stopped.
  @Test func whatIsPausedIsSaidOnceItIs() {
    var state = Fixture.empty()
    let sending = ItemState.sending(attempt: 1, sent: 10, total: 1000)
    Fixture.play(
      &state, .added([Fixture.item(1, "a.bin"), Fixture.item(2, "b.bin")]),
      .engine([(ItemID(1), sending), (ItemID(2), sending)], at: state.now), .command("pause all"))
    func said() -> [String] { state.log.lines.map(\.text).filter { $0.contains("paused") } }
    #expect(said() == [])
    let unclear = Failure(.outcomeUnknown("the upload was stopped before an answer came"))
    Fixture.play(
      &state,
      .engine([(ItemID(1), .failed(unclear)), (ItemID(2), .paused)], at: state.now))
    #expect(said() == ["b.bin: paused"])
    let told = "a.bin: may have arrived: the upload was stopped before an answer came"
    #expect(state.log.lines.contains { $0.text == told })
  }

  /// The log is what happened in this session, and a removal is part of that.
  @Test func whatThePersonDidIsLogged() {
    var state = Fixture.empty()
    var announcer = Announcer()
    Fixture.play(&state, .added((1...3).map { Fixture.item($0, "\($0).bin") }))
    _ = announcer.lines(for: state)
    Fixture.play(&state, .command("remove 1.bin"))
    #expect(state.log.lines.last?.text == "1.bin: removed")
    #expect(announcer.lines(for: state) == ["1 file removed · z undoes"], "it is said once")
    Fixture.play(&state, .key("z"))
    #expect(state.log.lines.last?.text == "undone: removal of 1 file")
    #expect(announcer.lines(for: state) == ["undone: removal of 1 file"])
    Fixture.play(&state, .command("remove all"))
    #expect(state.log.lines.last?.text == "3 files removed")
    Fixture.play(&state, .key("z"), .key("Z"), .key("z"))
    #expect(
      state.log.lines.suffix(3).map(\.text) == [
        "undone: removal of 3 files", "redone: removal of 3 files", "undone: removal of 3 files",
      ])
    var edited = Fixture.item(2, "2.bin")
    edited.fileName = "zz.bin"
    _ = state.edit([edited])
    #expect(state.log.lines.last?.text == "zz.bin: changed")
  }

  /// The server gave an address, but one that only a rule can find.
  @Test func anAddressThatIsNotRecognizedIsNotDenied() {
    let reply = Reply(text: #"{"a": {"url": "https://i/1"}, "b": {"url": "https://i/2"}}"#)
    var state = Fixture.empty()
    Fixture.play(
      &state, .added([Fixture.item(1, "a.bin")]),
      .engine([(ItemID(1), .done(Receipt(status: 201, reply: reply)))], at: state.now),
      .key("y"))
    #expect(
      state.message
        == "no address was recognized in the reply; Enter shows it, and response.url in the target's table says where replies have it"
    )
    Fixture.play(&state, .key(.enter), .key("O"))
    #expect(
      state.message
        == "no address was recognized in the reply; response.url in the target's table says where replies have it"
    )
  }

  /// A line is read when the queue is another one.
  @Test func linesNameTargetsThatAreNotTheChosenOne() {
    var state = Fixture.empty()
    func sent(_ number: Int64, to target: String) -> String? {
      var item = Fixture.item(number, "report.pdf")
      item.target = target
      Fixture.play(
        &state, .added([item]),
        .engine([(item.id, .done(Receipt(status: 201)))], at: state.now), .command("clear"))
      return state.log.lines.last { $0.text.contains("201") }?.text
    }
    #expect(sent(1, to: "photos") == "report.pdf: 201 Created")
    #expect(sent(2, to: "box") == "report.pdf → box: 201 Created")
    #expect(state.log.latest.last { $0.end?.word == "sent" }?.text.contains("→ box") == true)
    #expect(sent(3, to: "photos") == "report.pdf → photos: 201 Created", "there were several")
    state = Fixture.empty()
    #expect(sent(1, to: "box") == "report.pdf → box: 201 Created", "it is not the chosen one")
  }

  @Test func theLogIsSearchedAndFiltered() {
    var state = Fixture.empty()
    for number in 0..<40 {
      Fixture.play(&state, .message(number % 10 == 3 ? "found \(number)" : "line \(number)"))
    }
    func line() -> String? { state.log.row(state.log.list.cursor)?.text }
    Fixture.type("4g/found", &state)
    Fixture.play(&state, .key(.enter))
    #expect(line() == "found 3")
    Fixture.type("n", &state)
    #expect(line() == "found 13")
    Fixture.type("NN", &state)
    #expect(line() == "found 33")
    Fixture.type("ffound", &state)
    Fixture.play(&state, .key(.enter))
    #expect(state.shown.count == 4 && line() == "found 33")
    // At its end, it follows what the filter shows.
    Fixture.play(&state, .message("line"), .message("found more"))
    #expect(state.shown.count == 5 && line() == "found more")
    let text = render(state, size: state.size).text
    #expect(text[1].contains("5 with \"found\""), "\(text[1])")
    #expect(!text.joined().contains("line 3"))
    Fixture.type("fxyz", &state)
    #expect(render(state, size: state.size).text.joined().contains("No line contains"))
    Fixture.play(&state, .key(.enter), .key(.escape))
    #expect(state.shown.count == 42)
    Fixture.type("/nothing", &state)
    Fixture.play(&state, .key(.enter))
    #expect(state.message == "no line contains that text")
  }

  @Test func theLogIsFilteredByWhatBecameOfFiles() {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added([Fixture.item(1, "a.bin"), Fixture.item(2, "b.bin")]),
      .engine(
        [
          (ItemID(1), .done(Receipt(status: 201))),
          (ItemID(2), .failed(Failure(.refused, status: 413))),
        ], at: state.now), .key("4"), .command("filter failed"))
    #expect(state.shown.count == 1 && state.log.row(0)?.text.hasPrefix("b.bin: 413") == true)
  }

  @Test func linesForThoseWhoListen() {
    var announcer = Announcer()
    var state = Fixture.empty()
    #expect(announcer.lines(for: state) == [])
    Fixture.play(&state, .added([Fixture.item(1, "a.bin", size: 1000)]))
    #expect(announcer.lines(for: state) == ["1 file added"])
    Fixture.play(&state, .command("pause a.bin"))
    #expect(announcer.lines(for: state) == [])
    Fixture.play(&state, .engine([(ItemID(1), .paused)], at: state.now))
    #expect(announcer.lines(for: state) == ["a.bin: paused"])
    Fixture.play(
      &state, .command("pause a.bin"), .engine([(ItemID(1), .waiting)], at: state.now))
    #expect(announcer.lines(for: state) == ["a.bin: resumed"])
    Fixture.play(
      &state, .engine([(ItemID(1), .sending(attempt: 1, sent: 0, total: 1000))], at: state.now),
      .engine([(ItemID(1), .sending(attempt: 1, sent: 550, total: 1000))], at: state.now + 1))
    #expect(announcer.lines(for: state).first?.hasPrefix("1 under way; 55%") == true)
    #expect(announcer.lines(for: state) == [])
    Fixture.play(&state, .command("quit"))
    let question = announcer.lines(for: state)
    #expect(question.first?.contains("Quit? 1 upload under way") == true)
    #expect(question.first?.contains("s: stop and keep the queue") == true)
    #expect(state.answer("stop") == .stopAndQuit)
    #expect(state.answer("f") == .finishThenQuit)
    #expect(state.answer("finish, then quit") == .finishThenQuit)
    #expect(["esc", "Cancel", "no", "c"].map(state.answer) == Array(repeating: .close, count: 4))
    // A word that begins like an answer is not one.
    #expect(["what", "status", "start-stop", "", "foo"].allSatisfy { state.answer($0) == nil })
    Fixture.play(&state, .perform(.close))
    Fixture.play(&state, .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now + 2))
    let end = announcer.lines(for: state)
    #expect(end.first == "a.bin: 201 Created")
    #expect(end.last?.hasPrefix("1 done") == true)
    #expect(Announcer.list(of: state) == ["1  a.bin  text/plain  1.0 kB  done 201 Created"])
  }

  @Test func panesForThoseWhoListen() {
    var announcer = Announcer()
    var state = Fixture.empty()
    Fixture.play(&state, .command("server"))
    #expect(
      announcer.lines(for: state).first == "photos has no way to list the files on the server.")
    state.options.listsServer = true
    Fixture.play(&state, .command("queue"), .command("server"))
    #expect(announcer.lines(for: state) == [], "nothing is known yet")
    Fixture.play(&state, .server(.rows(Fixture.serverRows)))
    let files = [
      "IMG_0001.jpg  3.2 MB  2026-11-20 22:15  https://api.example.com/f/1",
      "漢字かな.png  812 kB", "backup.tar.gz  yesterday",
    ]
    #expect(announcer.lines(for: state) == files)
    #expect(announcer.lines(for: state) == [], "once")
    #expect(Announcer.list(of: state) == files)
    Fixture.play(&state, .server(.failed("connection refused")))
    #expect(announcer.lines(for: state) == ["connection refused"])
    Fixture.play(&state, .command("history"), .history(.rows([Fixture.historyRows[1]])))
    #expect(
      announcer.lines(for: state) == [
        "2026-11-19 08:02  disk.img  4.1 GB  tickets  413 Content Too Large"
      ])
    Fixture.play(&state, .command("queue"))
    #expect(announcer.lines(for: state) == [])
    #expect(Announcer.list(of: state) == ["the queue is empty"])
    let many = (1...30).map { ServerEntry(id: "\($0)", name: "\($0).txt") }
    Fixture.play(&state, .command("server"), .server(.rows(many)))
    let said = announcer.lines(for: state)
    #expect(said.first == "1.txt" && said.count == 11)
    #expect(said.last == "and 20 more; enter list for all of them")
    Fixture.play(
      &state, .target(name: "tickets", url: "https://t/", concurrency: 4, listsServer: false))
    #expect(
      announcer.lines(for: state).contains("tickets has no way to list the files on the server."))
  }

  @Test func aServerThatIsAwayIsNamedAndTriedWhenAsked() {
    var state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "a.bin")]))
    Fixture.play(&state, Fixture.away)
    #expect(render(state, size: state.size).text[0].contains("next try in 8 s"))
    #expect(render(state, size: state.size).text[3].contains("refused · next try in 8 s"))
    #expect(state.needsTicks)
    #expect(Fixture.type("R", &state) == [.probe])
    #expect(state.message == "trying the server now")
    Fixture.play(
      &state, .added([Fixture.item(2, "b.bin", state: .failed(Failure(.missing)))]))
    #expect(Fixture.type("R", &state) == [.retry([ItemID(2)]), .probe])
    #expect(state.message == "sending 1 file again, trying the server now")
    Fixture.play(&state, .reachability(server: "https://api.example.com", .back))
    #expect(!render(state, size: state.size).text[0].contains("next try"))
  }

  /// Nothing is promised that a stopped queue does not do.
  @Test func whileTheQueueIsStoppedNothingIsTried() {
    var state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "a.bin")]), Fixture.away, .stopped(true))
    #expect(Fixture.type("R", &state) == [.probe])
    let stopped = "no more files start while the queue is stopped; s resumes it"
    #expect(state.message == stopped)
    Fixture.play(
      &state, .added([Fixture.item(2, "b.bin", state: .failed(Failure(.missing)))]))
    #expect(Fixture.type("R", &state) == [.retry([ItemID(2)]), .probe])
    #expect(state.message == "1 file queued again; \(stopped)")
  }

  @Test func aFileThatWaitsForItsServerCanBeTriedNowAndOthersHaveNothingToRetry() {
    var state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "a.bin")]))
    #expect(Fixture.type("r", &state) == [.bell])
    Fixture.play(&state, Fixture.away)
    #expect(Fixture.type("r", &state) == [.retry([ItemID(1)])])
    Fixture.play(&state, .reachability(server: "https://api.example.com", .back))
    #expect(Fixture.type("r", &state) == [.bell])
    Fixture.play(&state, .refusal(target: state.target, .refused))
    #expect(Fixture.type("r", &state) == [.retry([ItemID(1)])])
  }

  @Test func whileAServerIsTriedNoTimeIsPromised() {
    var state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "a.bin")]))
    let failure = Failure(.unreachable("connect to 192.0.2.1: No route to host", .route))
    Fixture.play(
      &state,
      .reachability(server: "https://api.example.com", .away(failure, nextTry: nil)))
    let text = render(state, size: state.size).text
    #expect(text[0].contains("no server · trying now"))
    #expect(text[3].contains("no route · trying now"))
    // A moment that has come is now as well.
    Fixture.play(
      &state,
      .reachability(server: "https://api.example.com", .away(failure, nextTry: state.now)))
    #expect(render(state, size: state.size).text[0].contains("no server · trying now"))
  }

  @Test func aServerThatNobodyNeedsIsNotSpokenOf() {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added([Fixture.item(1, "a.bin")]), Fixture.away,
      .reachability(server: "https://api.example.com", .unneeded))
    #expect(!render(state, size: state.size).text[0].contains("next try"))
    #expect(Fixture.type("4", &state) == [])
    let log = render(state, size: state.size).text.joined()
    #expect(log.contains("cannot be reached: connection refused") && !log.contains("answers again"))
  }

  /// Files of a target that was never this screen's say as well what they wait for.
  @Test func filesOfAnyTargetWaitForTheirServer() {
    var state = Fixture.empty(size: Size(width: 120, height: 40))
    var item = Fixture.item(1, "a.bin")
    item.target = "nas"
    Fixture.play(
      &state, .added([item]), .urls(["nas": "https://nas.example/in"]),
      .reachability(
        server: "https://nas.example",
        .away(Failure(.nameNotResolved(host: "nas.example")), nextTry: state.now + 8)))
    #expect(render(state, size: state.size).text[3].contains("name not resolved · next try in 8 s"))
    #expect(
      render(state, size: state.size).text[0].contains("cannot reach nas.example · next try in 8 s")
    )
  }

  @Test("a row says for how long its server has asked to wait, and what it said")
  func rowsSayWhatTheirServerAskedFor() {
    var state = Fixture.empty(size: Size(width: 100, height: 40))
    let failure = Failure(.refused, status: 429, retryAfter: 60)
    Fixture.play(
      &state, .added([Fixture.item(1, "a.bin")]),
      .reachability(
        server: "https://api.example.com", .asksToWait(failure, until: state.now + 60)))
    func row() -> String { render(state, size: state.size).text[3] }
    #expect(row().contains("waiting · 429 · next try in 60 s"))
    #expect(Fixture.type("R", &state).contains(.probe))
    let asked = state
    Fixture.play(&state, .tick(state.now + 12.5))
    #expect(row().contains("next try in 48 s"))
    Fixture.play(&state, .tick(state.now + 60))
    #expect(!row().contains("next try") && Fixture.type("R", &state) == [.bell])
    // The user has it tried now.
    state = asked
    Fixture.play(
      &state,
      .reachability(server: "https://api.example.com", .asksToWait(failure, until: state.now)))
    #expect(!row().contains("next try"))
    let log = state.log.lines.map(\.text).joined()
    #expect(log.contains("https://api.example.com asks to wait: 429 Too Many Requests"))
  }

  /// A server holds back the files of all its targets, and only one of them got its answer.
  @Test("a row that another target's answer holds up says whose it is")
  func rowsSayWhoseAnswerHoldsThemUp() throws {
    var state = Fixture.empty(size: Size(width: 100, height: 40))
    var items = [Fixture.item(1, "a.bin"), Fixture.item(2, "b.bin"), Fixture.item(3, "c.bin")]
    for (index, name) in ["t503", "slow", "t503"].enumerated() { items[index].target = name }
    let urls = ["t503": "http://127.0.0.1:8791/503", "slow": "http://127.0.0.1:8791/slow"]
    let failure = Failure(.refused, status: 503, attempts: 1, retryAfter: 37)
    Fixture.play(
      &state, .added(items), .queue(.urls(urls)),
      .reachability(
        server: "http://127.0.0.1:8791",
        .asksToWait(failure, until: state.now + 37, by: ItemID(1))),
      .engine(
        [(ItemID(1), .retrying(failure, next: 2, of: 5, at: state.now + 37))], at: state.now))
    func text() -> [String] { render(state, size: state.size).text }
    #expect(text()[4].contains("waiting for 127.0.0.1:8791 · next try in 37 s"), "\(text()[4])")
    #expect(!text()[4].contains("503") && text()[5].contains("503"), "\(text()[5])")
    #expect(text()[0].contains("127.0.0.1:8791 asks to wait · next try in 37 s"), "\(text()[0])")
    Fixture.play(&state, .key("j"), .key(.enter))
    let details = text().joined(separator: "\n")
    #expect(
      details.contains("127.0.0.1:8791 answered 503 to t503, and asked to wait; R tries now"),
      "\(details)")
    var unbound = state
    unbound.options.keymap = try Keymap([.retryAll: []])
    let plain = render(unbound, size: unbound.size).text.joined(separator: "\n")
    #expect(plain.contains("to t503, and asked to wait  "), "\(plain)")
    Fixture.play(&state, .key(.escape))
    #expect(Fixture.type("R", &state) == [.probe])
    let until = state.clock(state.now + 37)
    #expect(
      state.message == "trying 2 targets now, though their server asked to wait until \(until)")
    // Also where no server's wait is in force any more, as after r on another row.
    Fixture.play(
      &state, .removed([ItemID(2), ItemID(3)]),
      .reachability(server: "http://127.0.0.1:8791", .asksToWait(failure, until: state.now)))
    #expect(Fixture.type("R", &state) == [.probe])
    #expect(state.message == "trying t503 now, though its server asked to wait until \(until)")
  }

  @Test("a file that its target's pace holds back says so, and for how long")
  func rowsSayThatTheServerTakesNoMore() {
    var state = Fixture.empty(size: Size(width: 100, height: 40))
    var other = Fixture.item(2, "b.bin")
    other.target = "nas"
    Fixture.play(
      &state, .added([Fixture.item(1, "a.bin"), other]),
      .pace(target: "photos", until: state.now + 12))
    func text() -> [String] { render(state, size: state.size).text }
    #expect(text()[3].contains("waiting · too many requests · next try in 12 s"), "\(text()[3])")
    #expect(!text()[4].contains("too many"), "the other target's files may go")
    #expect(text()[0].contains("too many requests · next try in 12 s"), "\(text()[0])")
    #expect(Fixture.type("r", &state) == [.retry([ItemID(1)])])
    #expect(Fixture.type("R", &state).contains(.probe))
    // Time alone changes what is shown.
    #expect(state.needsTicks)
    Fixture.play(&state, .tick(state.now + 4.5))
    #expect(text()[3].contains("next try in 8 s"))
    // The server asks for a longer wait.
    let failure = Failure(.refused, status: 429, retryAfter: 60)
    Fixture.play(
      &state,
      .reachability(
        server: "https://api.example.com", .asksToWait(failure, until: state.now + 60)))
    #expect(text()[3].contains("(429) · next try in 60 s"))
    Fixture.play(
      &state,
      .reachability(server: "https://api.example.com", .asksToWait(failure, until: state.now)))
    var asked = state
    Fixture.play(&asked, .pace(target: "photos", until: nil))
    state = asked
    #expect(!text()[3].contains("too many") && !text()[0].contains("next try"), "\(text()[0])")
    #expect(text()[0].contains("  nothing is being sent"))
    #expect(Fixture.type("R", &state) == [.bell])
  }

  @Test func theHeaderSaysForWhichServerIsWaited() {
    var state = Fixture.empty(size: Size(width: 100, height: 24))
    let failure = Failure(.refused, status: 429, retryAfter: 60)
    func header(of state: AppState) -> String { render(state, size: state.size).text[0] }
    func header() -> String { header(of: state) }
    Fixture.play(
      &state, .added([Fixture.item(1, "a.bin")]),
      .reachability(
        server: "https://api.example.com", .asksToWait(failure, until: state.now + 60)))
    #expect(header().contains("server asks to wait · next try in 60 s"), "\(header())")
    state.size = Size(width: 40, height: 24)
    #expect(header().contains("waiting · 60 s"), "\(header())")
    state.size = Size(width: 100, height: 24)
    Fixture.play(&state, .pace(target: "nas", until: state.now + 5))
    #expect(header().contains("too many requests for nas · next try in 5 s"), "\(header())")
    // Nothing is waited for where nothing is left to send.
    var (other, second) = (state, Fixture.item(2, "b.bin"))
    second.target = "nas"
    Fixture.play(
      &other, .pace(target: "nas", until: nil),
      .engine([(ItemID(1), .failed(failure))], at: state.now), .added([second]))
    #expect(!header(of: other).contains("next try"), "\(header(of: other))")
    // What is stopped waits for the user.
    Fixture.type("s", &state)
    #expect(header().contains("  stopped") && !header().contains("next try"), "\(header())")
  }

  @Test func eachTargetHasItsOwnConcurrency() {
    var state = Fixture.empty()
    #expect(Fixture.type("+", &state) == [.setConcurrency(5, target: "photos")])
    Fixture.play(
      &state, .target(name: "slow", url: "https://s/", concurrency: 1, listsServer: false))
    #expect(Fixture.type("+", &state) == [.setConcurrency(2, target: "slow")])
    Fixture.play(
      &state, .target(name: "photos", url: "https://p/", concurrency: 4, listsServer: false))
    #expect(Fixture.type("-", &state) == [.setConcurrency(4, target: "photos")])
    #expect(state.settings.lanes == ["photos": 4, "slow": 2])
  }

  @Test func theHeaderSaysHowManyLanesWereFound() {
    var state = Fixture.empty()
    func header() -> String { render(state, size: Size(width: 120, height: 24)).text[0] }
    Fixture.play(
      &state,
      .target(name: "photos", url: "https://p/", concurrency: .automatic, listsServer: false),
      .added([Fixture.item(1, "a.bin")]))
    #expect(!header().contains("lane"), "nothing is sent")
    Fixture.play(&state, .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now))
    #expect(header().contains("4 lanes (auto)"))
    Fixture.play(&state, .queue(.lanes(12, target: "photos")), .queue(.lanes(2, target: "other")))
    #expect(header().contains("12 lanes (auto)"))
    // The keys go on from the number that was found, and set it.
    #expect(Fixture.type("+", &state) == [.setConcurrency(13, target: "photos")])
    #expect(header().contains("13 lanes") && !header().contains("auto"))
    #expect(
      Fixture.play(&state, .command("lanes auto"))
        == [.setConcurrency(.automatic, target: "photos")])
    #expect(header().contains("12 lanes (auto)"))
    #expect(
      state.message
        == "hoist decides how many files it sends at a time to photos: 12 now, at most 32")
  }

  @Test func theHeaderCountsTheLanesOfWhatIsSent() {
    var state = Fixture.empty()
    func header() -> String { render(state, size: Size(width: 120, height: 24)).text[0] }
    state.options.targets = [TargetRow(name: "nas", url: "https://nas/", concurrency: .automatic)]
    var other = Fixture.item(2, "b.bin")
    other.target = "nas"
    Fixture.play(
      &state,
      .target(name: "photos", url: "https://p/", concurrency: .automatic, listsServer: false),
      .added([Fixture.item(1, "a.bin"), other]), .queue(.lanes(12, target: "nas")),
      .engine([(ItemID(2), .preparing(attempt: 1))], at: state.now))
    #expect(header().contains("12 lanes (auto)"))
    Fixture.play(&state, .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now))
    #expect(header().contains("16 lanes (auto)"))
    // A number that was set for one of them is counted as well.
    #expect(
      Fixture.play(&state, .key("g"), .key("-")) == [.setConcurrency(3, target: "photos")])
    #expect(header().contains("15 lanes (auto)"))
  }

  @Test func aKeyThatSetsANumberSaysHowItIsFoundAgain() {
    var state = Fixture.empty()
    Fixture.play(
      &state,
      .target(name: "photos", url: "https://p/", concurrency: .automatic, listsServer: false))
    Fixture.type("+", &state)
    #expect(
      state.message
        == "sending at most 5 files at a time to photos · :lanes auto lets hoist decide")
    Fixture.type("+", &state)
    #expect(state.message == "sending at most 6 files at a time to photos")
    Fixture.play(&state, .command("lanes 64"))
    #expect(Fixture.type("+", &state) == [.bell])
    #expect(state.message == "photos gets 64 files at a time: more is not possible")
  }

  @Test func autoKeepsToTheRangeOfTheTarget() {
    var state = Fixture.empty()
    #expect(
      Fixture.play(&state, .command("lanes auto"))
        == [.setConcurrency(.automatic, target: "photos")])
    Fixture.play(
      &state,
      .target(name: "photos", url: "https://p/", concurrency: .auto(2...16), listsServer: false),
      .command("lanes 3"))
    #expect(
      Fixture.play(&state, .command("lanes auto"))
        == [.setConcurrency(.auto(2...16), target: "photos")])
  }

  @Test func aTargetThatRefusesTheCredentialsIsTriedAgainThoughNothingHasFailed() {
    var state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "a.bin")]))
    #expect(Fixture.type("R", &state) == [.bell])
    Fixture.play(&state, .key(.escape), .refusal(target: state.target, .refused))
    #expect(
      state.message?.hasSuffix("nothing goes there until you fix that (5, then e) or retry (R)")
        == true)
    #expect(Fixture.type("R", &state) == [.probe])
    Fixture.play(&state, .refusal(target: state.target, nil))
    #expect(Fixture.type("R", &state) == [.bell])
  }

  @Test func aStoppedQueueHasNoETAAndANewLimitForgetsTheOldSpeed() {
    var state = Fixture.mixed()
    #expect(state.speeds.totalSpeed(at: state.now) != nil)
    Fixture.play(&state, .command("limit 1 MB/s"))
    #expect(state.speeds.totalSpeed(at: state.now + 1) == nil)
    var stopped = Fixture.empty()
    Fixture.play(&stopped, .added([Fixture.item(1, "a")]), .key("s"))
    #expect(!render(stopped, size: stopped.size).text.contains { $0.contains("ETA") })
  }

  @Test func anOutageIsNoPartOfTheSpeed() throws {
    var speeds = Speeds()
    let size: Int64 = 100_000_000
    let item = Fixture.item(1, "a", size: size)
    var state = ItemState.waiting
    func record(_ new: ItemState, at seconds: Double) {
      speeds.record(item, from: state, to: new, at: Instant(seconds: seconds))
      speeds.settle(isBusy: true, at: Instant(seconds: seconds))
      state = new
    }
    func eta(at seconds: Double) -> Double? {
      speeds.totalETA(of: Totals(of: [item]), at: Instant(seconds: seconds))
    }
    record(.preparing(attempt: 1), at: 0)
    for second in 0...4 {
      record(.sending(attempt: 1, sent: Int64(second) * 1_000_000, total: size), at: Double(second))
    }
    #expect(try #require(eta(at: 4)).rounded() == 100)
    record(.waiting, at: 4.5)
    #expect(eta(at: 5) != nil, "the gap between two files")
    #expect(eta(at: 60) == nil && speeds.totalSpeed(at: Instant(seconds: 60)) == nil)
    for second in 100...104 {
      let sent = Int64(second - 100) * 2_000_000
      record(.sending(attempt: 1, sent: sent, total: size), at: Double(second))
    }
    #expect(try #require(eta(at: 104)).rounded() == 50)
  }

  /// Four files at once, each of which is handed over within a moment, and then its reply takes a while.
  @Test(arguments: [1.5, 4.0, 9.0])
  func slowRepliesHaveAnETA(_ reply: Double) throws {
    var speeds = Speeds()
    let (size, count): (Int64, Int64) = (100_000, 80)
    for start in stride(from: Int64(0), to: count, by: 4) {
      let now = Instant(seconds: 100 + Double(start / 4) * reply)
      func set(_ old: ItemState, _ new: ItemState, at instant: Instant) {
        for id in start..<start + 4 {
          speeds.record(
            Fixture.item(id, "\(id)", size: size), from: old, to: new, at: instant)
        }
        speeds.settle(isBusy: true, at: instant)
      }
      let sent = ItemState.awaitingReply(attempt: 1, since: now)
      set(.waiting, .sending(attempt: 1, sent: 0, total: size), at: now)
      set(.sending(attempt: 1, sent: 0, total: size), sent, at: now + 0.05)
      if start >= 8, start + 4 < count {
        let left = Double(count - start - 4) / 4 * reply
        for part in stride(from: 0.1, to: reply, by: 0.5) {
          let rest = (start + 4..<count).map { Fixture.item($0, "\($0)", size: size) }
          let eta = try #require(
            speeds.totalETA(of: Totals(of: rest), at: now + part),
            "after \(start) files and \(part) s")
          if left > 3 * reply { #expect(eta > left / 3 && eta < 3 * left) }
        }
      }
      set(sent, .done(Fixture.receipt), at: now + reply)
    }
  }

  @Test func theEndIsToldAsAskedFor() {
    for (signal, expected): (AppState.EndSignal, [Effect]) in [
      (.none, []), (.bell, [.bell]), (.notify, [.notify("1 file sent"), .bell]),
      (.desktop, [.notifyDesktop("1 file sent")]),
    ] {
      var state = Fixture.empty()
      state.options.endSignal = signal
      Fixture.play(&state, .added([Fixture.item(1, "a")]))
      let done = ItemState.done(Fixture.receipt)
      #expect(Fixture.play(&state, .engine([(ItemID(1), done)], at: state.now)) == expected)
    }
  }
}
