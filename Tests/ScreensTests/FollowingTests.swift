import Testing

@testable import Screens
@testable import UploadModel

/// The cursor and the view go along with what is being sent.
struct FollowingTests {
  /// A queue of files, of which some are sent, second by second.
  private struct Run {
    var state: AppState

    init(_ count: Int64, size: Size = Size(width: 80, height: 24)) {
      state = Fixture.empty(size: size)
      state.followUnasked()
      Fixture.play(&state, .added((1...count).map { Fixture.item($0, "\($0)") }))
    }

    /// A second passes, after which all files before the first of these have been sent, and these are being sent.
    mutating func send(_ ids: some Collection<Int64>, after seconds: Double = 1) {
      let sent = state.items.filter { !$0.state.isFinished && !ids.contains($0.id.rawValue) }
        .filter { item in item.state.isActive || ids.first.map { item.id.rawValue < $0 } == true }
      Fixture.play(
        &state,
        .engine(
          sent.map { ($0.id, .done(Fixture.receipt)) }
            + ids.map { (ItemID($0), .sending(attempt: 1, sent: 1, total: 1000)) },
          at: state.now + seconds))
    }

    mutating func rest(_ seconds: Int) {
      for _ in 0..<seconds { Fixture.play(&state, .tick(state.now + 1)) }
    }

    /// How many of those that are being sent are in view.
    var seen: Int {
      let rows = state.list.window.visible(of: state.rowCount, height: state.layout.rows.count)
      return rows.count { state.row($0)?.item.state.isActive == true }
    }

    var cursor: Int64? { state.selected?.id.rawValue }
    var isOnOne: Bool { state.selected?.state.isActive == true }
    var title: String { render(state, size: state.size).text[1] }
  }

  @Test func theListFollowsWhatIsSentUntilThePersonMoves() {
    var run = Run(2_013)
    run.send([1_500])
    #expect(run.cursor == 1_500 && run.title.contains("· following"), "\(run.title)")
    #expect(render(run.state, size: run.state.size).text.contains { $0.contains("▌ ↑ 1500") })
    run.send([1_501])
    #expect(run.cursor == 1_501)
    Fixture.play(&run.state, .key("k"))
    run.send([1_502])
    #expect(run.cursor == 1_500 && !run.title.contains("following"))
    // So does someone who does something about a row.
    var other = Run(3)
    Fixture.play(&other.state, .command("pause 1"))
    Fixture.play(
      &other.state,
      .engine([(ItemID(1), .paused), (ItemID(2), .preparing(attempt: 1))], at: other.state.now))
    #expect(other.cursor == 1)
    // A key takes it up again.
    Fixture.play(&run.state, .key("."))
    #expect(run.cursor == 1_502)
    run.send([1_503])
    #expect(run.cursor == 1_503)
  }

