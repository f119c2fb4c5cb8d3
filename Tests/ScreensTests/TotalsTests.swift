import Foundation
import MultipartForm
import Testing

@testable import Scheduling
@testable import Screens
@testable import UploadModel

/// What the lines above and below the queue say of all of it.
@Suite struct TotalsTests {
  private static func sending(_ items: UploadItem...) -> AppState {
    var state = Fixture.empty()
    Fixture.play(&state, .added(items))
    let start = state.now
    for second in 0...4 {
      Fixture.play(
        &state,
        .engine(
          [(ItemID(1), .sending(attempt: 1, sent: Int64(second) * 100_000, total: 1_000_000))],
          at: start + Double(second)))
    }
    return state
  }

  private static func said(_ state: AppState) -> String {
    render(state, size: state.size).text.joined(separator: "\n")
  }

  @Test func aReplyThatIsAwaitedIsNoETAAndNoSpeed() {
    var state = Self.sending(Fixture.item(1, "a", size: 1_000_000))
    #expect(Self.said(state).contains("ETA 0:0"))
    #expect(Self.said(state).contains("▲ "))
    Fixture.play(
      &state, .engine([(ItemID(1), .awaitingReply(attempt: 1, since: state.now))], at: state.now),
      .tick(state.now + 5))
    #expect(!Self.said(state).contains("ETA"))
    #expect(!Self.said(state).contains("▲"))
    #expect(Self.said(state).contains("99%  1.0 of 1.0 MB  awaiting 1 reply"))
    #expect(Announcer.status(of: state).hasSuffix("awaiting 1 reply"))
  }

  /// How many files wait says more than the words for them.
  @Test func whatIsCountedStaysBesideATimeThatIsNotKnown() {
    var state = Fixture.empty()
    let sizes: [Int64] = [210_000_000, 3_200_000, 812_000, 812_000, 812_000, 812_000]
    Fixture.play(
      &state,
      .added(sizes.enumerated().map { Fixture.item(Int64($0) + 1, "\($0)", size: $1) }),
      .engine(
        [
          (ItemID(1), .sending(attempt: 1, sent: 0, total: sizes[0])),
          (ItemID(2), .failed(Fixture.tooLarge)), (ItemID(3), .done(Fixture.receipt)),
          (ItemID(4), .retrying(Fixture.unavailable, next: 2, of: 5, at: state.now + 60)),
        ], at: state.now))
    let said = render(state, size: state.size).text[22]
    #expect(said.hasSuffix("✓1  ✗1  ↻1  ·2"), "\(said)")
    // Where there is room, it says that too.
    state.size.width = 120
    let all = render(state, size: state.size).text[22]
    #expect(all.contains("ETA —") && all.contains("2 waiting"), "\(all)")
  }

  /// However many kinds there are, each file is counted: where the words do not fit, the signs of the rows do.
  @Test(
    arguments: [
      ([(1, .done), (1, .waiting), (3, .retrying)], "1 ok  3 retrying  1 waiting"),
      (
        [(5, .done), (10, .failed), (2, .retrying), (12, .waiting)],
        "✓5  ✗10  ↻2  ·12"
      ),
      (
        [
          (1, .done), (3, .failed), (1, .unknown), (1, .paused), (1, .retrying), (2, .waiting),
          (1, .sending),
        ], "✓1  ✗3  ?1  ‖1  ↻1  ·2"
      ),
    ] as [([(Int, Kind)], String)])
  fileprivate func theCountsAddUp(_ counts: [(Int, Kind)], _ words: String) {
    var state = Fixture.empty()
    let states = counts.flatMap { Array(repeating: $1.state, count: $0) }
    let ids = states.indices.map { Int64($0) + 1 }
    Fixture.play(
      &state, .added(ids.map { Fixture.item($0, "\($0)", size: 123_456) }),
      .engine(
        zip(ids, states).map { (ItemID($0), $1) }.filter { $0.1 != .waiting }, at: state.now))
    let line = render(state, size: state.size).text[22]
    #expect(line.hasSuffix(words) && line.contains("%"), "\(line)")
  }

  fileprivate enum Kind: Sendable {
    case done, failed, unknown, paused, retrying, waiting, sending

    var state: ItemState {
      switch self {
      case .done: .done(Fixture.receipt)
      case .failed: .failed(Fixture.tooLarge)
      case .unknown: .failed(Failure(.outcomeUnknown("closed"), attempts: 1))
      case .paused: .paused
      case .retrying:
        .retrying(Fixture.unavailable, next: 2, of: 5, at: Instant(seconds: 160))
      case .waiting: .waiting
      case .sending: .sending(attempt: 1, sent: 10, total: 123_456)
      }
    }
  }

  @Test func whatStandsStillHasNoSpeedAndNoTime() {
    var state = Self.sending(Fixture.item(1, "a", size: 1_000_000))
    #expect(Self.said(state).contains("ETA 0:0") && Self.said(state).contains("sending 1"))
    let still = ItemState.sending(attempt: 1, sent: 400_000, total: 1_000_000)
    for _ in 1...4 { Fixture.play(&state, .engine([(ItemID(1), still)], at: state.now + 1)) }
    let said = Self.said(state)
    #expect(said.contains("ETA —") && said.contains("▲ —") && said.contains("sending —"), "\(said)")
    // What moves again has both.
    for second in 1...4 {
      let sent = 400_000 + Int64(second) * 100_000
      Fixture.play(
        &state,
        .engine(
          [(ItemID(1), .sending(attempt: 1, sent: sent, total: 1_000_000))], at: state.now + 1)
      )
    }
    #expect(Self.said(state).contains("ETA 0:0") && !Self.said(state).contains("▲ —"))
  }

