import Scheduling
import Testing
import UploadModel

@testable import Screens

/// The pane of targets.
@Suite struct TargetPaneTests {
  static let rows = [
    TargetRow(
      name: "album", url: "https://nas.local/upload", concurrency: 3, limits: "at most 2 MB/s"),
    TargetRow(name: "photos", url: "https://api.example.com/upload", isUsual: true),
    TargetRow(name: "tickets", url: "https://tickets.example.com/"),
  ]

  private static func pane(_ size: Size = Size(width: 120, height: 40)) -> AppState {
    var state = Fixture.mixed(size: size)
    #expect(Fixture.play(&state, .command("targets")) == [.readTargets])
    Fixture.play(&state, .targets(rows))
    return state
  }

  private static func line(_ name: String, _ state: AppState) -> String {
    render(state, size: state.size).text.dropFirst(2)
      .first { $0.contains(" \(name) ") } ?? ""
  }

  @Test(
    "what went wrong is said first where there is little room",
    arguments: [
      (40, "12 of 99 sent, 5 failed, 3 unknown"), (30, "12 of 99, 5 failed, 3 unknown"),
      (20, "5 failed, 3 unknown"), (14, "5 failed"),
    ])
  func counts(width: Int, words: String) {
    let counts = TargetCounts(all: 99, sent: 12, failed: 5, unknown: 3)
    #expect(counts.words(fitting: width) == words)
    #expect(TargetCounts(all: 99, sent: 12).words(fitting: 8) == "12 of 99")
  }

  /// Where they went does not change when they leave the list.
  @Test func filesThatWereClearedStillCountAsSent() {
    var state = Fixture.empty(size: Size(width: 120, height: 40))
    let items = (1...3).map { (number: Int64) in
      var item = Fixture.item(number, "\(number).txt")
      item.target = "album"
      return item
    }
    let done = ItemState.done(Receipt(status: 201))
    Fixture.play(
      &state, .added(items),
      .engine(items.dropLast().map { ($0.id, done) }, at: state.now), .command("clear"),
      .command("targets"), .targets(Self.rows))
    #expect(Self.line("album", state).contains("2 of 3 sent"), "\(Self.line("album", state))")
    // What was not sent leaves without a trace, and what comes back is not counted twice.
    Fixture.play(&state, .key("1"), .command("remove all"), .key("5"))
    #expect(Self.line("album", state).contains("2 of 2 sent"), "\(Self.line("album", state))")
    Fixture.play(&state, .key("1"), .key("z"), .key("z"), .key("5"))
    #expect(Self.line("album", state).contains("2 of 3 sent"), "\(Self.line("album", state))")
  }

  @Test func eachSaysHowItIs() {
    var state = Self.pane(Size(width: 140, height: 40))
    #expect(Self.line("photos", state).contains("✓ photos"))
    #expect(Self.line("photos", state).contains("being sent"))
    #expect(Self.line("album", state).contains("3 lanes, at most 2 MB/s"))
    Fixture.play(&state, Fixture.away)
    #expect(Self.line("photos", state).contains("away · next try in"))
    Fixture.play(&state, .refusal(target: "tickets", .refused))
    #expect(Self.line("tickets", state).contains("credentials refused"))
    #expect(Fixture.play(&state, .key("c")) == [.tryTarget("album")])
    #expect(Self.line("album", state).contains("testing…"))
    Fixture.play(
      &state, .tried(target: "album", obstacle: "nas.local answers 404 Not Found there"))
    #expect(Self.line("album", state).contains("nas.local answers"))
    Fixture.play(&state, .key("c"), .tried(target: "album", obstacle: nil))
    #expect(Self.line("album", state).contains("answers"))
    // The result of an earlier trial is not shown for a target that is gone.
    Fixture.play(&state, .targets([Self.rows[1]]), .tried(target: "album", obstacle: nil))
    #expect(state.trials.isEmpty)
  }

