import Testing

@testable import Scheduling
@testable import Screens
@testable import UploadModel

/// What the first line says of where files go, and of how many go at once.
@Suite struct HeaderTests {
  /// A queue that sends to another target than the one that files are added for.
  private static func elsewhere(_ size: Size) -> AppState {
    var state = Fixture.empty(size: size)
    var items = (1...3).map { Fixture.item($0, "\($0).bin", size: 1_000_000) }
    for index in items.indices { items[index].target = "tickets" }
    state.settings.limit = 1_000_000
    Fixture.play(&state, .added(items), .queue(.lanes(2, target: "tickets")))
    for second in 0...4 {
      Fixture.play(
        &state,
        .engine(
          items.map {
            ($0.id, .sending(attempt: 1, sent: Int64(second) * 100_000, total: 1_000_000))
          }, at: state.now + Double(second)))
    }
    return state
  }

  @Test(arguments: [
    Size(width: 60, height: 15), Size(width: 80, height: 24), Size(width: 130, height: 40),
  ])
  func whatIsAddedNowMayGoElsewhere(_ size: Size) {
    var state = Self.elsewhere(size)
    let header = render(state, size: size).text[0]
    #expect(header.contains("tickets"), "\(header)")
    #expect(header.contains("new: photos") || header.contains("new files: photos"), "\(header)")
    Fixture.play(&state, .key("a"))
    let text = render(state, size: size).text.joined(separator: "\n")
    #expect(text.contains("─ Add files for photos ─"), "\(text)")
  }

  @Test(
    "A limit stays visible while a server is away or files are sent: other words are shortened first",
    arguments: [60, 80])
  func limitStays(_ width: Int) {
    let size = Size(width: width, height: 24)
    var state = Self.elsewhere(size)
    func header() -> String { render(state, size: size).text[0] }
    #expect(header().contains("limit 1.0 MB/s"), "\(header())")
    Fixture.play(&state, .urls(["tickets": "https://tickets.example.com/"]))
    let failure = Failure(.nameNotResolved(host: "tickets.example.com"))
    Fixture.play(
      &state,
      .reachability(
        server: "https://tickets.example.com", .away(failure, nextTry: state.now + 8)))
    #expect(header().contains("limit 1.0 MB/s"), "\(header())")
    #expect(header().contains("cannot reach tickets") || header().contains(" away"), "\(header())")
  }

  @Test("Between two small files of one lane, nothing changes for a moment")
  func betweenFiles() {
    var state = Fixture.empty(size: Size(width: 100, height: 24))
    let items = (1...40).map { (number: Int64) in
      var item = Fixture.item(number, "\(number).bin", size: 10_000)
      item.target = "tickets"
      return item
    }
    Fixture.play(&state, .added(items))
    func lines() -> [String] {
      let text = render(state, size: state.size).text
      return [text[0], text[22]]
    }
    for id in 1...9 {
      Fixture.play(
        &state,
        .engine(
          [(ItemID(Int64(id)), .sending(attempt: 1, sent: 0, total: 10_000))], at: state.now + 0.1),
        .engine(
          [(ItemID(Int64(id)), .sending(attempt: 1, sent: 9_000, total: 10_000))],
          at: state.now + 0.4))
      let during = lines()
      #expect(during[0].contains("tickets") && during[0].contains("1 active"), "\(during)")
      Fixture.play(
        &state, .engine([(ItemID(Int64(id)), .done(Fixture.receipt))], at: state.now + 0.1))
      let between = lines()
      #expect(between[0].contains("tickets") && between[0].contains("1 active"), "\(between)")
      #expect(!between[1].contains("files left"), "\(between)")
      #expect(between[1].contains("ETA 0") == during[1].contains("ETA 0"), "\(during), \(between)")
      #expect(state.needsTicks)
    }
    // Then it says that nothing is being sent.
    Fixture.play(&state, .tick(state.now + 1.1))
    #expect(lines()[0].contains("nothing is being sent"), "\(lines())")
    #expect(lines()[1].contains("31 files left"), "\(lines())")
    #expect(!state.needsTicks)
  }

  @Test(
    "While all that is left is to be tried again, it says why, and when the next of them is",
    arguments: [40, 80, 130])
  func saysWhenTheNextRetryIs(_ width: Int) {
    var state = Fixture.empty(size: Size(width: width, height: 24))
    func header() -> String { render(state, size: state.size).text[0] }
    func retrying(_ seconds: Double) -> ItemState {
      .retrying(Fixture.unavailable, next: 3, of: 5, at: state.now + seconds)
    }
    var other = Fixture.item(3, "c")
    other.target = "nas"
    Fixture.play(
      &state, .added([Fixture.item(1, "a"), Fixture.item(2, "b"), other]),
      .engine(
        [(ItemID(1), retrying(600)), (ItemID(2), retrying(540)), (ItemID(3), retrying(3600))],
        at: state.now))
    #expect(header().contains("9 min") && !header().contains("waiting"), "\(header())")
    #expect(width < 80 || header().contains("503 · next try in 9 min"), "\(header())")
    // Time passes; then only one for another target is left.
    Fixture.play(&state, .tick(state.now + 60))
    #expect(header().contains("8 min"), "\(header())")
    Fixture.play(&state, .removed([ItemID(1), ItemID(2)]))
    #expect(header().contains("59 min"), "\(header())")
    #expect(width < 80 || header().contains("nas: 503 · next try in 59 min"), "\(header())")
  }

  @Test(
    "While all files wait for credentials, it says so, and for which target if that is another one",
    arguments: [80, 130])
  func waitsForCredentials(_ width: Int) {
    var state = Fixture.empty(size: Size(width: width, height: 24))
    func header() -> String { render(state, size: state.size).text[0] }
    Fixture.play(&state, .added([Fixture.item(1, "a")]), .refusal(target: "photos", .refused))
    #expect(header().contains("credentials refused") && !header().contains("photos: "))
    var item = Fixture.item(2, "b")
    item.target = "nas"
    Fixture.play(&state, .added([item]))
    #expect(!header().contains("credentials"), "another file may go: \(header())")
    Fixture.play(&state, .refusal(target: "nas", .missing), .removed([ItemID(1)]))
    #expect(header().contains("nas: needs credentials"), "\(header())")
    // The message says how to correct that.
    #expect(
      state.message
        == "nas asks for credentials, and the target has none: nothing goes there until you fix that (5, then e) or retry (R)"
    )
  }

  @Test("If more requests are under way than there are lanes, it says that there are fewer soon")
  func fewerLanesSoon() {
    let size = Size(width: 130, height: 40)
    var state = Self.elsewhere(size)
    Fixture.play(&state, .queue(.settings(SenderSettings(lanes: ["tickets": .automatic]))))
    func header() -> String { render(state, size: size).text[0] }
    // While hoist tries fewer, there is no limit.
    #expect(
      header().contains("3 active") && header().contains("  soon 2 lanes (auto)"), "\(header())")
    Fixture.play(
      &state,
      .queue(.settings(SenderSettings(limit: 1_000_000, lanes: ["tickets": .automatic]))))
    #expect(header().contains("  soon 2 lanes (auto)"), "\(header())")
    var more = state
    #expect(Fixture.play(&more, .key("+")) == [.setConcurrency(4, target: "tickets")])
    var batched = state
    batched.options.targets = [TargetRow(name: "tickets", url: "", isBatched: true)]
    #expect(
      render(batched, size: size).text[0].contains("  2 lanes (auto)"), "where files share requests"
    )
    Fixture.play(&state, .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now))
    #expect(header().contains("2 active") && header().contains("  2 lanes (auto)"), "\(header())")
  }
}
