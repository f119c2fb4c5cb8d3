import Testing
import UploadModel

@testable import Screens

/// The last line offers what can be done here, and rows have room for what tells them apart.
@Suite struct FooterTests {
  private static func footer(_ state: AppState) -> String {
    render(state, size: state.size).text.last ?? ""
  }

  @Test func theKeyForAllResumesOnlyWhatItHasPaused() {
    var state = Fixture.empty()
    Fixture.play(&state, .added((1...3).map { Fixture.item($0, "\($0)") }))
    func paused(_ effects: [Effect]) {
      for case .pause(let ids) in effects {
        Fixture.play(&state, .engine(ids.map { ($0, .paused) }, at: state.now))
      }
    }
    paused(Fixture.type("gp", &state))
    let effects = Fixture.type("P", &state)
    #expect(effects == [.pause([ItemID(2), ItemID(3)])])
    paused(effects)
    #expect(Fixture.type("P", &state) == [.resume([ItemID(2), ItemID(3)])])
    // Without others, it resumes that one as well.
    Fixture.play(
      &state,
      .engine([2, 3].map { (ItemID($0), .done(Fixture.receipt)) }, at: state.now))
    #expect(Fixture.type("P", &state) == [.resume([ItemID(1)])])
  }

  @Test func aStoppedQueueAndAPausedFileGoOnByDifferentWords() {
    var state = Fixture.empty(size: Size(width: 120, height: 24))
    Fixture.play(
      &state, .added([Fixture.item(1, "a", state: .paused), Fixture.item(2, "b")]), .stopped(true),
      .key("g"))
    let footer = render(state, size: state.size).text.last ?? ""
    #expect(footer.contains("s go on") && footer.contains("p resume"), "\(footer)")
  }

  @Test func whoSendsIsSaidOnlyWhileThereIsSomethingToSend() {
    var state = Fixture.empty()
    let words = "another hoist (process 7) sends this queue and what you add here"
    Fixture.play(
      &state, .queue(.aside(true)), .queue(.notice(words)),
      .added((1...30).map { Fixture.item($0, "\($0)") }), .key("G"))
    func isSaid() -> Bool { render(state, size: state.size).text.contains { $0.contains(words) } }
    #expect(isSaid())
    Fixture.play(
      &state,
      .engine((1...30).map { (ItemID($0), .done(Fixture.receipt)) }, at: state.now))
    #expect(!isSaid())
    Fixture.play(&state, .key("G"), .added([Fixture.item(31, "more")]))
    #expect(isSaid())
  }

  @Test(arguments: [
    // What fails can be sent again; only what arrived has an address.
    (0, "p pause", ["r retry ", "y copy URL"]), (2, "y copy URL", ["r retry ", "p pause"]),
    (3, "r retry ", ["p pause", "y copy URL"]), (7, "p resume", ["p pause", "r retry "]),
  ])
  func theQueuesFollowsTheRow(_ row: Int, _ offered: String, _ others: [String]) {
    var state = Fixture.mixed(size: Size(width: 120, height: 24))
    Fixture.type(String(repeating: "j", count: row), &state)
    #expect(Self.footer(state).contains(offered))
    for other in others { #expect(!Self.footer(state).contains(other), "\(other)") }
  }

  @Test func aStoppedQueueSaysHowItGoesOn() {
    var state = Fixture.mixed(size: Size(width: 160, height: 24))
    #expect(Self.footer(state).contains("s stop"))
    Fixture.type("s", &state)
    Fixture.play(&state, .key(.escape))
    #expect(Self.footer(state).contains("a add  s go on"))
  }

  @Test func soDoesThatOfTheDetails() {
    for (row, offers) in [(0, [false, false]), (2, [false, true]), (3, [true, false])] {
      var state = Fixture.mixed(size: Size(width: 120, height: 24))
      Fixture.type(String(repeating: "j", count: row), &state)
      Fixture.play(&state, .key(.enter))
      let words = Self.footer(state)
      #expect([words.contains("r retry"), words.contains("y copy URL")] == offers, "\(words)")
    }
  }

  /// Enter opens a folder, whatever is marked, and adds everything else; `a` always adds.
  @Test func theListOfFilesSaysWhatEnterDoesToTheEntry() {
    var state = Fixture.empty(size: Size(width: 120, height: 24))
    Fixture.play(&state, .key("b"), .folder(Fixture.folder))
    func offers(_ words: String) -> Bool { Self.footer(state).contains(words) }
    // The folder comes first.
    #expect(offers("Enter open  a add  "), "\(Self.footer(state))")
    Fixture.play(&state, .key("j"))
    #expect(offers("Enter add  a add  "), "\(Self.footer(state))")
    Fixture.play(&state, .key(" "))
    #expect(offers("Enter add what is marked  a add  "), "\(Self.footer(state))")
    Fixture.play(&state, .key("g"))
    #expect(offers("Enter open  a add what is marked  "), "\(Self.footer(state))")
    #expect(
      Fixture.play(&state, .key(.enter)) == [
        .listFolder(Array("/home/me/pictures/holiday 漢字".utf8))
      ])
    // Nothing here to add or to open.
    state = Fixture.empty(size: Size(width: 120, height: 24))
    Fixture.play(&state, .key("b"), .folder(Folder(path: [0x2F], name: "/")))
    #expect(!offers("Enter") && !offers("a add"), "\(Self.footer(state))")
  }