  /// No column is cut while the words of others are shorter than they might be.
  @Test(arguments: [126, 130, 140, 160]) func noColumnIsCutBesideEmptyOnes(_ width: Int) {
    var state = Fixture.empty(size: Size(width: width, height: 24))
    let rows = ["album", "photos"].map { name in
      TargetRow(
        name: name, url: "https://uploads.example.com/a/rather/long/path",
        isUsual: name == "photos", concurrency: .automatic,
        unsetVariable: "THE_TOKEN_OF_THE_UPLOADS")
    }
    let unclear = Failure(.outcomeUnknown("closed"))
    var items = [
      Fixture.item(1, "1", state: .failed(Fixture.tooLarge)),
      Fixture.item(2, "2", state: .failed(unclear)),
      Fixture.item(3, "3", state: .done(Fixture.receipt)),
    ]
    for index in items.indices { items[index].target = "album" }
    Fixture.play(
      &state, .added(items), .key("5"), .targets(rows), .queue(.lanes(16, target: "album")))
    let line = Self.line("album", state)
    #expect(line.contains("16 lanes (auto)") && line.contains(" not set"), "\(line)")
  }

  /// Targets of one server share the waits that it asks for, however their addresses are written. A pace is a target's
  /// own.
  @Test func eachSaysWhatHoldsItsFilesBack() {
    var state = Self.pane()
    let rows =
      Self.rows + [
        TargetRow(name: "shared", url: "https://API.example.com:443/other"),
        TargetRow(name: "port", url: "https://api.example.com:8443/"),
        TargetRow(name: "longer", url: "https://api.example.com.au/"),
      ]
    let failure = Failure(.refused, status: 429, retryAfter: 48)
    Fixture.play(
      &state, .targets(rows),
      .reachability(
        server: "https://api.example.com", .asksToWait(failure, until: state.now + 48)),
      .pace(target: "album", until: state.now + 7), .pace(target: "photos", until: state.now + 9))
    func held(_ words: String) -> [String] {
      rows.map(\.name).filter { Self.line($0, state).contains(words) }
    }
    #expect(held("asks to wait · 48 s") == ["photos", "shared"])
    #expect(held("too many requests · 7 s") == ["album"])
    // What is decisive is not cut where there is less room.
    for (width, words) in [
      (200, "too many requests · next try in 7 s"), (80, "next try in 7 s"),
      (50, "next try in 7 s"),
    ] {
      state.size = Size(width: width, height: 24)
      #expect(Self.line("album", state).contains(words), "\(width): \(Self.line("album", state))")
    }
    state.size = Size(width: 120, height: 40)
    Fixture.play(&state, .tick(state.now + 8))
    #expect(!Self.line("album", state).contains("too many"))
  }

  /// A server may answer a file of one target, and hold back those of all targets that it has.
  @Test func theOthersSayWhichTargetWasAskedToWait() {
    var state = Self.pane()
    state.size = Size(width: 200, height: 40)
    var item = Fixture.item(21, "c.txt")
    item.target = "photos"
    let failure = Failure(.refused, status: 503, retryAfter: 48)
    Fixture.play(
      &state,
      .targets(Self.rows + [TargetRow(name: "shared", url: "https://api.example.com/other")]),
      .added([item]),
      .reachability(
        server: "https://api.example.com",
        .asksToWait(failure, until: state.now + 48, by: item.id)))
    #expect(Self.line("photos", state).contains("asks to wait · next try in 48 s"))
    #expect(Self.line("shared", state).contains("photos was asked to wait · next try in 48 s"))
  }

  /// After `r` on a file of another target, the server's wait is over, and the file that was asked to wait waits on.
  @Test func theTargetThatWasAskedToWaitSaysSoAsLongAsItsFileWaits() {
    var state = Self.pane()
    state.size = Size(width: 200, height: 40)
    var item = Fixture.item(21, "c.txt")
    item.target = "album"
    let failure = Failure(.refused, status: 503, attempts: 1, retryAfter: 48)
    let server = "https://api.example.com"
    Fixture.play(
      &state, .added([item]),
      .reachability(
        server: server, .asksToWait(failure, until: state.now + 48, by: item.id)),
      .engine(
        [(item.id, .retrying(failure, next: 2, of: nil, at: state.now + 48.5))], at: state.now),
      .reachability(server: server, .asksToWait(failure, until: state.now)))
    #expect(Self.line("album", state).contains("asks to wait · next try in 49 s"))
    #expect(!Self.line("photos", state).contains("wait"))
    Fixture.play(&state, .tick(state.now + 49))
    #expect(!Self.line("album", state).contains("wait"))
  }

