import Scheduling
import Testing
import UploadModel

@testable import Screens

/// A window that was opened later, or took over, learns from the history what was tried before.
@Suite struct EarlierAttemptsTests {
  /// A file that took two attempts, the second from 00:01:35 to 00:01:40, as another window has seen it.
  private static func opened(size: Size = Size(width: 80, height: 24)) -> AppState {
    var state = Fixture.empty(size: size)
    var receipt = Fixture.receipt
    receipt.attempts = 2
    Fixture.play(
      &state, .added([Fixture.item(1, "a.txt", state: .done(receipt)), Fixture.item(2, "b.txt")]),
      .queueRead)
    return state
  }

  private static let recorded = [
    ItemList.Attempt(
      number: 1, from: Instant(seconds: 60), to: Instant(seconds: 70), reached: 400,
      words: "503 Service Unavailable", isGood: false),
    ItemList.Attempt(
      number: 2, from: Instant(seconds: 95), to: Instant(seconds: 100), reached: 1000,
      words: "201 Created", isGood: true),
  ]

  private static func text(_ state: AppState) -> [String] { render(state, size: state.size).text }

  @Test func theyAreInTheDetails() {
    var state = Self.opened()
    #expect(Fixture.play(&state, .key(.enter)) == [.inspect(ItemID(1))])
    #expect(!Self.text(state).contains { $0.contains("Attempts:") })
    Fixture.play(&state, .attempts(ItemID(1), Self.recorded), .key("G"))
    let text = Self.text(state)
    #expect(text.contains { $0.contains("1  00:01:00–00:01:10  400 B of 1.0 kB, 503 Service") })
    #expect(text.contains { $0.contains("2  00:01:35–00:01:40  201 Created") })
    Fixture.play(&state, .key(.escape))
    let row = Self.text(state).first { $0.contains("✓ a.txt") } ?? ""
    #expect(row.contains("00:01"), "the time of the arrival: \(row)")
  }

