import Scheduling
import Testing
import UploadModel

@testable import Screens

/// What the screen says once nothing is left to send, and the ways to what went wrong.
@Suite struct EndSummaryTests {
  private static let unknown = ItemState.failed(Failure(.outcomeUnknown("closed"), attempts: 1))

  /// A queue that has just come to its end.
  private static func ended(_ states: [ItemState], size: Size = Size(width: 80, height: 24))
    -> AppState
  {
    var state = Fixture.empty(size: size)
    let ids = states.indices.map { Int64($0) + 1 }
    Fixture.play(&state, .added(ids.map { Fixture.item($0, "\($0).bin", size: 1_100) }))
    let begun = ids.map { (ItemID($0), ItemState.sending(attempt: 1, sent: 0, total: 1_100)) }
    Fixture.play(
      &state, .engine(begun, at: state.now), .figures(SendingFigures(seconds: 2, bytes: 2_200)),
      .engine(zip(ids, states).map { (ItemID($0), $1) }, at: state.now + 2))
    return state
  }

  private static func text(_ state: AppState) -> String {
    render(state, size: state.size).text.joined(separator: "\n")
  }

  private static let story: [ItemState] = [
    .done(Fixture.receipt), .failed(Fixture.tooLarge),
    .done(Receipt(status: 204, seconds: 1, bytes: 1_100)), unknown,
  ]