  @Test func aFailedTestIsForgottenOnceAFileArrives() {
    var state = Self.pane()
    var (arrived, confirmed) = (Fixture.item(21, "c.txt"), Fixture.item(22, "d.txt"))
    (arrived.target, confirmed.target) = ("album", "album")
    Fixture.play(
      &state, .added([arrived, confirmed]), .key("c"),
      .tried(target: "album", obstacle: "503 Service Unavailable"))
    let unclear = Failure(.outcomeUnknown("closed"))
    Fixture.play(
      &state, .engine([(ItemID(21), .failed(Fixture.tooLarge))], at: state.now),
      .engine([(ItemID(22), .failed(unclear))], at: state.now),
      .engine([(ItemID(22), .done(Receipt(confirming: unclear)))], at: state.now))
    #expect(Self.line("album", state).contains("503 Service"), "nothing says that it works")
    Fixture.play(&state, .engine([(ItemID(21), .done(Fixture.receipt))], at: state.now))
    let line = Self.line("album", state)
    #expect(!line.contains("503") && line.contains("2 of 2 sent"), "\(line)")
  }

  /// What a reply seems to refuse has not arrived for certain.
  @Test(arguments: [80, 200]) func aDoubtfulFileIsNotCountedAsSent(_ width: Int) {
    var state = Fixture.empty(size: Size(width: width, height: 24))
    Fixture.play(
      &state, .added([Fixture.item(1, "a.txt", state: .done(Fixture.doubtful))]), .key("5"),
      .targets(Self.rows))
    let line = Self.line("photos", state)
    #expect(line.contains("1 doubtful") && !line.contains("1 of 1"), "\(line)")
  }

  /// Beside the failures there is room for how many arrived, as long as the addresses are short.
  @Test(arguments: [80, 100, 120]) func howManyWereSentIsSeenBesideFailures(_ width: Int) {
    var state = Fixture.empty(size: Size(width: width, height: 24))
    let failure = Failure(.outcomeUnknown("closed"), attempts: 1)
    let states =
      Array(repeating: ItemState.done(Fixture.receipt), count: 41)
      + Array(repeating: .failed(Fixture.tooLarge), count: 5)
      + Array(repeating: .failed(failure), count: 2)
    Fixture.play(
      &state, .added(states.enumerated().map { Fixture.item(Int64($0), "\($0)", state: $1) }),
      .key("5"), .targets([TargetRow(name: "photos", url: "http://127.0.0.1:31/up")]))
    let line = Self.line("photos", state)
    #expect(line.contains("41 of 48") && line.contains(", 5 failed, 2 unknown "), "\(line)")
  }

  @Test func whatIsKnownWithoutASendingIsSaid() {
    var state = Self.pane()
    var rows = Self.rows
    rows[0].unsetVariable = "NAS_TOKEN"
    Fixture.play(&state, .targets(rows))
    #expect(Self.line("album", state).contains("variable NAS_TOKEN is not set"))
    // What was refused in the form, and saved all the same.
    Fixture.play(&state, .key("a"))
    Fixture.type("http://new.local/", &state)
    Fixture.play(
      &state, .key(.enter), .setupRefused("new.local answers 404 Not Found", isGoodEnough: true),
      .key("y"), .targets(rows + Fixture.rows("new")))
    #expect(state.dialog == nil)
    #expect(Self.line("new", state).contains("new.local answers 40"), "\(Self.line("new", state))")
    // A name is not tried.
    Fixture.play(&state, .key("G"), .key("e"), .key(.tab))
    Fixture.type("er", &state)
    Fixture.play(&state, .key(.enter), .targetChanged, .targets(rows + Fixture.rows("newer")))
    #expect(state.message == "newer changed" && state.trials["newer"] == nil)
    // An address that was tried and taken.
    Fixture.play(&state, .key("g"), .key("j"), .key("j"), .key("e"))
    Fixture.type("s", &state)
    rows[2].url += "s"
    Fixture.play(&state, .key(.enter), .targetChanged, .targets(rows + Fixture.rows("newer")))
    #expect(Self.line("tickets", state).contains("answers"), "\(Self.line("tickets", state))")
  }