  @Test func andThoseOfTheServerAndTheHistory() {
    var state = Fixture.mixed(size: Size(width: 120, height: 24))
    state.options.listsServer = true
    Fixture.play(&state, .key("2"))
    #expect(!Self.footer(state).contains("delete"))
    Fixture.play(&state, .server(.rows(Fixture.serverRows)))
    #expect(Self.footer(state).contains("x delete") && Self.footer(state).contains("y copy URL"))
    Fixture.type("j", &state)
    #expect(Self.footer(state).contains("delete") && !Self.footer(state).contains("copy URL"))
    Fixture.play(&state, .key("3"))
    #expect(!Self.footer(state).contains("send again"))
    var rows = Fixture.historyRows
    for index in rows.indices { rows[index].record = Fixture.record(rows[index]) }
    Fixture.play(&state, .history(.rows(rows)))
    #expect(Self.footer(state).contains("y copy URL  r send again"))
    // What went to another target is sent again from there, which can be chosen here.
    state.options.targets = Fixture.choices("photos", "tickets")
    Fixture.type("j", &state)
    #expect(Self.footer(state).contains("t target"))
    #expect(
      Fixture.type("r", &state).contains {
        $0 == .sendAgain([Fixture.record(rows[1])])
      })
    Fixture.type("t", &state)
    #expect(state.mode == .pick)
    Fixture.play(&state, .key(.escape))
    #expect(Self.footer(state).contains("send again") && !Self.footer(state).contains("copy URL"))
  }

  @Test(arguments: [76, 80, 96, 104, 120, 128, 139, 140, 160, 300])
  func namesKeepTheirRoomBesideTargets(_ width: Int) {
    for hasTargets in [false, true] {
      let columns = Columns(in: 1..<width - 1, hasTargets: hasTargets)
      #expect(columns.name.count >= 14, "\(columns)")
      #expect(width < 80 || hasTargets || columns.name.count >= 17, "\(columns)")
      #expect(width < 104 || columns.name.count >= 20, "\(columns)")
    }
  }

  @Test func whatWasSentBeforeIsSomewhereElse() {
    let words = "3 shows what was sent before"
    var state = Fixture.empty()
    state.options.hasHistory = true
    Fixture.play(&state, .added([Fixture.item(1, "left.txt")]))
    let text = render(state, size: state.size).text
    #expect(text[5].contains(words), "\(text)")
    // What was sent in this session is to be seen.
    Fixture.play(&state, .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now))
    #expect(!render(state, size: state.size).text.contains { $0.contains(words) })
    // Nothing of it where there is no room, or nothing to tell.
    Fixture.play(&state, .added((2...20).map { Fixture.item($0, "more") }), .key("c"))
    #expect(!render(state, size: state.size).text.contains { $0.contains(words) })
    state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "left.txt")]))
    #expect(!render(state, size: state.size).text.contains { $0.contains(words) })
  }

  @Test func aPageThatOnlyRepeatsTheStatusSaysNothing() {
    func said(_ text: String, _ type: String) -> String {
      var state = Fixture.empty(size: Size(width: 120, height: 24))
      let failure = Failure(
        .refused, status: 413, reply: Reply(text: text, mediaType: type), attempts: 1)
      Fixture.play(
        &state, .added([Fixture.item(1, "a")]),
        .engine([(ItemID(1), .failed(failure))], at: state.now))
      return render(state, size: state.size).text[3]
    }
    let page = "<title>413 Request Entity Too Large</title><h1>413 Request Entity Too Large</h1>"
    #expect(said(page, "text/html").contains("failed: 413 Content Too Large"))
    #expect(!said(page, "text/html").contains("Request Entity"))
    #expect(said(page + "<h2>10 MB at most</h2>", "text/html").contains(" · 10 MB at most"))
    #expect(said("413 files at most", "text/plain").contains(" · 413 files at most"))
  }

  /// Keys that do nothing there are not offered, and those that help are.
  @Test func panesOfferWhatIsOfUse() {
    func last(_ keys: String, _ events: AppEvent...) -> String {
      var state = Fixture.empty(size: Size(width: 130, height: 30))
      state.options.listsServer = true
      Fixture.type(keys, &state)
      for event in events { Fixture.play(&state, event) }
      return render(state, size: state.size).text.last ?? ""
    }
    #expect(!last("2", .server(.rows([]))).contains("mark"))
    #expect(last("2", .server(.rows(Fixture.serverRows))).contains("Space mark"))
    #expect(last("3", .history(.rows(Fixture.historyRows))).contains("f filter"))
    #expect(!last("3", .history(.rows([]))).contains("f filter"))
    #expect(last("?").contains("? all keys") && !last("??").contains("? all keys"))
  }
}