  /// Files that are sent in less than a second: the view stays, and the cursor does not stay on one that has been sent.
  @Test func theCursorGoesAlongInAViewThatStays() {
    var run = Run(99)
    run.send([1])
    let first = run.state.list.window.visible(of: run.state.rowCount, height: 10).lowerBound
    for id in Int64(2)...8 {
      run.send([id], after: 0.4)
      #expect(run.cursor == id && run.isOnOne)
    }
    #expect(
      run.state.list.window.visible(of: run.state.rowCount, height: 10).lowerBound == first)
    // It can be read even if they are sent faster.
    run.send([9], after: 0.1)
    run.send([10], after: 0.1)
    #expect(run.cursor == 8)
    run.send([11], after: 0.2)
    #expect(run.cursor == 11)
  }

  @Test func theCursorStaysOnOneThatIsBeingSent() {
    var run = Run(9)
    run.send([3])
    run.send([3, 4])
    #expect(run.cursor == 3)
    run.send([4, 5])
    #expect(run.cursor == 4)
  }

  /// Adding files, here or in another process, does not stop it. Files added after all had finished start it again.
  @Test(
    arguments: [[], ["k"], ["c"], ["V", "j", .escape], ["!"]] as [[Key]],
    [
      Size(width: 80, height: 24), Size(width: 130, height: 40), Size(width: 200, height: 60),
      Size(width: 40, height: 10), Size(width: 60, height: 16),
    ])
  func itFollowsWhatIsAddedAfterTheEnd(_ keys: [Key], _ size: Size) {
    var run = Run(200, size: size)
    run.send([200])
    Fixture.play(
      &run.state,
      .engine(
        [(ItemID(7), .failed(Fixture.tooLarge)), (ItemID(200), .done(Fixture.receipt))],
        at: run.state.now + 1))
    for key in keys { Fixture.play(&run.state, .key(key)) }
    for key in ["a", "f", .enter] as [Key] { Fixture.play(&run.state, .key(key)) }
    Fixture.play(&run.state, .added((300...302).map { Fixture.item($0, "\($0)") }))
    run.send([301])
    #expect(run.seen == 1 && run.isOnOne, "\(keys)")
    // Others add files while these are being sent.
    Fixture.play(&run.state, .added((400...999).map { Fixture.item($0, "\($0)") }))
    run.send([700])
    #expect(run.seen == 1 && run.isOnOne, "\(keys)")
  }

  /// While files are being sent, it is up to the person when it is taken up.
  @Test func whatIsAddedMeanwhileDoesNotMoveTheCursor() {
    var run = Run(200)
    run.send([100])
    Fixture.play(&run.state, .key("g"), .added((300...302).map { Fixture.item($0, "\($0)") }))
    run.send([101])
    #expect(run.cursor == 1)
  }

  /// The person who sends one again goes on with it.
  @Test func whatIsSentAgainDoesNotMoveTheCursor() {
    var run = Run(9)
    run.send([9])
    func fail(_ ids: [Int64]) {
      Fixture.play(
        &run.state,
        .engine(ids.map { (ItemID($0), .failed(Fixture.tooLarge)) }, at: run.state.now + 1))
    }
    fail([2, 7])
    Fixture.play(
      &run.state, .engine([(ItemID(9), .done(Fixture.receipt))], at: run.state.now + 1))
    Fixture.play(&run.state, .key("g"), .key("!"), .key("!"), .key("r"))
    #expect(run.cursor == 7)
    Fixture.play(&run.state, .added([Fixture.item(7, "7")]))
    run.send([7])
    fail([7])
    #expect(run.cursor == 7)
  }

  /// The same key goes to the next one of several.
  @Test func theKeyGoesFromOneToTheNext() {
    var run = Run(9)
    run.send([3, 4])
    for expected: Int64 in [4, 3] {
      Fixture.play(&run.state, .key("."))
      #expect(run.cursor == expected)
    }
  }

  @Test func afterAWhileWithoutKeysItFollowsAgain() {
    var run = Run(500)
    run.send([200])
    Fixture.play(&run.state, .key("g"))
    run.rest(20)
    Fixture.play(&run.state, .key("j"))
    run.rest(25)
    #expect(run.cursor == 2)
    run.rest(10)
    #expect(run.cursor == 200)
  }

  /// Marks, a dialog or a failure under the cursor mean that someone is not done yet.
  @Test(arguments: [[Key.character(" ")], [.enter], ["!"]])
  func readingAndMarkingAreNotDisturbed(_ keys: [Key]) {
    var run = Run(500)
    Fixture.play(&run.state, .engine([(ItemID(1), .failed(Fixture.tooLarge))], at: run.state.now))
    run.send([200])
    Fixture.play(&run.state, .key("g"))
    for key in keys { Fixture.play(&run.state, .key(key)) }
    let place = run.cursor
    run.rest(90)
    #expect(run.cursor == place)
  }

  /// Whatever the number of lanes and the size, something that moves is in view, and so is the cursor; as long as that
  /// is so, the view stays where it is for a second at least.
  @Test(
    arguments: [1, 2, 4, 12, 32],
    [
      Size(width: 80, height: 24), Size(width: 100, height: 30), Size(width: 130, height: 40),
      Size(width: 200, height: 60), Size(width: 40, height: 12),
    ])
  func whatMovesIsInView(_ lanes: Int64, _ size: Size) {
    var run = Run(20 * lanes + 40, size: size)
    run.send(1..<1 + lanes)
    var (first, latest): (Int64, Double) = (1, 0)
    for step in 1...45 {
      first += [1, max(1, lanes / 3), lanes][step % 3]
      let (scroll, now) = (run.state.list.scroll, run.state.now.seconds)
      run.send(first..<first + lanes, after: 0.35)
      #expect(run.seen > 0, "after \(step)")
      let rows = scroll..<scroll + run.state.layout.rows.count
      let wasDead = !(first..<first + lanes).contains { rows.contains(Int($0) - 1) }
      if run.state.list.scroll != scroll {
        #expect(wasDead || now + 0.35 - latest >= 1, "after \(step)")
        latest = now + 0.35
      }
    }
    // At rest, as many as possible.
    run.send(first..<first + lanes, after: 2)
    #expect(run.isOnOne && run.seen * 2 > min(Int(lanes), run.state.layout.rows.count - 1))
  }

  /// Sixty lanes of files that take less than a third of a second: each page is over before a second has passed.
  @Test(arguments: [Size(width: 80, height: 24), Size(width: 200, height: 60)])
  func manyFastFilesAreInView(_ size: Size) {
    var run = Run(3_000, size: size)
    for step in 0..<40 {
      let first = Int64(1 + step * 60)
      run.send(first..<first + 60, after: 0.1)
      #expect(run.seen > 0, "after \(step)")
    }
  }

  /// A large file above does not keep the view from the many below it.
  @Test func theViewIsWhereMostMoves() {
    var run = Run(900)
    run.send([5])
    Fixture.play(
      &run.state,
      .engine(
        (400...420).map { (ItemID($0), .sending(attempt: 1, sent: 1, total: 1000)) },
        at: run.state.now + 1))
    #expect(run.seen >= run.state.layout.rows.count - 1)
    #expect((400...420).contains(run.cursor ?? 0))
  }

  @Test func aScreenOfLinesFollowsNothing() {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added((1...99).map { Fixture.item($0, "\($0)") }),
      .engine([(ItemID(50), .sending(attempt: 1, sent: 1, total: 1000))], at: state.now))
    for _ in 0..<90 { Fixture.play(&state, .tick(state.now + 1)) }
    #expect(state.list.cursor == 0)
  }
}