  /// A URL without a target is in use as well, and may be what cannot be reached.
  @Test func aURLInUseIsListed() {
    let url = "http://desk.local/up"
    var state = Self.pane()
    var item = Fixture.item(30, "a.txt")
    item.target = url
    Fixture.play(
      &state, .added([item]), .targets(Self.rows),
      .reachability(
        server: "http://desk.local",
        .away(Failure(.connectionRefused("")), nextTry: state.now + 8)))
    #expect(Announcer.list(of: state).last == "\(url)  away · next try in 8 s")
    #expect(Self.line("—", state).contains("\(url) ") && Self.line("—", state).contains("away · "))
    for key in ["e", "d", "x", .enter] as [Key] {
      Fixture.play(&state, .key("G"))
      #expect(Fixture.play(&state, .key(key)) == [.bell] && state.mode == .targets)
      #expect(state.message?.hasPrefix("this is a URL without a target") == true)
    }
    #expect(Fixture.type("c", &state) == [.tryTarget(url)])
    // Once nothing goes there, it is gone.
    Fixture.play(&state, .removed([item.id]), .targets(Self.rows))
    #expect(Self.line("—", state) == "")
  }

  @Test func theFooterHasWhatAMessageAsksFor() {
    let state = Self.pane(Size(width: 80, height: 24))
    #expect(render(state, size: state.size).text.last?.contains("e edit") == true)
  }

  /// In a narrow window, what was asked for takes the place of the counts.
  @Test func theAnswerToATestIsSeenBesideFiles() {
    var state = Fixture.empty()
    var item = Fixture.item(1, "a.txt", state: .done(Fixture.receipt))
    item.target = "album"
    Fixture.play(&state, .added([item]), .key("5"), .targets(Self.rows))
    #expect(Self.line("album", state).contains("1 of 1"))
    Fixture.play(&state, .key("c"))
    #expect(Self.line("album", state).contains("testing…"))
    Fixture.play(&state, .tried(target: "album", obstacle: nil))
    #expect(Self.line("album", state).contains("answers"))
  }