  /// The file that tries whether the server is there again moves nothing.
  @Test func whereOnlyServersThatAreAwayAreLeftThereIsNoTime() {
    var state = Self.sending(
      Fixture.item(1, "a", size: 1_000_000), Fixture.item(2, "b", size: 1_000_000))
    Fixture.play(
      &state, .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now), Fixture.away,
      .engine([(ItemID(2), .preparing(attempt: 1))], at: state.now + 10))
    #expect(Self.said(state).contains("ETA —"), "\(Self.said(state))")
  }

  @Test func onceAllThatWasSentIsClearedNothingIsSaidOfItsTime() {
    var state = Fixture.empty(size: Size(width: 100, height: 24))
    Fixture.play(
      &state, .added((1...2).map { Fixture.item($0, "\($0)", size: 1_000_000) }),
      .figures(SendingFigures(seconds: 10, bytes: 600_000)),
      .engine(
        [(ItemID(1), .done(Fixture.receipt)), (ItemID(2), .failed(Fixture.tooLarge))],
        at: state.now), .key("j"))
    let whole = render(state, size: state.size).text[22]
    #expect(whole.contains("1.0 of 2.0 MB arrived · 600 kB sent in 10 s, 60 kB/s"), "\(whole)")
    Fixture.play(&state, .key("c"))
    let rest = render(state, size: state.size).text[22]
    #expect(rest.contains("0 B of 1.0 MB arrived ") && !rest.contains(" in "), "\(rest)")
  }

  /// A file that failed is missing, however small it is.
  @Test func whatIsMissingIsSeenInTheNumbers() {
    var state = Fixture.empty()
    Fixture.play(
      &state,
      .added([Fixture.item(1, "a", size: 17_900_000), Fixture.item(2, "b", size: 300_000)]),
      .engine(
        [(ItemID(1), .done(Fixture.receipt)), (ItemID(2), .failed(Fixture.tooLarge))],
        at: state.now))
    let line = render(state, size: state.size).text[22]
    #expect(line.contains("17.9 of 18.2 MB arrived"), "\(line)")
  }

  @Test func whatIsPausedTakesNoTime() {
    var state = Self.sending(
      Fixture.item(1, "a", size: 1_000_000), Fixture.item(2, "b", size: 900_000_000))
    #expect(!Self.said(state).contains("ETA 0:06"))
    Fixture.play(&state, .engine([(ItemID(2), .paused)], at: state.now))
    #expect(Self.said(state).contains("ETA 0:06"))
  }

  /// A stopped queue finishes what is under way, and the rest takes no time.
  @Test func whatWillNotBeginTakesNoTime() {
    var state = Self.sending(
      Fixture.item(1, "a", size: 1_000_000), Fixture.item(2, "b", size: 900_000_000))
    Fixture.play(&state, .stopped(true))
    #expect(Self.said(state).contains("stops in 0:06"), "\(Self.said(state))")
    #expect(!Self.said(state).contains("ETA"))
    #expect(Announcer.status(of: state).hasSuffix("stops in 0:06"))
    Fixture.play(&state, .stopped(false))
    #expect(Self.said(state).contains("ETA 2:30:"))
  }

  /// A part of a file has not arrived, however safe it is.
  @Test func whatIsPausedAndCanGoOnHasNotArrived() throws {
    var state = Self.sending(
      Fixture.item(1, "a", size: 1_000_000), Fixture.item(2, "b", size: 10))
    state.size = Size(width: 200, height: 30)
    let point = ResumePoint(
      url: try #require(URL(string: "https://api.example.com/files/1")), target: "photos",
      identity: FileIdentity(device: 1, inode: 1, size: 1_000_000, modified: 0))
    Fixture.play(
      &state, .resumePoint(ItemID(1), point),
      .engine([(ItemID(2), .done(Fixture.receipt)), (ItemID(1), .paused)], at: state.now))
    let text = Self.said(state)
    #expect(text.contains("10 B of 1.0 MB arrived · 400 kB of a paused file sent"), "\(text)")
    #expect(text.contains("═ arrived 10 B  ━ in progress 400 kB"), "\(text)")
    #expect(text.contains("40% paused"), "\(text)")
  }

  @Test("At the end, no count gives way to the amount and the speed", arguments: 76...100)
  func allCountsAtTheEnd(_ width: Int) {
    var state = Fixture.empty(size: Size(width: width, height: 24))
    let ends = [Self.done, Self.done, Self.refused, Self.unknown]
    let items = (1...40).map { Fixture.item($0, "\($0)", size: 123_456) }
    Fixture.play(
      &state, .added(items), .figures(SendingFigures(seconds: 75, bytes: 1_234_000)),
      .engine(items.map { ($0.id, ends[Int($0.id.rawValue) % 4]) }, at: state.now))
    let line = render(state, size: state.size).text[22]
    for count in ["20 ok", "10 failed", "10 unknown"] { #expect(line.contains(count), "\(line)") }
    #expect(line.contains("2.5 of 4.9 MB arrived"), "\(line)")
  }

  @Test func emptyFilesThatWaitAreNotNearlyDone() {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added([Fixture.item(1, "a", size: 0), Fixture.item(2, "b", size: 0)]))
    #expect(Self.said(state).contains("0%  0 of 2 files"))
    #expect(render(state, size: state.size).progress?.percent == 0)
    Fixture.play(&state, .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now))
    #expect(Self.said(state).contains("50%  1 of 2 files"))
    #expect(!Self.said(state).contains("ETA 0:00"))
  }

  /// An empty file has its part in the bar, since it takes a request, and so a name for it.
  @Test func theLegendNamesThePartsOfTheBar() {
    var state = Fixture.empty(size: Size(width: 160, height: 30))
    Fixture.play(
      &state,
      .added([
        Fixture.item(1, "a", size: 1_100, state: .done(Fixture.receipt)),
        Fixture.item(2, "b", size: 0, state: .failed(Fixture.tooLarge)), Fixture.item(3, "c"),
      ]))
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("═ arrived 1.1 kB  ┅ failed 0 B"), "\(text)")
  }

  @Test func thePauseOfEverythingIsNotTheEnd() {
    var state = Fixture.empty()
    state.options.endSignal = .bell
    Fixture.play(&state, .added([Fixture.item(1, "a"), Fixture.item(2, "b")]))
    Fixture.play(&state, .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now))
    #expect(Fixture.play(&state, .engine([(ItemID(2), .paused)], at: state.now)) == [])
    Fixture.play(&state, .engine([(ItemID(2), .waiting)], at: state.now))
    let done = ItemState.done(Fixture.receipt)
    #expect(Fixture.play(&state, .engine([(ItemID(2), done)], at: state.now)) == [.bell])
  }

  @Test func whatTheScreenCallsStoppedIsStopped() {
    var state = Fixture.empty()
    #expect(Fixture.play(&state, .held("the disk is full")) == [])
    #expect(!state.settings.isStarted)
    // What another session has said is shown, and not said once more.
    #expect(Fixture.play(&state, .stopped(false)) == [] && state.settings.isStarted)
    #expect(Fixture.play(&state, .stopped(true)) == [] && !state.settings.isStarted)
  }

  @Test func aQueueThatIsStillReadIsNotCalledEmpty() {
    var state = Fixture.empty()
    state.isReading = true
    #expect(Self.said(state).contains("Reading the queue…"))
    Fixture.play(&state, .added([Fixture.item(1, "a.bin")]))
    #expect(Self.said(state).contains("a.bin"))
    Fixture.play(&state, .removed([ItemID(1)]), .queueRead)
    #expect(Self.said(state).contains("Nothing is queued."))
  }

  @Test func whatOnlyAwaitsItsReplyIsNotPaused() {
    var state = Fixture.empty()
    let awaiting = ItemState.awaitingReply(attempt: 1, since: state.now)
    Fixture.play(
      &state, .added([Fixture.item(1, "a"), Fixture.item(2, "b")]),
      .engine([(ItemID(1), awaiting)], at: state.now))
    #expect(Fixture.play(&state, .perform(.pause)) == [.bell])
    #expect(Self.said(state).contains("only a reply is awaited"))
    #expect(Fixture.play(&state, .perform(.pauseAll)) == [.pause([ItemID(2)])])
    #expect(Self.said(state).contains("left to finish"))
    Fixture.play(&state, .engine([(ItemID(2), .paused)], at: state.now), .perform(.quit))
    #expect(Self.said(state).contains("1 only awaiting a reply"))
    #expect(Self.said(state).contains("may have arrived"))
    #expect(Self.said(state).contains("1 paused"))
  }

  /// What `P` has paused goes on with `P`, but not what went on meanwhile and was paused again by somebody else.
  @Test func pauseAllResumesWhatItHasPaused() {
    var state = Fixture.empty()
    let (one, two) = (ItemID(1), ItemID(2))
    func pauseAll() -> [Effect] { Fixture.play(&state, .perform(.pauseAll)) }
    Fixture.play(&state, .added([Fixture.item(1, "a"), Fixture.item(2, "b")]))
    #expect(pauseAll() == [.pause([one, two])])
    Fixture.play(&state, .engine([(one, .paused), (two, .paused)], at: state.now))
    // Another window lets one go on, and pauses it by itself.
    Fixture.play(
      &state, .engine([(one, .waiting)], at: state.now), .engine([(one, .paused)], at: state.now))
    #expect(pauseAll() == [.resume([two])])
  }

  @Test func aQueueThatIsStillReadIsNotEdited() {
    for name in Action.Name.allCases where name.has(.edits) {
      var state = Fixture.mixed()
      state.isReading = true
      let (order, totals) = (state.order, state.queue.totals)
      #expect(Fixture.play(&state, .perform(name)) == [.bell], "\(name)")
      #expect(state.order == order && state.queue.totals == totals && state.dialog == nil)
      #expect(Self.said(state).contains("still being read"))
      #expect(Fixture.play(&state, .command(name.word)) == [.bell], "\(name)")
    }
  }

  @Test func theEndOfWhatHasBeenReadIsNotTheEnd() {
    var state = Fixture.empty()
    (state.isReading, state.options.endSignal) = (true, .bell)
    let done = ItemState.done(Fixture.receipt)
    Fixture.play(&state, .added([Fixture.item(1, "a")]))
    #expect(Fixture.play(&state, .engine([(ItemID(1), done)], at: state.now)) == [])
    Fixture.play(&state, .perform(.quit))
    #expect(Self.said(state).contains("and the queue is still"))
    Fixture.play(&state, .perform(.finishThenQuit))
    #expect(state.finishing == .queue)
    #expect(Fixture.play(&state, .added([Fixture.item(2, "b")])) == [])
    Fixture.play(&state, .queueRead)
    // A user who has left until then is notified.
    #expect(
      Fixture.play(&state, .engine([(ItemID(2), done)], at: state.now)) == [.bell, .quit(.idle)])
  }

  @Test func whoLooksOnLeavesWithoutAQuestion() {
    var state = Fixture.mixed()
    Fixture.play(&state, .aside(true))
    #expect(Fixture.play(&state, .perform(.quit)) == [.quit(.idle)])
    Fixture.play(&state, .aside(false))
    #expect(Fixture.play(&state, .perform(.quit)) == [])
    #expect(state.mode == .quitting)
  }

  @Test func whoAskedToQuitAnEmptyQueueWhileItWasReadLeaves() {
    var state = Fixture.empty()
    state.isReading = true
    #expect(Fixture.play(&state, .perform(.quit)) == [])
    #expect(Fixture.play(&state, .queueRead) == [.quit(.idle)])
  }

  @Test func filesOfAFormerTargetStillWaitForItsServer() {
    var state = Fixture.empty()
    var item = Fixture.item(1, "a.bin")
    item.target = "photos"
    Fixture.play(
      &state, .added([item]), Fixture.away,
      .target(
        name: "tickets", url: "https://tickets.example.com/", concurrency: 4, listsServer: false))
    #expect(Self.said(state).contains("refused · next try in 8 s"))
    #expect(Self.said(state).contains("cannot reach api.example.com · next try"))
    Fixture.play(
      &state, .reachability(server: "https://api.example.com", .back),
      .reachability(
        server: "https://tickets.example.com",
        .away(Failure(.connectionRefused("")), nextTry: state.now + 8)))
    #expect(!Self.said(state).contains("refused · next try in 8 s"))
  }

  @Test func anAttemptIsNamedByTheClock() {
    var state = Fixture.empty()
    state.options.midnight = 8 * 3600
    Fixture.play(
      &state, .added([Fixture.item(1, "a")]),
      .engine(
        [(ItemID(1), .retrying(Fixture.unavailable, next: 2, of: 5, at: state.now + 8))],
        at: state.now),
      .engine([(ItemID(1), .failed(Fixture.tooLarge))], at: state.now + 10), .key(.enter),
      .key("G"))
    #expect(Self.said(state).contains("1  08:01:40  503"))
    #expect(Self.said(state).contains("2  08:01:50  413"), "retried by hand, it counts on")
  }

  // MARK: What became of the bytes

  /// The total line of a queue with files in these states, each of 1,000 bytes.
  private static func total(_ states: ItemState...) -> String {
    var state = Fixture.empty()
    let items = states.indices.map { Fixture.item(Int64($0), "\($0)", size: 1000) }
    Fixture.play(
      &state, .added(items),
      .engine(zip(items, states).map { ($0.id, $1) }, at: state.now))
    return render(state, size: state.size).text[22]
  }

  private static let refused = ItemState.failed(Failure(.refused, status: 413, attempts: 1))
  private static let unknown = ItemState.failed(Failure(.outcomeUnknown("closed"), attempts: 1))
  private static let done = receipt(1000, 1)

  /// A file that arrived, with these bytes sent in this time.
  private static func receipt(_ bytes: Int64, _ seconds: Double) -> ItemState {
    .done(Receipt(status: 201, seconds: seconds, bytes: bytes))
  }

  @Test func aFileWhoseOutcomeIsUnknownHasNotFailed() {
    let line = Self.total(Self.refused, Self.refused, Self.unknown)
    #expect(line.contains("2 failed") && line.contains("1 unknown"))
    #expect(line.contains("≈≈≈") && line.contains("┅┅┅"))
  }

  /// What does not move is not shown in the half cell that what moves leaves over.
  @Test func theBarShowsNothingThatIsNotThere() {
    var canvas = Canvas(size: Size(width: 8, height: 1), ascii: false)
    func text(_ parts: [(Bar.Kind, Int64)]) -> String {
      canvas.bar(Bar(parts: parts.map { ($0.0, $0.1) }, total: 16), row: 0, columns: 0..<8)
      return canvas.frame.text[0]
    }
    #expect(text([(.arrived, 0), (.moving, 1), (.unknown, 0)]) == "╸───────")
    #expect(text([(.arrived, 2), (.moving, 3), (.failed, 0)]) == "═━╸─────")
    #expect(text([(.moving, 4), (.unknown, 2), (.failed, 10)]) == "━━≈┅┅┅┅┅")
    #expect(text([(.arrived, 16)]) == "════════")
  }

  @Test func theBarShowsWhatFailedAsThat() {
    let five = Self.total(
      Self.done, Self.refused, Self.refused, Self.refused, Self.refused, Self.refused)
    #expect(five.contains(" ══┅┅┅┅┅┅┅┅┅┅┅┅┅┅ 1.0 of 6.0 kB arrived"))
    let all = Self.total(Self.refused, Self.refused)
    #expect(all.contains(" ┅┅┅┅┅┅┅┅┅┅┅┅┅┅┅┅ 0 B of 2.0 kB arrived"))
    #expect(!all.contains("/s"), "what was refused has no speed")
  }

  @Test func refusedBytesAreNoSpeedAndNoTime() {
    var state = Self.sending(Fixture.item(1, "a", size: 1_000_000))
    Fixture.play(&state, .engine([(ItemID(1), Self.refused)], at: state.now))
    let line = render(state, size: state.size).text[22]
    #expect(line.contains("0 B of 1.0 MB arrived") && !line.contains("/s"))
  }

  @Test func twoBatchesAreOneSum() {
    var state = Fixture.empty()
    for batch: Int64 in 1...2 {
      let item = Fixture.item(batch, "\(batch)", size: 1_000_000)
      let sending = ItemState.sending(attempt: 1, sent: 0, total: 1_000_000)
      Fixture.play(
        &state, .added([item]), .engine([(item.id, sending)], at: state.now + 100),
        .figures(SendingFigures(seconds: Double(batch) * 10, bytes: batch * 1_000_000)),
        .engine([(item.id, Self.receipt(1_000_000, 10))], at: state.now + 110))
    }
    let line = render(state, size: state.size).text[22]
    #expect(line.contains("2.0 MB in 20 s, 100 kB/s") && line.contains("2 ok"))
    // What was cleared took its bytes along; amount, time and speed are still of the same files.
    Fixture.play(&state, .removed([ItemID(1)]))
    #expect(
      render(state, size: state.size).text[22].contains(
        " 1.0 MB · in all 2.0 MB sent in 20 s, 100 kB/s"))
    // Of what comes later, the sender's figures are without it.
    let item = Fixture.item(3, "3", size: 1_000_000)
    Fixture.play(
      &state, .added([item]),
      .engine([(item.id, .sending(attempt: 1, sent: 0, total: 1_000_000))], at: state.now + 100),
      .figures(SendingFigures(seconds: 100, bytes: 1_000_000)),
      .engine([(item.id, Self.receipt(1_000_000, 100))], at: state.now + 200))
    #expect(
      render(state, size: state.size).text[22].contains(" 2.0 MB · 1.0 MB sent in 1:40, 10 kB/s"))
  }

  @Test func whatWasClearedIsInNoTotalBesideAPausedRow() {
    var state = Fixture.empty()
    Fixture.play(
      &state,
      .added([Fixture.item(1, "1", size: 3_000_000), Fixture.item(2, "2", size: 300_000_000)]),
      .engine(
        [(ItemID(1), Self.receipt(3_000_000, 1)), (ItemID(2), .paused)], at: state.now + 1),
      .removed([ItemID(1)]))
    #expect(render(state, size: state.size).text[22].contains("0 B of 300 MB arrived"))
  }

  @Test func theSpeedIsNeverAboveTheLimitForLong() {
    var state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "a", size: 100_000_000)]))
    let start = state.now
    for tenth in 0...200 {
      let seconds = Double(tenth) / 10
      // Buffers on the way take 300 kB at once.
      let sent = Int64(tenth == 0 ? 0 : 300_000 + 100_000 * seconds)
      Fixture.play(
        &state,
        .engine(
          [(ItemID(1), .sending(attempt: 1, sent: sent, total: 100_000_000))], at: start + seconds))
      if let speed = state.speeds.totalSpeed(at: state.now) {
        #expect(speed < 105_000, "after \(seconds) s")
      }
    }
  }

  @Test func whatOnlyAwaitsItsReplyIsCountedOnceInTheQuestion() {
    var state = Fixture.empty()
    let awaiting = ItemState.awaitingReply(attempt: 1, since: state.now)
    let sending = ItemState.sending(attempt: 1, sent: 5, total: 1000)
    Fixture.play(
      &state, .added([Fixture.item(1, "a"), Fixture.item(2, "b")]),
      .engine([(ItemID(1), awaiting), (ItemID(2), sending)], at: state.now), .perform(.quit))
    #expect(Self.said(state).contains("1 upload under way, 1 only awaiting a reply."))
    // All of it may end while the question is being read.
    let receipt = Receipt(status: 200, url: nil, reply: Reply(), attempts: 1, seconds: 1, bytes: 1)
    Fixture.play(
      &state, .engine([(ItemID(1), .done(receipt)), (ItemID(2), .done(receipt))], at: state.now))
    #expect(Self.said(state).contains("Nothing is left to send."))
  }

  /// One upload of 100 MB that has sent 80, for a screen with or without a way into the background.
  private static func farOn(
    _ background: AppState.Background, canGoOn: Bool
  ) throws -> AppState {
    let size: Int64 = 100_000_000
    var state = Fixture.empty()
    let sent = ItemState.sending(attempt: 1, sent: 80_000_000, total: size)
    Fixture.play(
      &state, .added([Fixture.item(1, "a", size: size)]),
      .engine([(ItemID(1), sent)], at: state.now))
    state.options.background = background
    guard canGoOn else { return state }
    let point = ResumePoint(
      url: try #require(URL(string: "https://api.example.com/files/1")), target: "photos",
      identity: FileIdentity(device: 1, inode: 1, size: size, modified: 0))
    Fixture.play(&state, .resumePoint(ItemID(1), point))
    return state
  }

  @Test(arguments: [.unavailable, .offered, .preferred] as [AppState.Background])
  func theQuestionSaysWhatEachWayOfLeavingCosts(_ background: AppState.Background) throws {
    var state = try Self.farOn(background, canGoOn: false)
    Fixture.play(&state, .engine([(ItemID(1), Self.sending(80))], at: state.now + 4))
    Fixture.play(&state, .engine([(ItemID(1), Self.sending(90))], at: state.now + 5))
    Fixture.type("q", &state)
    let question = try #require(Self.question(state))
    #expect(question.contains("90 of 100 MB done."), "\(question)")
    // What is lost takes as long as it did, at the speed of now.
    let lost = "1 file starts again: 90 MB, 0:4"
    for name in [.stopAndQuit, .goOnInBackground] as [Action.Name] {
      #expect(
        Self.cost(state, of: name)?.hasPrefix(lost) == true, "\(Self.cost(state, of: name) ?? "")")
    }
    #expect(Self.cost(state, of: .finishThenQuit)?.hasPrefix("about 0:0") == true)
    #expect(Self.cost(state, of: .close) == nil)
    let text = render(state, size: state.size).text
    let lines = text.filter { $0.contains(lost) }.count
    #expect(lines == (background == .unavailable ? 1 : 2), "\(text)")
    // Where there is no room beside the answers, the question says it.
    Fixture.play(&state, .resized(Size(width: 40, height: 24)))
    #expect(try #require(Self.question(state)).contains("If you stop: \(lost)"))
    // Nothing of it where the target resumes uploads.
    state = try Self.farOn(background, canGoOn: true)
    Fixture.type("q", &state)
    #expect(Self.cost(state, of: .stopAndQuit) == "resumes where it left off")
    Fixture.play(&state, .key(.escape))
    #expect(Fixture.type("p", &state) == [.pause([ItemID(1)])], "and p need not ask")
    // An upload that was begun for another target starts over.
    state = try Self.farOn(background, canGoOn: true)
    var moved = try #require(state.item(ItemID(1)))
    moved.target = "nas"
    Fixture.play(&state, .added([moved]))
    Fixture.type("q", &state)
    #expect(Self.cost(state, of: .stopAndQuit)?.contains("80 MB") == true)
  }

  /// A file that is under way and has sent nothing starts again as well.
  @Test(
    arguments: [
      ([.preparing(attempt: 1)], 0, "1 file starts again"),
      ([sending(0), sending(90), .preparing(attempt: 1)], 0, "3 files start again: 90 MB"),
      ([sending(0), sending(90), sending(5)], 2, "1 file starts again: 5.0 MB; 2 resume"),
      ([sending(7), .preparing(attempt: 2), .waiting], 2, "2 resume where they left off"),
      ([.awaitingReply(attempt: 1, since: Instant(seconds: 100)), .paused], 0, nil),
    ] as [([ItemState], Int, String?)])
  func theQuestionCountsEachFileUnderWay(
    _ states: [ItemState], _ resumable: Int, _ expected: String?
  ) throws {
    var state = Fixture.empty()
    let size: Int64 = 100_000_000
    let ids = states.indices.map { ItemID(Int64($0 + 1)) }
    Fixture.play(
      &state, .added(ids.map { Fixture.item($0.rawValue, "\($0.rawValue)", size: size) }),
      .engine(Array(zip(ids, states)), at: state.now))
    for id in ids.prefix(resumable) {
      let point = ResumePoint(
        url: try #require(URL(string: "https://api.example.com/files/1")), target: "photos",
        identity: FileIdentity(device: 1, inode: 1, size: size, modified: 0))
      Fixture.play(&state, .resumePoint(id, point))
    }
    Fixture.type("q", &state)
    #expect(Self.cost(state, of: .stopAndQuit) == expected)
  }

  @Test(arguments: Fixture.sizes) func theAnswersHaveRoomUnderALongQuestion(_ size: Size) throws {
    var state = Fixture.mixed(size: size)
    state.options.background = .offered
    Fixture.type("q", &state)
    let text = Self.said(state)
    for words in ["finish, then quit", "go on in the background", "stop and keep the queue"] {
      #expect(text.contains(words), "\(words): \(text)")
    }
  }

  private static func sending(_ megabytes: Int64) -> ItemState {
    .sending(attempt: 1, sent: megabytes * 1_000_000, total: 100_000_000)
  }

  private static func cost(_ state: AppState, of name: Action.Name) -> String? {
    guard case .question(let question) = state.dialog else { return nil }
    return QuestionBox(question: question, state: state, size: state.size).cost(of: name)
  }

  private static func question(_ state: AppState) -> String? {
    guard case .question(let question) = state.dialog else { return nil }
    return QuestionBox(question: question, state: state, size: state.size).words.text
  }

  @Test func whatTheQueueTellsOfEarlierHasNotHappenedNow() {
    var state = Fixture.empty(size: Size(width: 160, height: 60))
    state.isReading = true
    let old = Fixture.item(1, "old.bin", state: .failed(Fixture.tooLarge))
    Fixture.play(
      &state, .added([old, Fixture.item(2, "b.bin"), Fixture.item(3, "c.bin")]),
      // A target that is gone makes a file fail now.
      .engine([(ItemID(3), .failed(Failure(.unsendable("no such target"))))], at: state.now))
    Fixture.play(&state, .queueRead)
    #expect(
      state.log.lines.map(\.text) == [
        "c.bin: cannot be sent", "3 files in the queue, 2 of them failed or unknown",
      ])
    // Read once more, as after a change by another hoist, it is still no news; another failure is.
    Fixture.play(&state, .added([old]))
    #expect(state.log.lines.count == 2)
    Fixture.play(&state, .added([old.with(.failed(Failure(.missing)))]))
    #expect(state.log.lines.last?.text == "old.bin: file is missing")
  }

  @Test(
    arguments: [
      (0, 0, "nothing is being sent"), (3, 0, "3 files waiting"), (3, 1, "1 upload going on"),
    ])
  func aSmallWindowCountsWhatIsUnderWay(_ files: Int, _ active: Int, _ words: String) {
    var state = Fixture.empty(size: Size(width: 24, height: 5))
    let items = (0..<files).map { Fixture.item(Int64($0 + 1), "\($0)") }
    Fixture.play(
      &state, .added(items),
      .engine(
        items.prefix(active).map { ($0.id, .sending(attempt: 1, sent: 1, total: 1000)) },
        at: state.now))
    #expect(Self.said(state).contains(words), "\(Self.said(state))")
  }

  @Test func whatTheServerHadAlreadyHasNotMoved() throws {
    var state = Fixture.empty()
    let size: Int64 = 100_000_000
    Fixture.play(&state, .added([Fixture.item(1, "a", size: size)]))
    let start = state.now
    var point = ResumePoint(
      url: try #require(URL(string: "https://api.example.com/files/1")), target: "photos",
      identity: FileIdentity(device: 1, inode: 1, size: size, modified: 0))
    point.start = 50_000_000
    Fixture.play(
      &state, .engine([(ItemID(1), .preparing(attempt: 2))], at: start),
      .resumePoint(ItemID(1), point))
    for second in 1...6 {
      let sent = point.start + Int64(second) * 1_000_000
      Fixture.play(
        &state,
        .engine(
          [(ItemID(1), .sending(attempt: 2, sent: sent, total: size))], at: start + Double(second)))
    }
    let speed = try #require(state.speeds.totalSpeed(at: state.now))
    #expect((900_000...1_100_000).contains(speed), "\(speed)")
    let highest = state.speeds.whole.values(600, at: state.now).max() ?? 0
    #expect(highest < 2_000_000, "no spike in the graph: \(highest)")
    let left = try #require(
      state.speeds.totalETA(of: state.queue.totals, at: state.now))
    #expect((40...50).contains(left), "\(left)")
  }

  @Test func whatWasSentBeforeThisScreenJoinedHasNotMoved() throws {
    var state = Fixture.empty()
    let size: Int64 = 100_000_000
    Fixture.play(&state, .added([Fixture.item(1, "a", size: size)]))
    let start = state.now
    Fixture.play(
      &state,
      .joined([(ItemID(1), .sending(attempt: 1, sent: 60_000_000, total: size))], at: start))
    for second in 1...6 {
      let sent = 60_000_000 + Int64(second) * 1_000_000
      Fixture.play(
        &state,
        .engine(
          [(ItemID(1), .sending(attempt: 1, sent: sent, total: size))], at: start + Double(second)))
    }
    let speed = try #require(state.speeds.totalSpeed(at: state.now))
    #expect((900_000...1_100_000).contains(speed), "\(speed)")
    let highest = state.speeds.whole.values(600, at: state.now).max() ?? 0
    #expect(highest < 2_000_000, "no spike in the graph: \(highest)")
  }

  @Test func theTotalTakesAsLongAsItsSlowestFile() throws {
    var state = Fixture.empty()
    let sizes: [Int64] = [100_000_000, 20_000_000]
    Fixture.play(
      &state,
      .added([
        Fixture.item(1, "slow", size: sizes[0]), Fixture.item(2, "quick", size: sizes[1]),
        Fixture.item(3, "held", size: 500_000_000, state: .paused),
      ]))
    let start = state.now
    for second in 0...8 {
      Fixture.play(
        &state,
        .engine(
          [100_000, 2_000_000].enumerated().map { index, speed in
            let sent = Int64(second * speed)
            return (
              ItemID(Int64(index + 1)), .sending(attempt: 1, sent: sent, total: sizes[index])
            )
          }, at: start + Double(second)))
    }
    let row = try #require(
      state.speeds.eta(of: ItemID(1), remaining: sizes[0] - 800_000, at: state.now))
    let total = try #require(
      state.speeds.totalETA(of: state.queue.totals, at: state.now))
    #expect(total >= row && row > 900)
    // What is paused is a part of all, and not of the time.
    #expect(Self.said(state).contains("2%  "), "\(Self.said(state))")
    #expect(Self.said(state).contains(" of 620 MB"))
  }

  /// Both share a limit of 2 MB/s: when the first ends, after 10 s, the second has all of it.
  @Test(arguments: [2_000_000, nil, 100_000_000] as [Int64?])
  func aRowCountsOnTheShareThatItGetsWhenOthersEnd(_ limit: Int64?) throws {
    var state = Fixture.empty()
    let sizes: [Int64] = [18_000_000, 108_000_000]
    Fixture.play(
      &state,
      .added([Fixture.item(1, "short", size: sizes[0]), Fixture.item(2, "long", size: sizes[1])]))
    let start = state.now
    for second in 0...8 {
      let sent = Int64(second) * 1_000_000
      Fixture.play(
        &state,
        .engine(
          sizes.enumerated().map { index, size in
            (ItemID(Int64(index + 1)), .sending(attempt: 1, sent: sent, total: size))
          }, at: start + Double(second)))
    }
    let (speeds, all) = (state.speeds, state.queue.totals)
    let rows = try zip([1, 2] as [Int64], sizes).map { number, size in
      try #require(
        speeds.eta(
          of: ItemID(number), remaining: size - 8_000_000, of: all, limit: limit, at: state.now))
    }
    let total = try #require(speeds.totalETA(of: all, limit: limit, at: state.now))
    let isHeld = limit == 2_000_000
    #expect(rows.map { Int($0.rounded()) } == [10, isHeld ? 55 : 100])
    #expect(Int(total.rounded()) == (isHeld ? 55 : 100))
  }

  /// What buffers have taken by then is acknowledged faster than the limit for a while.
  @Test(arguments: [[900_000_000], [900_000_000, 700_000_000]] as [[Int64]])
  func aLimitSetInTheMiddleChangesRowAndTotalAlike(_ sizes: [Int64]) throws {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added(sizes.enumerated().map { Fixture.item(Int64($0 + 1), "\($0)", size: $1) }))
    let start = state.now
    var (sent, limit): (Int64, Int64?) = (0, nil)
    for step in 0...160 {
      if step == 40 {
        limit = 1_000_000
        Fixture.play(&state, .command("limit 1M"))
      }
      let speed: Int64 = step < 40 ? 10_000_000 : step < 60 ? 3_000_000 : 1_000_000
      sent += speed / 4
      Fixture.play(
        &state,
        .engine(
          sizes.enumerated().map { index, size in
            let part = sent / Int64(sizes.count)
            return (ItemID(Int64(index + 1)), .sending(attempt: 1, sent: part, total: size))
          }, at: start + Double(step) / 4))
      let (speeds, all) = (state.speeds, state.queue.totals)
      let longest = speeds.eta(
        of: ItemID(1), remaining: sizes[0] - sent / Int64(sizes.count), of: all, limit: limit,
        at: state.now)
      let total = speeds.totalETA(of: all, limit: limit, at: state.now)
      #expect(
        longest.map(HumanReadable.timeLeft) == total.map(HumanReadable.timeLeft), "step \(step)")
    }
  }

  @Test func theTimeThatIsLeftStandsStillWhileAReplyIsAwaited() throws {
    var state = Self.sending(
      Fixture.item(1, "a", size: 1_000_000), Fixture.item(2, "b", size: 1_000_000))
    let now = state.now
    Fixture.play(
      &state, .engine([(ItemID(1), .awaitingReply(attempt: 1, since: now))], at: now))
    func left(after seconds: Double) -> Double? {
      state.speeds.totalETA(of: state.queue.totals, at: now + seconds)
    }
    let atOnce = try #require(left(after: 0))
    #expect(left(after: 1.9) == atOnce)
    // If it takes longer, the others are likely to take as long.
    let (soon, late) = (try #require(left(after: 5)), try #require(left(after: 30)))
    #expect(late > 2 * soon)
    // And other news change nothing of that.
    Fixture.play(&state, .engine([(ItemID(3), .waiting)], at: now + 1))
    #expect(left(after: 1) == left(after: 1.9))
  }

  @Test func everyTryOfAServerThatIsAwayIsInTheLog() {
    var state = Fixture.empty()
    func away(_ failure: Failure, _ next: Double?) -> AppEvent {
      .reachability(
        server: "https://api.example.com",
        .away(failure, nextTry: next.map { state.now + $0 }))
    }
    let refused = Failure(.connectionRefused("no"))
    Fixture.play(&state, .added([Fixture.item(1, "a")]))
    for event in [away(refused, 1), away(refused, nil), away(refused, 2), away(refused, nil)] {
      Fixture.play(&state, event)
    }
    Fixture.play(&state, away(Failure(.nameNotResolved(host: "api")), 4))
    let lines = state.log.lines.map(\.text).filter { $0.contains("example.com") }
    #expect(lines.count == 3)
    #expect(lines[1].hasSuffix("is still unreachable: connection refused, next try in 2 s"))
    #expect(lines[2].hasSuffix("name not resolved, next try in 4 s"))
  }

  @Test func theFirstLineNamesTheTargetThatIsSentTo() {
    var state = Fixture.empty()
    var items = [Fixture.item(1, "a.txt", size: 10), Fixture.item(2, "b.txt", size: 10)]
    for index in items.indices { items[index].target = "nas" }
    Fixture.play(&state, .added(items), .queue(.urls(["nas": "http://nas.local/up"])))
    func line() -> String { render(state, size: state.size).text[0] }
    #expect(line().contains(state.target) && !line().contains("nas"))
    let sending = ItemState.sending(attempt: 1, sent: 1, total: 10)
    Fixture.play(&state, .engine([(ItemID(1), sending)], at: state.now))
    #expect(line().contains("· nas → http://nas.local/up  new files: \(state.target)"))
    Fixture.play(&state, .engine([(ItemID(1), .paused)], at: state.now))
    #expect(line().contains(state.target))
  }

  /// What has failed is a part of the progress, but nobody would call it done.
  @Test(arguments: [
    (Failure(.refused, status: 413), "tried"), (Failure(.outcomeUnknown("closed")), "tried"),
    (Failure(.notTried("no")), "handled"), (nil, ""),
  ])
  func whatHasFailedIsNotCalledDone(_ failure: Failure?, _ word: String) throws {
    var state = Fixture.empty()
    let items = (1...3).map { Fixture.item($0, "\($0)", size: 10_000_000) }
    Fixture.play(
      &state, .added(items),
      .engine(
        [
          (ItemID(1), failure.map { .failed($0) } ?? Self.done), (ItemID(2), Self.done),
          (ItemID(3), .sending(attempt: 1, sent: 9_000_000, total: 10_000_000)),
        ], at: state.now))
    let line = render(state, size: state.size).text[22]
    let far = "96%  29 of 30 MB" + (word.isEmpty ? "" : " \(word)")
    #expect(line.contains("\(far)  ETA"), "\(line)")
    Fixture.play(&state, .perform(.quit))
    let question = try #require(Self.question(state))
    #expect(question.contains("29 of 30 MB \(word.isEmpty ? "done" : word)."), "\(question)")
  }

  /// Nobody looks for the bytes of files that are no longer in the list, whichever window has removed them.
  @Test(arguments: [false, true])
  func theTotalsAreOfWhatIsInTheQueue(isAside: Bool) {
    var state = Fixture.empty()
    let items = (1...4).map { Fixture.item($0, "\($0)", size: 1_000_000) }
    Fixture.play(
      &state, .added(items), .queue(.aside(isAside)),
      .engine(
        [
          (ItemID(1), Self.done), (ItemID(2), Self.refused),
          (ItemID(3), .sending(attempt: 1, sent: 500_000, total: 1_000_000)),
        ], at: state.now))
    func line() -> String {
      state.message = nil
      return render(state, size: state.size).text[22]
    }
    #expect(line().contains("62%  2.5 of 4.0 MB tried"), "\(line())")
    Fixture.play(&state, .perform(.clear))
    #expect(line().contains("50%  1.5 of 3.0 MB tried"), "\(line())")
    Fixture.play(&state, .removed([ItemID(2)]))
    #expect(line().contains("25%  500 kB of 2.0 MB  ETA"), "\(line())")
    #expect(state.queue.totals == Totals(of: state.items))
    Fixture.play(&state, .perform(.undo))
    #expect(line().contains("50%  1.5 of 3.0 MB  ETA"), "\(line())")
  }
}