  @Test(arguments: [
    Size(width: 80, height: 24), Size(width: 120, height: 40), Size(width: 160, height: 50),
  ])
  func itSaysHowItEndedAndWhatCanBeDone(_ size: Size) {
    let text = Self.text(Self.ended(Self.story, size: size))
    #expect(
      text.contains("Done, with problems · 2.2 of 4.4 kB arrived in 2 s, 1.1 kB/s"), "\(text)")
    #expect(text.contains("✓ 2 sent    ✗ 1 failed    ? 1 may have arrived"))
    #expect(text.contains("Enter next problem   R retry   y copy 1 address"))
  }

  /// The cursor that has gone along goes to what went wrong, above the box; a person's cursor stays.
  @Test func whoHasFollowedSeesTheFirstProblem() {
    for isFollowing in [true, false] {
      var state = Fixture.empty()
      if isFollowing { state.followUnasked() }
      let ids = (1...53).map { ItemID($0) }
      Fixture.play(&state, .added(ids.map { Fixture.item($0.rawValue, "\($0.rawValue).bin") }))
      for id in ids {
        let isBad = id.rawValue > 33 && id.rawValue % 5 != 0
        Fixture.play(
          &state, .engine([(id, .sending(attempt: 1, sent: 0, total: 1_000))], at: state.now + 1),
          .engine([(id, isBad ? .failed(Fixture.tooLarge) : .done(Fixture.receipt))], at: state.now)
        )
      }
      #expect(state.isSummaryShown)
      #expect(state.selected?.id == ItemID(isFollowing ? 34 : 1))
      let text = render(state, size: state.size).text
      let row = text.firstIndex { $0.contains("✗ 34.bin") } ?? .max
      #expect(!isFollowing || row < 6, "\(text)")
    }
  }

  @Test func itHasNoEmptyLine() {
    let sent = ItemState.done(Receipt(status: 204, bytes: 1_100))
    let text = render(Self.ended([sent, sent]), size: Size(width: 80, height: 24)).text
    let top = text.firstIndex { $0.contains("All done") } ?? 0
    #expect(text[top + 1].contains("✓ 2 sent") && text[top + 2].contains("╰───"), "\(text)")
  }

  /// What a server said is shown in full.
  @Test(arguments: [
    Size(width: 80, height: 24), Size(width: 100, height: 30), Size(width: 130, height: 40),
  ])
  func theServersAnswerIsWhole(_ size: Size) {
    let words = "This account may store no more than 100 MB, ask the people of the third floor."
    let failure = Failure(
      .refused, status: 507,
      reply: Reply(text: #"{"error": "\#(words)"}"#, mediaType: "application/json"), attempts: 1)
    let state = Self.ended(
      [.failed(failure), .failed(failure), .done(Fixture.receipt)], size: size)
    let lines = render(state, size: size).text
    guard let start = lines.firstIndex(where: { $0.contains("Done, with problems") }) else {
      Issue.record("\(lines)")
      return
    }
    let said = lines[start...].prefix(7).joined(separator: " ")
      .split { " │╭╮╰╯─".contains($0) }.joined(separator: " ")
    #expect(said.contains("2 × 507, \(words.dropLast())"), "\(said)")
  }

  /// Nothing in the box is cut in a small window: what there is no room for is left out.
  @Test func aSmallBoxIsWhole() {
    let size = Size(width: 60, height: 15)
    let text = Self.text(Self.ended(Self.story, size: size))
    #expect(text.contains("─ Done, with problems · 2.2 of 4.4 kB arrived in 2 s ─"), "\(text)")
    #expect(text.contains("│ Enter next problem   R retry   E reasons "), "\(text)")
  }

  @Test func whatIsNotThereIsNotOffered() {
    let text = Self.text(Self.ended([.done(Receipt(status: 204)), .done(Receipt(status: 204))]))
    #expect(
      text.contains("All done") && text.contains("✓ 2 sent") && !text.contains("next problem"))
    #expect(!text.contains("copy ") && !text.contains("0 failed"))
    // One file says all in its row, and on a small screen the totals do.
    #expect(!Self.text(Self.ended([.done(Fixture.receipt)])).contains("All done"))
    #expect(
      !Self.text(Self.ended(Self.story, size: Size(width: 40, height: 10))).contains("problems ·"))
  }

  @Test func itsKeysLeadToTheProblemsAndCopyAllAddresses() {
    var state = Self.ended(Self.story)
    #expect(Fixture.play(&state, .key("y")) == [.copy("https://api.example.com/f/42")])
    #expect(state.summary == nil)
    // From then on the keys mean what they always mean.
    Fixture.play(&state, .key(.enter))
    #expect(state.mode == .details)
    state = Self.ended(Self.story)
    Fixture.play(&state, .key(.enter))
    #expect(state.selected?.fileName == "2.bin" && state.dialog == nil)
    // The only problem is under the cursor already.
    state = Self.ended([.failed(Fixture.tooLarge), .done(Fixture.receipt)])
    Fixture.play(&state, .key(.enter))
    #expect(state.mode == .details)
    state = Self.ended(Self.story)
    #expect(Fixture.play(&state, .key("R")) == [.retry([ItemID(2)])])
    state = Self.ended(Self.story)
    Fixture.play(&state, .key("j"))
    #expect(state.selected?.fileName == "2.bin" && state.summary == nil)
  }

  @Test func itGoesWhenThereIsMoreToSend() {
    var state = Self.ended(Self.story)
    #expect(state.isSummaryShown)
    Fixture.play(&state, .added([Fixture.item(9, "more")]))
    #expect(state.summary == nil)
    state = Self.ended(Self.story)
    Fixture.play(&state, .key("3"))
    #expect(!Self.text(state).contains("problems ·"))
    // Someone types at that moment.
    state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "a"), Fixture.item(2, "b")]), .key("a"))
    let done = ItemState.done(Fixture.receipt)
    Fixture.play(&state, .engine([(ItemID(1), done), (ItemID(2), done)], at: state.now))
    #expect(!Self.text(state).contains("All done"))
    Fixture.play(&state, .key("y"))
    #expect(state.mode == .prompt)
    Fixture.play(&state, .key(.escape))
    #expect(Self.text(state).contains("All done"))
  }

  /// A small file has been sent before the screen is told that it was retried.
  @Test func whatIsRetriedHasAnEnd() {
    var state = Self.ended([.failed(Fixture.tooLarge), .done(Fixture.receipt)])
    Fixture.play(&state, .key("f"))
    Fixture.type("failed", &state)
    Fixture.play(&state, .key(.enter), .key("r"))
    #expect(!state.isSummaryShown)
    Fixture.play(&state, .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now + 1))
    #expect(Self.text(state).contains("─ All done"), "\(Self.text(state))")
    #expect(Self.text(state).contains("Nothing matches \"failed\"."), "\(Self.text(state))")
    #expect(Self.text(state).contains("Esc shows all 2 files again."), "\(Self.text(state))")
    // What a person says of a file ends nothing.
    state = Self.ended([Self.unknown, .done(Fixture.receipt)])
    Fixture.play(&state, .key("j"))
    var confirmed = Fixture.receipt
    (confirmed.wasThere, confirmed.isConfirmed) = (true, true)
    Fixture.play(&state, .engine([(ItemID(1), .done(confirmed))], at: state.now + 1))
    #expect(!state.isSummaryShown)
  }

  /// Removing the last file that waits ends what was being sent.
  @Test(arguments: [true, false]) func removingTheLastFileIsAnEnd(_ isHere: Bool) {
    var state = Self.ended(Self.story)
    Fixture.play(&state, .added([Fixture.item(9, "more")]))
    #expect(!state.isSummaryShown)
    let removal: [AppEvent] = isHere ? [.key("G"), .key("x")] : [.removed([ItemID(9)])]
    for event in removal { Fixture.play(&state, event) }
    #expect(Self.text(state).contains("─ Done, with problems"), "\(Self.text(state))")
    // Where nothing was sent, nothing has ended.
    state = Fixture.empty()
    Fixture.play(
      &state,
      .added([Fixture.item(1, "a", state: .failed(Fixture.tooLarge)), Fixture.item(2, "b")]),
      .added([Fixture.item(3, "c", state: .failed(Fixture.tooLarge))]), .removed([ItemID(2)]))
    #expect(!state.isSummaryShown)
  }

  /// The end is announced once, whatever the last file was waiting for, and only if something has ended.
  @Test(arguments: [true, false], [ItemState.waiting, .paused])
  func removingTheLastFileIsAnnounced(_ isHere: Bool, _ last: ItemState) {
    var state = Fixture.empty()
    (state.options.endSignal, state.options.hasEndCommand) = (.bell, true)
    Fixture.play(&state, .added([Fixture.item(1, "a"), Fixture.item(2, "b", state: last)]))
    Fixture.play(&state, .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now + 1))
    func remove(_ id: ItemID) -> [Effect] {
      let removal: [AppEvent] = isHere ? [.key("G"), .key("x")] : [.removed([id])]
      return removal.flatMap { Fixture.play(&state, $0) }.filter {
        if case .remove = $0 { false } else { true }
      }
    }
    let ended = remove(ItemID(2))
    #expect(ended == [.bell, .runEndCommand(state.queue.sessionTotals)], "\(ended)")
    #expect(state.queue.sessionTotals.done == 1)
    // One that was added by mistake is no batch of its own.
    Fixture.play(&state, .added([Fixture.item(3, "c")]))
    #expect(remove(ItemID(3)) == [])
  }

  /// Two files wait for credentials, and three have ended.
  private static func heldBack(
    _ size: Size = Size(width: 80, height: 24), at keys: String = ""
  ) -> AppState {
    var state = Fixture.empty(size: size)
    let refused = ItemState.failed(Failure(.refused, status: 401, attempts: 1))
    Fixture.play(
      &state, .added((1...5).map { Fixture.item($0, "\($0).bin", size: 1_100) }),
      .engine([1, 2, 3].map { (ItemID($0), .preparing(attempt: 1)) }, at: state.now),
      .queue(.refusal(target: "photos", .refused)),
      .engine(
        [
          (ItemID(1), .done(Fixture.receipt)), (ItemID(2), refused),
          (ItemID(3), refused),
        ], at: state.now + 2))
    Fixture.type(keys, &state)
    return state
  }

  @Test(arguments: [
    Size(width: 80, height: 24), Size(width: 130, height: 40), Size(width: 60, height: 15),
  ])
  func whatWaitsForCredentialsIsAnEnd(_ size: Size) {
    let text = Self.text(Self.heldBack(size))
    #expect(text.contains("─ Nothing more can be sent ─"), "\(text)")
    #expect(text.contains("│ photos refuses the credentials (2 files wait)"), "\(text)")
    #expect(text.contains("✓ 1 sent") && text.contains("✗ 2 failed"), "\(text)")
    #expect(text.contains("│ 5, then e edit the target   R retry"), "\(text)")
  }

  @Test func aURLWithoutATargetIsNotEdited() {
    var state = Self.heldBack()
    Fixture.play(&state, .queue(.refusal(target: "photos", nil)))
    let url = "https://h/up"
    var item = Fixture.item(7, "x")
    item.target = url
    Fixture.play(&state, .added([item]), .queue(.refusal(target: url, .refused)))
    #expect(state.editing("photos", with: .refused) == "5, then e")
    #expect(state.editing(url, with: .refused) == "")
    #expect(state.message?.contains("5, then e") == false)
  }

  @Test func whatAServerProcessesDoesNotWaitForCredentials() {
    var state = Self.heldBack()
    let processing = Processing(Fixture.receipt, askingAt: nil, since: .distantPast)
    Fixture.play(&state, .engine([(ItemID(1), .processing(processing))], at: state.now + 3))
    #expect(state.heldBack == 2)
  }

  @Test func aSingleFailureIsNamed() {
    let text = Self.text(Self.ended([.done(Fixture.receipt), .failed(Fixture.tooLarge)]))
    #expect(text.contains("│ 2.bin: 413, maximum upload size is 100 MB"), "\(text)")
    #expect(!text.contains("reasons"))
  }

  /// As many reasons as fit, first those of what has failed; how many there is no room for is counted.
  @Test(arguments: [
    Size(width: 80, height: 24), Size(width: 130, height: 40), Size(width: 60, height: 15),
  ])
  func theReasonsThatFitAreListed(_ size: Size) {
    let statuses = [403, 404, 413, 422, 415, 409, 400, 406]
    let refused = statuses.flatMap { status in
      [ItemState](
        repeating: .failed(Failure(.refused, status: status, attempts: 1)), count: 2)
    }
    let states = refused + [Self.unknown, .done(Fixture.doubtful), .done(Fixture.doubtful)]
    let state = Self.ended(states, size: size)
    let lines = render(state, size: size).text
    let top = lines.firstIndex { $0.contains("─ Done, with problems") } ?? lines.endIndex
    let box = lines[top...].prefix { !$0.contains("Enter next") }
    let reasons = box.filter { $0.contains(" × ") }
    #expect(reasons.first?.contains("2 × 400 Bad Request") == true, "\(lines)")
    #expect(reasons.count == [15: 3, 24: 6, 40: 10][size.height], "\(lines)")
    let rest = [
      15: "and 7 more reasons · E shows all  ", 24: "and 4 more reasons · E shows all  ",
    ]
    #expect(rest[size.height].map { rest in box.contains { $0.contains(rest) } } ?? true, "\(box)")
    #expect(!box.contains { $0.contains("and ") } || size.height < 40, "\(box)")
    // Nothing but doubtful files.
    let text = Self.text(Self.ended(Array(states.suffix(2)), size: size))
    #expect(text.contains("2 × doubtful: 200, quota exceeded"), "\(text)")
  }

  /// No line that the box could have is left free.
  @Test(arguments: Fixture.sizes)
  func theRoomIsForTheReasons(_ size: Size) {
    let states = (400...499).map { ItemState.failed(Failure(.refused, status: $0, attempts: 1)) }
    let state = Self.ended(states, size: size)
    let lines = render(state, size: size).text
    guard let top = lines.firstIndex(where: { $0.contains("─ Done, with problems") }) else {
      return
    }
    #expect(top == state.layout.rows.lowerBound + 2, "\(lines)")
    #expect(lines[state.layout.rows.upperBound - 1].contains("╰──"), "\(lines)")
  }

  /// Where there is only ASCII, the sign of what may have arrived is not the sign of "times".
  @Test func timesIsALetterInASCII() {
    var state = Self.ended([.failed(Fixture.tooLarge), .failed(Fixture.tooLarge)])
    state.isASCII = true
    #expect(Self.text(state).contains("2 x 413"), "\(Self.text(state))")
  }

  @Test func thatEndGoesWithItsReason() {
    var state = Self.heldBack()
    #expect(Fixture.play(&state, .key("R")) == [.retry([ItemID(2), ItemID(3)]), .probe])
    #expect(!state.isSummaryShown)
    // The credentials are tried, and refused again.
    Fixture.play(
      &state, .queue(.refusal(target: "photos", nil)),
      .engine([(ItemID(4), .preparing(attempt: 1))], at: state.now))
    #expect(!Self.text(state).contains("Nothing more"))
    Fixture.play(
      &state, .engine([(ItemID(4), .failed(Fixture.tooLarge))], at: state.now),
      .queue(.refusal(target: "photos", .missing)))
    let words = "photos asks for credentials, and the target has none (1 file waits)"
    #expect(Self.text(state).contains(words), "\(Self.text(state))")
    // Others are still to be sent, or a person holds the queue.
    var other = Fixture.item(9, "more")
    other.target = "nas"
    Fixture.play(&state, .added([other]))
    #expect(state.summary == nil)
    state = Self.heldBack()
    Fixture.play(&state, .stopped(true))
    #expect(!state.isSummaryShown)
  }

  /// That the others wait may be told before how the file ended that was refused.
  @Test func theEndHasWhatIsToldAfterItsReason() {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added((1...3).map { Fixture.item($0, "\($0).bin", size: 1_100) }),
      .queue(.refusal(target: "photos", .refused)))
    #expect(Self.text(state).contains("(3 files wait)"), "\(Self.text(state))")
    Fixture.play(
      &state, .engine([(ItemID(1), .failed(Fixture.tooLarge))], at: state.now))
    #expect(Self.text(state).contains("(2 files wait)"), "\(Self.text(state))")
    #expect(Self.text(state).contains("✗ 1 failed"), "\(Self.text(state))")
    // Once it was read, it stays closed.
    Fixture.play(
      &state, .key("j"), .engine([(ItemID(2), .failed(Fixture.tooLarge))], at: state.now))
    #expect(!state.isSummaryShown)
  }

  @Test func theKeysThatHelpAreInTheDetailsOfWhatWaits() {
    let small = Self.text(Self.heldBack(Size(width: 80, height: 24), at: "G"))
    #expect(
      small.contains("│ photos refuses the credentials: nothing goes there until you fix that")
        && small.contains("e) or retry (R)"), "\(small)")
    var state = Self.heldBack(Size(width: 130, height: 40))
    Fixture.play(&state, .key("G"), .key(.enter))
    let words = "photos refuses the credentials: nothing goes there until you fix that (5, then e)"
    #expect(Self.text(state).contains(words), "\(Self.text(state))")
  }

  @Test func keysGoToTheNextOneThatFailedOrIsBeingSent() {
    var state = Fixture.mixed()
    let failed = (0..<5).map { _ in
      Fixture.type("!", &state)
      return state.selected?.fileName
    }
    #expect(failed == ["disk.img", "lost.bin", "gone.txt", "stopped.txt", "disk.img"])
    let active = (0..<3).map { _ in
      Fixture.type(".", &state)
      return state.selected?.id
    }
    #expect(active == [ItemID(6), ItemID(1), ItemID(2)])
    Fixture.play(&state, .history(.rows(Fixture.historyRows)), .key("3"), .key("!"))
    #expect(state.history.selected?.name == "disk.img")
    state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "a")]))
    #expect(Fixture.type("!", &state) == [.bell] && state.message == "nothing here has failed")
    #expect(Fixture.type(".", &state) == [.bell] && state.message == "nothing is being sent")
  }

  @Test func theDetailsOfTheHistoryObeyTheSameKeys() {
    var state = Fixture.empty()
    var rows = Fixture.historyRows
    rows[0].record = Fixture.record(rows[0])
    rows[0].instant = state.now + -2 * 3600
    Fixture.play(&state, .history(.rows(rows)), .key("3"), .key(.enter))
    #expect(Self.text(state).contains("2026-11-20 22:15, 2 h ago  201 Created"))
    #expect(Fixture.type("y", &state) == [.copy("https://api.example.com/f/42")])
    #expect(Fixture.type("O", &state) == [.openURL("https://api.example.com/f/42")])
    #expect(Fixture.type("D", &state) == [.bell] && state.message?.contains("no address") == true)
    #expect(Fixture.type("Y", &state) == [.bell] && state.message?.contains("r queues it") == true)
    // It was sent, so a second copy is asked about, as where it is added again.
    #expect(Fixture.type("r", &state) == [] && state.mode == .sendingAgain)
    #expect(Self.text(state).contains("notes.txt was sent to this target before."))
    #expect(
      Fixture.type("r", &state) == [
        .sendAgain([Fixture.record(rows[0])])
      ])
  }
}