  @Test(arguments: [80, 100, 130, 200])
  func eachHasItsTotals(_ width: Int) {
    var state = Fixture.empty(size: Size(width: width, height: 40))
    var items = (1...40).map { Fixture.item($0, "\($0)", state: .done(Fixture.receipt)) }
    for index in items.indices { items[index].target = index < 30 ? "album" : "" }
    items[0].state = .failed(Fixture.tooLarge)
    items[1].state = .waiting
    items[39].state = .failed(Failure(.outcomeUnknown("closed"), attempts: 1))
    Fixture.play(&state, .added(items), .key("5"), .targets(Self.rows))
    let words =
      switch width {
      case 80: ["28 of 30, 1 failed ", "9 of 10, 1 unknown "]
      default: ["28 of 30 sent, 1 failed ", "9 of 10 sent, 1 unknown "]
      }
    #expect(Self.line("album", state).contains(words[0]))
    #expect(Self.line("photos", state).contains(words[1]))
    #expect(!Self.line("tickets", state).contains(" of "))
    for row in Self.rows { #expect(Self.line(row.name, state).contains("\(row.url) ")) }
  }

  /// In a wide window, no column is empty while another one is cut.
  @Test(arguments: [100, 110, 120, 130, 160])
  func aWideWindowSaysNoLess(_ width: Int) {
    func line(_ width: Int) -> String {
      var state = Fixture.empty(size: Size(width: width, height: 40))
      var item = Fixture.item(1, "a.txt", state: .done(Fixture.receipt))
      item.target = "album"
      Fixture.play(&state, .added([item]), .key("5"), .targets(Self.rows))
      return Self.line("album", state)
    }
    #expect(line(80).contains("1 of 1 sent"))
    #expect(line(width).contains("1 of 1 sent"), "\(line(width))")
    #expect(line(width).contains("\(Self.rows[0].url) "), "\(line(width))")
  }

  /// The header, the pane and the details of a target say the same of its lanes.
  @Test func theLanesAreThoseThatAreInUse() {
    var state = Self.pane()
    func lanes() -> String { state.lanes(of: "photos").words }
    Fixture.play(
      &state, .command("lanes auto"), .queue(.lanes(12, target: "photos")))
    for (change, words): (AppEvent?, String) in [
      (nil, "12 lanes (auto)"), (.command("lanes 7"), "7 lanes"),
      (.refusal(target: "photos", .forbidden), "1 lane"),
      (.refusal(target: "photos", nil), "7 lanes"),
    ] {
      if let change { Fixture.play(&state, change) }
      #expect(lanes() == words)
    }
  }

  @Test func itSaysWhyATargetGetsFewerLanes() {
    var state = Self.pane()
    state.size = Size(width: 200, height: 40)
    var item = Fixture.item(21, "c.txt")
    item.target = "album"
    var settings = state.settings
    settings.lanes["album"] = .auto(1...8)
    let fall = LaneFall(before: 6, since: state.now, why: "500 Internal Server Error")
    Fixture.play(
      &state, .added([item]), .queue(.settings(settings)),
      .queue(.lanes(1, target: "album", fall: fall)),
      .engine([(item.id, .sending(attempt: 1, sent: 1, total: 1000))], at: state.now))
    let words = "since \(state.clock(state.now)): 500 Internal Server Error"
    #expect(Self.line("album", state).contains(words), "\(Self.line("album", state))")
    Fixture.play(&state, .queue(.lanes(6, target: "album")))
    #expect(Self.line("album", state).contains("1 being sent"), "\(Self.line("album", state))")
  }

  /// Nothing would be sent if the server were tried, so the key that tries it is not offered.
  @Test func anEmptyQueueOffersNoRetryThoughItsTargetRefusesTheCredentials() {
    var state = Fixture.empty(size: Size(width: 120, height: 24))
    Fixture.play(&state, .refusal(target: state.target, .refused), Fixture.away)
    #expect(render(state, size: state.size).text.last?.contains("retry all") == false)
    #expect(Fixture.play(&state, .key("R")) == [.bell])
  }

  @Test func afterSeveral403TheScreenSaysThatFilesGoOneAtATime() {
    var state = Self.pane(Size(width: 80, height: 24))
    Fixture.play(&state, .refusal(target: "photos", .forbidden))
    #expect(
      state.message
        == "photos answered 403 to several files in a row: until it accepts one, they go one at a time"
    )
    Fixture.play(&state, .key("1"))
    let text = render(state, size: state.size).text
    #expect(text[0].contains("one at a time after 403"), "\(text[0])")
    #expect(text.contains { $0.contains("漢字") && $0.contains("one at a time") }, "\(text)")
    Fixture.play(&state, .refusal(target: "photos", nil))
    #expect(!render(state, size: state.size).text.contains { $0.contains("one at a time") })
  }

  @Test func itsKeysAskForWhatTheySay() {
    var state = Self.pane()
    #expect(Fixture.type("t", &state) == [.switchTarget("album")])
    #expect(Fixture.type("d", &state) == [.makeDefault("album")])
    #expect(Fixture.play(&state, .key(.enter)) == [.showTarget("album")])
    Fixture.play(&state, .page(title: "album", lines: ["[targets.album]", "url = \u{1B}[31m"]))
    #expect(render(state, size: state.size).text.contains { $0.contains("url = ␛[31m") })
    Fixture.play(&state, .key(.escape))
    #expect(Fixture.type("r", &state) == [.readTargets])
    #expect(Fixture.type("c", &state) == [.tryTarget("album")])
    #expect(Self.line("album", state).contains("testing…"))
    #expect(Fixture.type("a", &state) == [] && state.mode == .setup)
  }

  /// The reason is whole in the message, and a second trial is seen to have been made.
  @Test func aTrialSaysWhyAndThatItWasMadeAgain() {
    var state = Self.pane(Size(width: 80, height: 24))
    let why = "no answer: connection refused"
    Fixture.play(&state, .key("c"), .tried(target: "album", obstacle: why))
    #expect(state.message == "album: \(why)")
    Fixture.play(&state, .key("c"), .tried(target: "album", obstacle: why))
    #expect(state.message == "album, as before: \(why)")
    Fixture.play(&state, .key("c"), .tried(target: "album", obstacle: "other"))
    #expect(state.message == "album: other")
  }