  /// After a pause, and in another process, a file's attempts are counted from one again.
  @Test func theNumberOfTriesIsThatOfTheList() {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added([Fixture.item(1, "a.txt", state: .done(Fixture.receipt))]), .queueRead,
      .key(.enter), .attempts(ItemID(1), Self.recorded))
    #expect(Self.text(state).contains { $0.contains("Tries    2 ") }, "\(Self.text(state))")
  }

  @Test func theAttemptUnderWayContinuesTheNumbers() {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added([Fixture.item(1, "a.txt")]), .queueRead,
      .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now), .key(.enter),
      .attempts(ItemID(1), Array(Self.recorded.prefix(1))), .key("G"))
    #expect(Self.text(state).contains { $0.contains("│ 2  since ") }, "\(Self.text(state))")
  }

  @Test func thePaneBesideTheListAsksForThem() {
    var state = Fixture.empty(size: Size(width: 160, height: 40))
    #expect(Self.opened(size: state.size).attemptsRead?.id == ItemID(1))
    let other = Self.opened(size: state.size).items
    let asked = Fixture.play(&state, .added(Array(other)))
    #expect(asked == [.readAttempts(ItemID(1))])
    // Once, until something happens to it.
    #expect(Fixture.play(&state, .tick(state.now + 1)) == [])
    Fixture.play(&state, .attempts(ItemID(1), Self.recorded))
    #expect(Self.text(state).contains { $0.contains("1  00:01:00–00:01:10") })
    // One that this window has seen from its beginning needs no history.
    #expect(Fixture.play(&state, .key("j")) == [])
    Fixture.play(
      &state, .engine([(ItemID(2), .preparing(attempt: 1))], at: state.now + 1))
    #expect(
      Fixture.play(&state, .engine([(ItemID(2), .done(Fixture.receipt))], at: state.now + 2)) == [])
    #expect(Fixture.play(&state, .key("k"), .key("j")) == [])
  }

  /// They are read while the details are on the screen already.
  @Test func theEndStaysInViewWhenTheyCome() {
    var state = Self.opened(size: Size(width: 80, height: 16))
    Fixture.play(&state, .key(.enter), .key("G"), .attempts(ItemID(1), Self.recorded))
    func lastLine() -> String { Self.text(state).last { $0.contains("│") } ?? "" }
    #expect(lastLine().contains("201 Created"), "\(Self.text(state))")
    Fixture.play(&state, .request(ItemID(1), ["POST /upload HTTP/1.1", "Host: example"]))
    #expect(lastLine().contains("Host: example"), "\(Self.text(state))")
    // Who has scrolled back up is not moved.
    Fixture.play(&state, .key("k"))
    let before = lastLine()
    #expect(!before.contains("Host: example"))
    Fixture.play(
      &state, .request(ItemID(1), ["POST /upload HTTP/1.1", "Host: example", "Length: 1"]))
    #expect(lastLine() == before)
  }

  @Test func aWindowThatTookOverAsksForThoseOfTheOneBefore() {
    var state = Fixture.empty(size: Size(width: 160, height: 40))
    state.known.isReading = true
    Fixture.play(&state, .added([Fixture.item(1, "a.txt")]), .queueRead)
    let now = state.now
    // Its own attempt is the first that this process makes.
    Fixture.play(&state, .engine([(ItemID(1), .preparing(attempt: 1))], at: now))
    let asked = Fixture.play(&state, .engine([(ItemID(1), .done(Fixture.receipt))], at: now + 2))
    #expect(asked.contains(.readAttempts(ItemID(1))), "\(asked)")
  }

  /// What this window has seen and the history has as well is shown once.
  @Test func eachIsShownOnce() {
    var state = Self.opened()
    func numbers() -> [Int] { state.queue.row(ItemID(2))?.attempts.map(\.number) ?? [] }
    let now = state.now
    Fixture.play(
      &state, .engine([(ItemID(2), .preparing(attempt: 2))], at: now),
      .engine(
        [(ItemID(2), .retrying(Fixture.unavailable, next: 3, of: 5, at: now + 9))], at: now + 4),
      .engine([(ItemID(2), .preparing(attempt: 3))], at: now + 9),
      .engine(
        [(ItemID(2), .retrying(Fixture.unavailable, next: 4, of: 5, at: now + 20))], at: now + 11))
    #expect(numbers() == [2, 3])
    func attempt(_ number: Int, _ from: Double, _ to: Double) -> ItemList.Attempt {
      ItemList.Attempt(
        number: number, from: now + from, to: now + to, words: "503", isGood: false)
    }
    // The last one is not in the history yet.
    let recorded = [attempt(1, -20, -10), attempt(2, 0.1, 3.9)]
    for _ in 0..<2 {
      Fixture.play(&state, .attempts(ItemID(2), recorded))
      #expect(numbers() == [1, 2, 3])
    }
    Fixture.play(&state, .attempts(ItemID(2), recorded + [attempt(3, 9.1, 10.9)]))
    #expect(numbers() == [1, 2, 3])
  }

  /// On a busy machine, the news of an attempt comes after its end.
  @Test func shortOnesOfWhichTheNewsIsLateAreShownOnce() {
    var state = Self.opened()
    func texts() -> [String] {
      state.queue.row(ItemID(2))?.attempts.map { "\($0.number) \($0.words)" } ?? []
    }
    let now = state.now
    Fixture.play(
      &state, .engine([(ItemID(2), .preparing(attempt: 1))], at: now + 0.5),
      .engine(
        [(ItemID(2), .retrying(Fixture.unavailable, next: 2, of: 3, at: now + 0.6))], at: now + 0.6),
      .engine([(ItemID(2), .preparing(attempt: 2))], at: now + 0.7),
      .engine(
        [(ItemID(2), .retrying(Fixture.unavailable, next: 3, of: 3, at: now + 0.8))], at: now + 0.8)
    )
    let recorded = [(0.1, 0.11), (0.3, 0.31)].enumerated().map { place, times in
      ItemList.Attempt(
        number: place + 1, from: now + times.0, to: now + times.1, words: "503", isGood: false)
    }
    for count in [1, 2, 2] {
      Fixture.play(&state, .attempts(ItemID(2), Array(recorded.prefix(count))))
      #expect(texts().map { $0.prefix(5) } == ["1 503", "2 503"], "\(texts())")
    }
  }

  /// The last attempt had ended before there was news of the first one's end.
  @Test func shortOnesThatAreLateTogetherAreShownOnce() {
    var state = Self.opened()
    let now = state.now
    for number in 1...3 {
      let end = now + 0.5 + 0.1 * Double(number)
      Fixture.play(
        &state,
        .engine([(ItemID(2), .preparing(attempt: number))], at: number == 1 ? now : end + -0.01),
        .engine(
          [(ItemID(2), .retrying(Fixture.unavailable, next: number + 1, of: 9, at: end))], at: end))
    }
    let recorded = (1...3).map { number in
      let end = now + 0.1 * Double(number)
      return ItemList.Attempt(
        number: number, from: end + -0.01, to: end, words: "503", isGood: false)
    }
    Fixture.play(&state, .attempts(ItemID(2), recorded))
    #expect(state.queue.row(ItemID(2))?.attempts.map(\.number) == [1, 2, 3])
  }

  @Test func anotherDayIsNamed() {
    var state = Self.opened()
    state.now = Instant(seconds: 3 * 86_400 + 50)
    let words = [0.0, 2.0, 2.999, 3.0].map { state.moment(Instant(seconds: $0 * 86_400 + 30)) }
    #expect(
      words == [
        "3 days ago 00:00:30", "yesterday 00:00:30", "yesterday 23:59:03",
        "00:00:30",
      ])
  }

  /// Just after midnight, what was sent a minute before was not sent a day ago.
  @Test(
    arguments: [
      (40, "23:59"), (0, "00:00"), (86_399, "00:00"), (86_400, "1 d ago"), (90_000, "2 d ago"),
      (259_100, "3 d ago"),
    ] as [(Double, String)])
  func withinADayThereAreNoDays(_ seconds: Double, _ words: String) {
    var state = Self.opened()
    state.now = Instant(seconds: 9 * 86_400 + 36)
    #expect(state.briefMoment(state.now + -seconds) == words)
  }
}
