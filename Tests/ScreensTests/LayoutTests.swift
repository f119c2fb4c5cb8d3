import Foundation
import MultipartForm
import Testing

@testable import Screens
@testable import UploadModel

/// What the room of a screen is used for.
@Suite struct LayoutTests {
  private static let sizes = [
    (40, 10), (40, 12), (80, 24), (100, 31), (120, 40), (121, 20), (121, 31), (160, 28), (200, 60),
    (300, 100),
  ].map { Size(width: $0, height: $1) }

  @Test(arguments: sizes, [true, false])
  func nothingOverlapsAndNoLineIsWasted(_ size: Size, _ isEmpty: Bool) {
    for pane in Pane.allCases {
      for hasNotice in [true, false] {
        let layout = Layout(size: size, hasNotice: hasNotice, pane: pane, isEmpty: isEmpty)
        let list = layout.box?.rows ?? 1..<layout.rows.upperBound
        let below = [layout.details, layout.throughput].compactMap(\.self)
        var lines = [0] + list + below.flatMap(\.rows)
        lines += [layout.notice, layout.total, layout.footer].compactMap(\.self)
        #expect(lines.sorted() == Array(0..<size.height), "\(pane)")
        #expect(layout.rows.count >= 5)
        #expect(list.contains(layout.rows.lowerBound) && list.contains(layout.rows.upperBound - 1))
        for (one, other) in [(layout.box, layout.side), (layout.throughput, layout.events)] {
          guard let one else { continue }
          #expect(one.columns.upperBound == other?.columns.lowerBound ?? size.width)
          #expect(
            other == nil || other?.rows == one.rows && other?.columns.upperBound == size.width)
        }
        #expect(layout.list.count >= min(size.width, 81) - 2)
      }
    }
  }

  @Test func aWideScreenHasADetailPaneAndATallOneAGraph() {
    func layout(_ width: Int, _ height: Int) -> Layout {
      Layout(size: Size(width: width, height: height), hasNotice: false)
    }
    #expect(layout(120, 24).side == nil && layout(121, 24).side != nil)
    #expect(layout(80, 30).throughput == nil && layout(80, 31).throughput != nil)
  }

  /// The pane beside the list would jump if its width followed the names in the queue.
  @Test(arguments: [(121, 40), (130, 44), (160, 56), (200, 72), (300, 85)])
  func theSidePaneIsAsWideAsTheWindowAllows(_ width: Int, _ side: Int) {
    var state = Fixture.empty(size: Size(width: width, height: 40))
    for length in [1, 40, 200] {
      Fixture.play(
        &state,
        .added([Fixture.item(Int64(length), String(repeating: "n", count: length))]))
      #expect(state.layout.side?.columns.count == side, "\(length)")
      #expect(state.layout.events?.columns == state.layout.side?.columns)
    }
  }

  @Test func theSidePaneTellsOfTheRowUnderTheCursor() {
    let size = Size(width: 160, height: 40)
    var state = Fixture.mixed(size: size)
    Fixture.type("jjj", &state)
    let text = render(state, size: size).text
    #expect(text[1].contains("╮╭─ disk.img ─"))
    #expect(text.contains { $0.contains("│ ✗ failed: 413 Content Too Large · ") })
    #expect(text.contains { $0.contains("│ Folder   /home/me") })
    #expect(text.contains { $0.contains("│ The server refused it: 413") })
    // After an edit, which was made because of these words, they are gone.
    Fixture.play(&state, .command("edit disk.img"), .paste("x"), .key(.enter))
    let edited = render(state, size: size).text.joined(separator: "\n")
    #expect(!edited.contains("Retrying will not help") && edited.contains("It failed with"))
  }

  @Test(
    arguments: [
      (0, 1000), (999, 1000), (1000, 1000), (1001, 2000), (2001, 5000), (5001, 10_000),
      (12_400_000, 20_000_000), (.max, 10_000_000_000_000_000_000 as UInt64),
    ] as [(Int64, UInt64)])
  func theAxisReadsEasily(_ most: Int64, _ scale: UInt64) {
    let graph = ThroughputGraph([0, most, 3])
    if most < .max { #expect(graph.scale == Int64(scale)) } else { #expect(graph.scale > 0) }
  }

  @Test func theGraphIsAnAreaOfDots() {
    func text(_ values: [Int64], _ height: Int, ascii: Bool) -> [String] {
      ThroughputGraph(values).rows(width: 3, height: height, ascii: ascii)
        .map { $0.map(\.text).joined() }
    }
    #expect(text([0, 0, 250, 500, 750, 1000], 1, ascii: false) == [" ⣠⣾"])
    #expect(text([1000, 0, 1, 1000], 2, ascii: false) == [" ⡇⢸", " ⡇⣸"])
    #expect(text([0, 0, 250, 500, 750, 1000], 1, ascii: true) == [" :#"])
    #expect(text([1000, 0, 1, 1000], 2, ascii: true) == [" ##", " ##"])
    #expect(text([], 2, ascii: false) == ["   ", "   "])
  }

  /// A graph of what moved, with an axis in units, and what happened beside it.
  @Test func theThroughputOfTheLastMinutes() {
    let size = Size(width: 120, height: 40)
    let state = Fixture.mixed(size: size)
    let text = render(state, size: size).text
    let title = text.firstIndex { $0.hasPrefix("╭─ Throughput ") } ?? 0
    #expect(text[title].contains("╮╭─ Just now "))
    #expect(text[title + 1].contains("100 MB/s "))
    #expect(text[title + 1..<title + 6].joined().contains("⣿"))
    #expect(text[title + 5].contains("-1 min") && text[title + 5].contains("now │"))
    #expect(text[title + 1..<title + 6].joined().contains("gone.txt: file is missing"))
  }

  @Test func filesOfSeveralTargetsNameTheirs() {
    var state = Fixture.mixed()
    #expect(!render(state, size: state.size).text[2].contains("TARGET"))
    var item = Fixture.item(1, "IMG_0001.jpg")
    item.target = "nas"
    Fixture.play(&state, .added([item]))
    #expect(render(state, size: state.size).text[2].contains("TARGET"))
    #expect(render(state, size: state.size).text[3].contains(" nas "))
    Fixture.play(&state, .removed([ItemID(1)]))
    #expect(!render(state, size: state.size).text[2].contains("TARGET"))
  }

  @Test func aWaitingFileSaysWhy() {
    var state = Fixture.empty()
    state.configured = 1
    Fixture.play(
      &state, .added([Fixture.item(1, "a"), Fixture.item(2, "b")]),
      .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now))
    func said() -> String { render(state, size: state.size).text[4] }
    #expect(said().contains("waiting for a lane · 1 in use"))
    Fixture.play(&state, .perform(.startStop))
    #expect(said().contains("waiting · stopped"))
    Fixture.play(&state, .perform(.startStop), .refusal(target: state.target, .refused))
    #expect(said().contains("credentials refused"))
    Fixture.play(&state, Fixture.away, .refusal(target: state.target, nil))
    #expect(said().contains("refused · next try in"))
    Fixture.play(
      &state, .reachability(server: "https://api.example.com", .back),
      .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now))
    #expect(said().contains(" waiting") && !said().contains("·  waiting ·"))
  }

  /// No matter which process sends the queue, and which target the files are for.
  @Test(arguments: [false, true], ["", "nas"])
  func aFileThatWaitsForALaneSaysSoInEveryWindow(isAside: Bool, target: String) {
    var state = Fixture.empty()
    (state.options.targets, state.configured) = (Fixture.rows("nas"), 1)
    state.options.targets[0].concurrency = 1
    var items = [Fixture.item(1, "a"), Fixture.item(2, "b")]
    for index in items.indices { items[index].target = target }
    Fixture.play(
      &state, .aside(isAside), .added(items),
      .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now))
    let said = render(state, size: state.size).text[4]
    #expect(said.contains("a lane · 1 in use"), "\(said)")
  }

  /// If only the process that sends knows a target, it is not known how many files go there at once.
  @Test func aLimitThatIsNotKnownIsNotSaid() {
    var state = Fixture.empty()
    var items = [Fixture.item(1, "a"), Fixture.item(2, "b")]
    for index in items.indices { items[index].target = "elsewhere" }
    Fixture.play(
      &state, .added(items), .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now))
    #expect(!render(state, size: state.size).text[4].contains("lane"))
    Fixture.play(&state, .queue(.lanes(1, target: "elsewhere")))
    #expect(render(state, size: state.size).text[4].contains("lane · 1"))
  }

  /// If all files go to one target that is not the chosen one, the header may still name the chosen one.
  @Test func filesOfAnotherTargetNameIt() {
    var state = Fixture.empty()
    var item = Fixture.item(1, "a.txt", state: .failed(Fixture.tooLarge))
    item.target = "photos"
    Fixture.play(&state, .added([item]))
    #expect(!render(state, size: state.size).text[2].contains("TARGET"))
    item.target = "nas"
    Fixture.play(&state, .added([item]))
    #expect(render(state, size: state.size).text[2].contains("TARGET"))
    #expect(render(state, size: state.size).text[3].contains(" nas "))
  }

  // MARK: The footer

  private static func footer(_ state: AppState) -> String {
    render(state, size: state.size).text.last ?? ""
  }

  @Test func theFooterFollowsTheRow() {
    var state = Fixture.mixed(size: Size(width: 120, height: 40))
    func at(_ row: Int) -> String {
      state.moveCursor(to: row)
      return Self.footer(state)
    }
    #expect(at(0).contains("p pause") && !at(0).contains("r retry  "))
    #expect(at(2).contains("y copy URL") && !at(2).contains("p pause"))
    #expect(at(3).contains("a add  r retry  ") && at(3).contains("e edit"))
    #expect(at(6).contains("p pause") && !at(6).contains(" y "))
    let empty = Self.footer(Fixture.empty(size: Size(width: 120, height: 40)))
    #expect(
      empty.contains("a add  b browse") && !empty.contains("retry") && !empty.contains("pause"))
  }

  @Test func theFooterAndTheHeadsOfColumnsAreClicked() throws {
    var state = Fixture.mixed(size: Size(width: 120, height: 40))
    state.moveCursor(to: 3)
    let column = try #require(Self.footer(state).range(scalars: "r retry"))
    let text = Self.footer(state)
    let place = text.unicodeScalars.distance(from: text.startIndex, to: column.lowerBound)
    #expect(
      Fixture.play(&state, .mouse(Mouse(.click, row: 39, column: place))) == [.retry([ItemID(4)])])
    let columns = state.columns(in: state.layout)
    let size = columns.size.lowerBound
    Fixture.play(&state, .mouse(Mouse(.click, row: 2, column: size + 4)))
    #expect(state.queue.rows.first?.item.id == ItemID(4))
    #expect(state.list.cursor == 0 && state.list.scroll == 0, "the top is in view")
    Fixture.play(&state, .mouse(Mouse(.click, row: 2, column: size + 4)))
    #expect(state.queue.rows.last?.item.id == ItemID(4))
    Fixture.play(&state, .mouse(Mouse(.click, row: 2, column: columns.name.lowerBound)))
    #expect(state.queue.rows.first?.item.fileName == "IMG_0001.jpg")
  }

  // MARK: Asking

  @Test func pausingEverythingIsAskedForWhereItThrowsBytesAway() {
    var state = Fixture.mixed()
    #expect(Fixture.type("P", &state) == [])
    #expect(state.mode == .pausing)
    #expect(
      render(state, size: state.size).text.contains { $0.contains("(2.5 MB sent)") })
    // The answer that loses nothing is the one that is lit.
    #expect(Fixture.play(&state, .key(.enter)) == [.setStarted(false)])
    #expect(!state.settings.isStarted)
    Fixture.type("P", &state)
    guard case .pause(let ids)? = Fixture.type("p", &state).first else {
      Issue.record("nothing was paused")
      return
    }
    #expect(ids.contains(ItemID(1)))
    Fixture.type("P", &state)
    #expect(Fixture.play(&state, .key(.escape)) == [] && state.mode == .queue)
  }

  @Test(
    arguments: [
      (1, 1000, false, false), (1, 1 << 20, false, false), (1, 1 << 20 | 1, false, true),
      (5, 1000, false, false), (6, 1000, false, true), (6, 0, false, false),
      (6, 1 << 21, true, false),
    ] as [(Double, Int64, Bool, Bool)])
  func pausingIsAskedForWhereMoreThanAMomentsWorkWouldBeLost(
    _ seconds: Double, _ sent: Int64, _ goesOn: Bool, _ isAsked: Bool
  ) {
    var state = Fixture.empty()
    let (file, size) = (ItemID(1), Int64(5_000_000))
    Fixture.play(
      &state, .added([Fixture.item(1, "a.bin", size: size), Fixture.item(2, "b.bin")]),
      .engine([(file, .sending(attempt: 1, sent: 0, total: size))], at: state.now),
      .engine([(file, .sending(attempt: 1, sent: sent, total: size))], at: state.now + seconds))
    if goesOn {
      let identity = FileIdentity(device: 1, inode: 1, size: size, modified: 0)
      let url = URL(fileURLWithPath: "/tus/1")
      Fixture.play(
        &state, .resumePoint(file, ResumePoint(url: url, target: "photos", identity: identity)))
    }
    let effects = Fixture.type("p", &state)
    #expect(effects == (isAsked ? [] : [.pause([file])]))
    guard isAsked else { return }
    #expect(state.mode == .breakingOff)
    #expect(Fixture.play(&state, .key(.enter)) == [], "to let it finish is lit")
    #expect(state.mode == .queue)
    #expect(Fixture.type("pp", &state) == [.pause([file])])
    // Of several marked files, at least those that lose nothing are paused.
    #expect(Fixture.type("  pf", &state) == [.pause([ItemID(2)])])
    // Who names a file on the command line has said so.
    #expect(Fixture.play(&state, .command("pause a.bin")) == [.pause([file])])
  }

  @Test func aLateAnswerPausesAndNeverGoesOn() {
    var state = Fixture.empty(size: Size(width: 120, height: 24))
    let sent = ItemState.sending(attempt: 1, sent: 2 << 20, total: 5 << 20)
    Fixture.play(&state, .added([Fixture.item(1, "a.bin"), Fixture.item(2, "b.bin")]))
    for key in ["p", "P"] {
      Fixture.play(&state, .engine([(ItemID(1), sent), (ItemID(2), .paused)], at: state.now))
      #expect(Fixture.type(key, &state) == [])
      Fixture.play(&state, .engine([(ItemID(1), .paused)], at: state.now))
      #expect(Fixture.type("p", &state) == [], "\(key)")
    }
  }

  @Test func onlyWhatHadBegunStartsAgain() {
    var state = Fixture.empty(size: Size(width: 120, height: 24))
    let sent = ItemState.sending(attempt: 1, sent: 500, total: 1000)
    Fixture.play(
      &state, .added([Fixture.item(1, "a.bin"), Fixture.item(2, "b.bin")]),
      .engine([(ItemID(1), sent)], at: state.now),
      .engine([(ItemID(1), .paused), (ItemID(2), .paused)], at: state.now + 1))
    let text = render(state, size: state.size).text
    #expect(text[3].contains(" paused · starts again from 0 ") && !text[3].contains("50%"))
    #expect(text[4].contains(" paused  "))
  }

  /// A window that is opened later knows of the attempt only from the queue.
  @Test func whatWasPausedOnTheWayStartsAgainInEveryWindow() {
    var state = Fixture.empty(size: Size(width: 120, height: 24))
    var item = Fixture.item(1, "a.bin", state: .paused)
    item.wasInterrupted = true
    Fixture.play(&state, .added([item, Fixture.item(2, "b.bin", state: .paused)]))
    func row(_ number: Int) -> String { render(state, size: state.size).text[2 + number] }
    #expect(row(1).contains(" paused · starts again from 0 ") && !row(2).contains("starts again"))
    Fixture.play(&state, .engine([(ItemID(1), .waiting)], at: state.now))
    #expect(!row(1).contains("interrupted"), "\(row(1))")
  }

  @Test func whoFinishesAndQuitsIsToldSo() {
    var state = Fixture.mixed(size: Size(width: 100, height: 24))
    Fixture.type("qf", &state)
    let header = { (state: AppState) in render(state, size: state.size).text[0] }
    #expect(
      header(state).contains("quits after 6 more") && header(state).contains("q changes"))
    for width in [40, 60, 80] {
      #expect(
        render(state, size: Size(width: width, height: 24)).text[0].contains("quit"))
    }
    Fixture.type("s", &state)
    #expect(header(state).contains("quits after 3 more"))
    Fixture.type("s", &state)
    Fixture.type("qc", &state)
    #expect(!header(state).contains("quits when done"))
    // What was stopped stays stopped: only what is on its way is to finish.
    #expect(Fixture.type("sqf", &state) == [.setStarted(false)])
    #expect(
      header(state).contains("stopped") && header(state).contains("quits after 3 more"))
    let done = ItemState.done(Fixture.receipt)
    Fixture.play(&state, .engine([(ItemID(1), done), (ItemID(2), done)], at: state.now))
    #expect(
      Fixture.play(&state, .engine([(ItemID(6), done)], at: state.now)) == [.quit(.idle)])
    #expect(state.queue.totals.waiting > 0)
    Fixture.type("s", &state)
    #expect(header(state).contains("quits after 3 more"), "all of them again")
  }

  @Test func whatIsStoppedTriesNothing() {
    var state = Fixture.mixed(size: Size(width: 120, height: 24))
    Fixture.play(&state, Fixture.away)
    #expect(render(state, size: state.size).text[0].contains("next try"))
    Fixture.type("s", &state)
    let text = render(state, size: state.size).text
    #expect(!text.contains { $0.contains("try in") || $0.contains("trying now") }, "\(text)")
    #expect(text[0].contains("stopped"))
    #expect(text.contains { $0.contains(" waiting · stopped, s resumes ") })
  }

  @Test func whatWasRemovedIsSaidWithTheWayBack() {
    var state = Fixture.mixed()
    func said() -> String { render(state, size: state.size).text[21] }
    Fixture.play(&state, .perform(.bottom), .perform(.remove))
    #expect(said().contains("1 file removed · z undoes"))
    Fixture.type("c", &state)
    #expect(said().contains("1 file cleared · z undoes"))
  }

  @Test(arguments: [40, 50, 60, 76, 80, 120])
  func theTargetAndTheStateStayInTheHeader(_ width: Int) {
    var state = Fixture.mixed(size: Size(width: width, height: 12))
    Fixture.play(&state, Fixture.away, .key("s"), .command("limit 2 MB/s"))
    let header = render(state, size: state.size).text[0]
    #expect(header.contains("photos") && header.contains("no server"))
    state = Fixture.mixed(size: Size(width: width, height: 12))
    Fixture.play(&state, .key("s"), .command("limit 2 MB/s"))
    let stopped = render(state, size: state.size).text[0]
    #expect(stopped.contains("photos") && stopped.contains("stopped"))
  }

  @Test func theHistoryShowsTheWholeOutcomeAndWhichAttempt() {
    for width in [80, 120, 200] {
      var state = Fixture.empty(size: Size(width: width, height: 24))
      let row = HistoryRow(
        id: "1", name: "a.bin", target: "photos", size: 1, time: "2026-11-20 22:15", end: .failed,
        attempt: 3, outcome: "503 Service Unavailable", path: "/a.bin",
        reply: Reply(text: "{\"message\": \"the disk is full\"}"))
      Fixture.play(&state, .key("3"), .history(.rows([row])))
      let text = render(state, size: state.size).text
      #expect(text[2].contains("TRY"))
      #expect(text[3].contains("  3  503 Service Unavailable"))
      #expect(text[3].contains("· the disk is full") == (width >= 120))
    }
  }

  @Test(arguments: [(80, 17), (101, 38), (102, 24), (121, 43), (162, 60)])
  func namesOfTheHistoryHaveTheRoomThatOutcomesLeave(_ width: Int, _ shown: Int) {
    var state = Fixture.empty(size: Size(width: width, height: 24))
    let name = String(repeating: "n", count: 60)
    let row = HistoryRow(
      id: "1", name: name, target: "photos", size: 1, time: "2026-11-20 22:15", end: .sent,
      outcome: "201 Created", path: "/\(name)")
    Fixture.play(&state, .key("3"), .history(.rows([row])))
    let line = render(state, size: state.size).text[3]
    let cells = line.split(separator: " ").first { $0.contains("nn") } ?? ""
    #expect(cells.count == shown, "\(line)")
  }
}