  @Test func whatIsNotChangedIsNotSaidToBe() {
    var state = Self.pane()
    Fixture.play(&state, .key("e"))
    #expect(Fixture.play(&state, .key(.enter)) == [] && state.dialog == nil)
    #expect(state.message == "album stays as it is")
    // What is typed where only yes and no can be chosen is answered.
    Fixture.play(&state, .key("e"), .key(.backTab))
    for _ in 0..<4 {
      if case .form(let form) = state.dialog, form.rows[form.focus].field == .isUsual { break }
      Fixture.play(&state, .key(.tab))
    }
    #expect(Fixture.type("x", &state) == [.bell])
    #expect(render(state, size: state.size).text.contains { $0.contains("yes or no: y, n, or") })
  }

  /// The pane with the form of a target open, and another address typed.
  private static func edited(to url: String) -> AppState {
    var state = pane()
    Fixture.play(&state, .key("e"), .key(.control("u")))
    Fixture.type(url, &state)
    return state
  }

  @Test func aTargetIsEdited() {
    var state = Self.edited(to: "https://new.local/up")
    Fixture.play(&state, .key(.tab), .key(.tab), .key(" "))
    var changed = Self.rows[0]
    (changed.url, changed.isUsual) = ("https://new.local/up", true)
    let effects = Fixture.play(&state, .key(.enter))
    #expect(effects == [.changeTarget(Self.rows[0], to: changed, isGoodEnough: false)])
    #expect(Fixture.play(&state, .key(.enter)) == [], "it is being tried")
    Fixture.play(&state, .targetChanged)
    #expect(state.dialog == nil && state.message == "album changed")
  }

