import Testing

@testable import Screens
@testable import UploadModel

/// What is said where an action has nothing, or not everything, to act on.
@Suite struct NothingThereTests {
  @Test(arguments: ["y", "Y", "r", "x", "p", "e", "T", "J", "O", "D", .enter] as [Key])
  func anEmptyQueueIsNamed(_ key: Key) {
    var state = Fixture.empty()
    #expect(Fixture.play(&state, .key(key)) == [.bell])
    #expect(state.message == "nothing is queued")
  }

  @Test(arguments: ["remove all", "pause 1", "retry 3", "edit *.jpg", "details a", "resume all"])
  func anEmptyQueueIsNamedByCommands(_ line: String) {
    var state = Fixture.empty()
    #expect(Fixture.play(&state, .command(line)) == [.bell])
    let command = line.prefix { $0 != " " }
    #expect(state.message == "\(command): nothing is queued")
  }

  /// A file that is called like a word for states is meant itself.
  @Test func aNameComesBeforeAWord() {
    var state = Fixture.mixed()
    Fixture.play(&state, .added([Fixture.item(20, "failed", state: .failed(Fixture.tooLarge))]))
    #expect(Fixture.play(&state, .command("retry failed")) == [.retry([ItemID(20)])])
  }

  @Test func aMenuOffersNothingForWhatIsSent() {
    var state = Fixture.mixed()
    let row = state.layout.rows.lowerBound + 2
    Fixture.play(&state, .mouse(Mouse(.menu, row: row, column: 20)))
    func shows(_ words: String) -> Bool {
      render(state, size: state.size).text.contains { $0.contains(words) }
    }
    #expect(shows("copy URL") && !shows("send first"))
    Fixture.play(&state, .key(.escape), .mouse(Mouse(.menu, row: row + 1, column: 20)))
    #expect(shows("send first"))
  }

  /// What is left out of what was marked is counted.
  @Test(arguments: [
    ([1, 2], [3, 4], "Edit 2 files, 2 more are sent already"),
    ([1], [2], "Edit file1, 1 more is sent already"), ([1, 2], [], "Edit 2 files "),
    ([1, 2], [9], "Edit 2 files, 1 more is being sent"),
    ([1], [8, 9], "Edit file1, 2 more are being sent"),
    ([1], [2, 9], "Edit file1, 2 more are sent already or being sent"),
  ])
  func theFormSaysWhatIsLeftOut(_ waiting: [Int64], _ others: [Int64], _ title: String) {
    var state = Fixture.empty()
    let (sent, active) = (others.filter { $0 < 8 }, others.filter { $0 >= 8 })
    Fixture.play(
      &state, .added(waiting.map { Fixture.item($0, "file\($0)") }),
      .added(sent.map { Fixture.item($0, "file\($0)", state: .done(Fixture.receipt)) }),
      .added(active.map { Fixture.item($0, "file\($0)") }),
      .engine(
        active.map { (ItemID($0), .sending(attempt: 1, sent: 1, total: 1000)) }, at: state.now),
      .key(.control("a")), .key("e"))
    #expect(render(state, size: state.size).text.contains { $0.contains(title) })
  }

  /// Files that can be paused are offered, wherever they are in a long queue, and the others are counted.
  @Test func onlyWhatCanBePausedIsOffered() {
    var state = Fixture.empty()
    let items = (1...2_000).map { number in
      Fixture.item(
        number, "file\(number)", state: number <= 600 ? .done(Fixture.receipt) : .waiting)
    }
    Fixture.play(&state, .added(items))
    Fixture.type(":pause ", &state)
    let text = render(state, size: state.size).text
    #expect(text.contains { $0.contains("file601 ") } && !text.contains { $0.contains("file600 ") })
    let shown = text.count { $0.contains("file6") }
    let others = HumanReadable.grouped(1_400 - shown)
    #expect(text.contains { $0.contains("\(others) more · ↓ chooses") }, "\(text)")
  }
}