  /// As other values that are chosen, it is not typed.
  @Test func whetherItIsTheDefaultIsSwitched() {
    var state = Self.pane()
    Fixture.play(&state, .key("e"), .key(.tab), .key(.tab))
    func shown() -> String {
      render(state, size: state.size).text.first { $0.contains(" Default ") } ?? ""
    }
    #expect(shown().contains("▸ no "))
    for (key, word) in [(" ", "yes"), (.left, "no"), (.right, "yes"), ("n", "no"), ("y", "yes")]
      as [(Key, String)]
    {
      #expect(Fixture.play(&state, .key(key)) == [])
      #expect(shown().contains("▸ \(word) "), "\(key): \(shown())")
    }
    #expect(Fixture.type("sam", &state) == [.bell, .bell, .bell] && shown().contains("▸ yes "))
    Fixture.play(&state, .key(.backspace))
    #expect(shown().contains("▸ yes "))
    // The default is changed with another target, so this one stays.
    Fixture.play(&state, .key(.escape), .key("j"), .key("e"), .key(.tab), .key(.tab))
    #expect(shown().contains("▸ yes ") && Fixture.type(" ", &state) == [.bell])
    #expect(shown().contains("▸ yes "))
    #expect(
      render(state, size: state.size).text.contains { $0.contains("make another target the def") })
  }

  @Test func whatIsRefusedSaysWhyAndLosesNothing() {
    var state = Self.edited(to: "https://new.local/up")
    Fixture.play(&state, .key(.tab), .key(.enter))
    Fixture.play(&state, .setupRefused("a name has no blanks", at: .name, isGoodEnough: false))
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("a name has no blanks") && text.contains("https://new.local/up"))
    // An address that answers 404 is written only after a clear yes.
    Fixture.play(&state, .key(.enter))
    Fixture.play(&state, .setupRefused("new.local answers 404 Not Found", isGoodEnough: true))
    #expect(state.mode == .keepingTarget)
    var changed = Self.rows[0]
    changed.url = "https://new.local/up"
    #expect(
      Fixture.type("y", &state)
        == [.changeTarget(Self.rows[0], to: changed, isGoodEnough: true)])
  }

  @Test(
    arguments: [
      ("127.0.0.1:1877/ok", "http://127.0.0.1:1877/ok"), ("localhost/x", "http://localhost/x"),
      ("host.example/up", "https://host.example/up"), ("http://a/b", "http://a/b"),
    ])
  func anAddressWithoutASchemeGetsOne(_ typed: String, _ url: String) {
    var state = Self.edited(to: typed)
    guard case .changeTarget(_, let row, _, _)? = Fixture.play(&state, .key(.enter)).first else {
      Issue.record("nothing is tried")
      return
    }
    #expect(row.url == url)
    #expect(render(state, size: state.size).text.contains { $0.contains(url) })
  }

  @Test(arguments: [Size(width: 40, height: 12), Size(width: 80, height: 24)])
  func whatIsWrongIsSaidInFull(_ size: Size) {
    var state = Self.edited(to: "https://new.local/up")
    let words = "~/.config/hoist/config.toml: has a form that hoist cannot edit; do it by hand"
    Fixture.play(
      &state, .resized(size), .key(.enter), .setupRefused(words, at: .url, isGoodEnough: false))
    let text = render(state, size: size).text.joined(separator: " ")
    let said = text.split(separator: " ").filter { !"│╭╮╰╯".contains($0) }.joined(separator: " ")
    #expect(said.contains(words), "\(said)")
  }

  /// A new token goes where the old one is; nobody sees it.
  @Test func aTokenIsChanged() {
    var state = Self.pane()
    Fixture.play(&state, .key("e"), .key(.backTab))
    Fixture.type("to-ken", &state)
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("******") && !text.contains("to-ken"), "\(text)")
    let row = Self.rows[0]
    #expect(
      Fixture.play(&state, .key(.enter))
        == [.changeTarget(row, to: row, token: "to-ken", isGoodEnough: false)])
    Fixture.play(
      &state,
      .setupRefused("the variable NOPE is not set here", at: .token, isGoodEnough: true))
    // The address is not at fault.
    let question = render(state, size: state.size).text.joined(separator: "\n")
    #expect(question.contains("The credentials do not work yet"), "\(question)")
    #expect(question.contains("the variable NOPE is not set here."), "\(question)")
    Fixture.play(&state, .key("n"))
    Fixture.type("s", &state)
    guard case .changeTarget(_, _, "to-kens", false)? = Fixture.play(&state, .key(.enter)).first
    else {
      Issue.record("the focus is elsewhere")
      return
    }
  }

  @Test func aTargetThatFilesWaitForKeepsItsName() {
    var state = Self.pane()
    var items = state.queue.rows.map(\.item)
    for index in items.indices { items[index].target = "album" }
    Fixture.play(&state, .added(items), .key("e"), .key(.tab))
    Fixture.type("2", &state)
    #expect(Fixture.play(&state, .key(.enter)) == [.bell])
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("cannot rename it: the queue has 7 files for this target"))
  }

  @Test func namesAreFiltered() {
    var state = Self.pane()
    Fixture.type("ftick", &state)
    Fixture.play(&state, .key(.enter))
    #expect(state.targets.selected?.name == "tickets" && Self.line("album", state).isEmpty)
    Fixture.play(&state, .key(.escape))
    Fixture.type("/alb", &state)
    Fixture.play(&state, .key(.enter))
    #expect(state.targets.selected?.name == "album")
  }

  @Test func theDefaultIsShownWhateverElseIsTold() {
    var state = Self.pane(Size(width: 80, height: 24))
    Fixture.play(&state, .key("j"), .key("c"), .tried(target: "photos", obstacle: nil))
    #expect(Self.line("photos", state).contains("default"))
    #expect(render(state, size: state.size).text[1].contains("5 Targets"))
  }

  @Test func deletingIsAskedForAndSaysWhatWaits() {
    var state = Self.pane()
    Fixture.type("x", &state)
    #expect(state.mode == .deletingTarget)
    #expect(Fixture.play(&state, .key(.enter)) == [], "the safe answer is lit")
    var items = state.queue.rows.map(\.item)
    for index in items.indices { items[index].target = "album" }
    Fixture.play(&state, .added(items), .key("x"))
    guard case .question(let question) = state.dialog else {
      Issue.record("nothing is asked")
      return
    }
    let words = QuestionBox(question: question, state: state, size: state.size).words.text
    #expect(words.contains("7 files in the queue could no longer be sent"))
    #expect(Fixture.type("y", &state) == [.deleteTarget("album")])
    // Neither the default nor the chosen one goes.
    Fixture.type("jx", &state)
    #expect(state.mode == .targets && state.message?.contains("is the default") == true)
  }

  @Test func whatWasDeletedIsBroughtBack() {
    var state = Self.pane()
    Fixture.play(&state, .targetDeleted("album"))
    #expect(state.message == "album is deleted · z brings it back")
    #expect(Fixture.type("z", &state) == [.restoreTarget])
  }

  @Test func whoIsLetInIsToldWhatWasRefusedBefore() {
    var state = Self.pane()
    var items = state.queue.rows.map(\.item)
    for index in items.indices { items[index].target = "album" }
    items[3].state = .failed(Failure(.rejected("not yours"), status: 403))
    Fixture.play(&state, .added(items), .tried(target: "album", obstacle: "refused"))
    #expect(state.message?.contains("again") != true)
    Fixture.play(&state, .tried(target: "album", obstacle: nil))
    #expect(
      state.message == "album answers; R in the queue retries the 1 file it refused")
    // Those that failed for the credentials need no key.
    items[4].state = .failed(Failure(.refused, status: 401))
    Fixture.play(&state, .added(items), .tried(target: "album", obstacle: nil))
    #expect(state.message == "album answers; sending 1 file again")
  }

  @Test func whatACheckCannotTellIsSaid() {
    var state = Self.pane()
    Fixture.play(&state, .refusal(target: "album", .refused), .key("c"))
    Fixture.play(&state, .untested(target: "album", isUnchanged: true))
    #expect(
      state.message
        == "album answers, but this does not test its credentials, which are those that it refused; "
        + "R in the queue does, with a file")
    #expect(Self.line("album", state).contains("credentials refused"))
    Fixture.play(
      &state, .refusal(target: "album", nil), .untested(target: "album", isUnchanged: false))
    #expect(
      state.message
        == "album answers, but this does not test its credentials; R in the queue does, with a file"
    )
    #expect(Self.line("album", state).contains("credentials not tested"))
    let words = "refuses the credentials: 401 Unauthorized"
    Fixture.play(
      &state, .refusal(target: "album", .refused), .tried(target: "album", obstacle: words))
    #expect(state.message == "album: \(words)")
  }

  @Test func withoutAConfigurationItSaysSo() {
    var state = Fixture.mixed()
    state.options.configuration = nil
    #expect(Fixture.play(&state, .key("5")) == [])
    #expect(
      render(state, size: state.size).text.contains { $0.contains("There is no configuration") })
    #expect(
      Fixture.type("cdxtaer", &state) == Array(repeating: .bell, count: 7) || state.mode == .targets
    )
  }

  @Test(arguments: Fixture.sizes) func itFits(_ size: Size) {
    let state = Self.pane(size)
    HostileTests.expectSound(render(state, size: size))
    #expect(render(state, size: size).text.contains { $0.contains("album") })
  }

  /// What the states do not need is there for the addresses.
  @Test func at80ColumnsAnAddressHasTheRoomOfTheStates() {
    var state = Fixture.empty()
    let url = "http://127.0.0.1:9911/upload/early413"
    state.options.targets = [TargetRow(name: "photos", url: url)]
    Fixture.play(&state, .key("5"), .targets(state.options.targets))
    let text = render(state, size: state.size).text
    #expect(text.contains { $0.contains(url) }, "\(text)")
  }

  /// A state that does not fit is shortened to what it says first, and a column without words takes no room.
  @Test func aLongStateIsNotCutInItsMiddle() {
    for (url, words) in [
      ("http://h:8791/t401", "refuses the credentials: 401 Unauthorized"),
      ("http://127.0.0.1:8791/a/longer/address/t401", "refuses the credentials"),
    ] {
      var state = Fixture.empty()
      state.options.targets = [TargetRow(name: "t401", url: url)]
      Fixture.play(
        &state, .key("5"), .targets(state.options.targets), .key("c"),
        .tried(target: "t401", obstacle: "refuses the credentials: 401 Unauthorized"))
      let line = Self.line("t401", state)
      #expect(line.contains(" \(words) "), "\(line)")
    }
  }

  /// "a makes one": of the URL that has none.
  @Test func aURLWithoutATargetBecomesOne() {
    var state = Fixture.empty()
    var item = Fixture.item(1, "a.txt")
    item.target = "http://127.0.0.1:9922/up"
    Fixture.play(&state, .added([item]), .key("5"), .targets(Fixture.rows("photos")), .key("G"))
    #expect(Fixture.type("e", &state) == [.bell])
    #expect(state.message?.hasSuffix("a makes one") == true)
    Fixture.type("a", &state)
    #expect(state.setupAnswers?.url == "http://127.0.0.1:9922/up")
  }
}
