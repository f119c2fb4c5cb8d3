import Testing
import UploadModel

@testable import Screens

/// Failures grouped by reason, and what is done about all files with the same one.
@Suite struct FailureListTests {
  private static func refused(_ said: String) -> ItemState {
    .failed(Failure(.refused, status: 403, reply: Reply(text: said), attempts: 1))
  }

  /// Twelve files that are not ours, each after one of another reason.
  private static func queue(size: Size = Size(width: 80, height: 24)) -> AppState {
    var state = Fixture.empty(size: size)
    let states = (1...12).flatMap { _ in
      [ItemState.failed(Failure(.missing)), refused("not yours")]
    }
    Fixture.play(
      &state,
      .added(
        states.enumerated().map { Fixture.item(Int64($0 + 1), "\($0).bin", state: $1) }
          + [
            Fixture.item(30, "sent.bin", state: .done(Fixture.receipt)),
            Fixture.item(31, "late.bin", state: refused("too late")),
          ]))
    return state
  }

  private static func text(_ state: AppState) -> String {
    render(state, size: state.size).text.joined(separator: "\n")
  }

  private static let ours = (1...12).map { ItemID($0 * 2) }

  @Test(arguments: Fixture.sizes + [Size(width: 200, height: 60)])
  func eachReasonHasALine(_ size: Size) {
    var state = Self.queue(size: size)
    Fixture.type("E", &state)
    let text = Self.text(state)
    #expect(text.contains("25 problems, 3 reasons"), "\(text)")
    for line in ["12  403, not yours", "12  file is missing", " 1  403, too late"] {
      #expect(text.contains(line), "\(line) in \(text)")
    }
    // The rows stay where they are.
    Fixture.play(&state, .key(.escape))
    #expect(state.dialog == nil && state.order.prefix(3) == [ItemID(1), ItemID(2), ItemID(3)])
  }

  /// A doubtful file is asked about, as where it stands alone.
  @Test func doubtfulFilesHaveALine() {
    var state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "a", state: .done(Fixture.doubtful))]))
    Fixture.type("E", &state)
    #expect(Self.text(state).contains("1  doubtful: 200, quota exceeded"), "\(Self.text(state))")
    Fixture.type("r", &state)
    #expect(state.mode == .sendingAgain)
  }

  @Test func oneActionIsForAllFilesOfAReason() {
    var state = Self.queue()
    #expect(Fixture.play(&state, .key("E"), .key("r")) == [.retry(Self.ours)])
    #expect(state.message == "sending 12 files again" && state.dialog == nil)

    state = Self.queue()
    #expect(
      Fixture.play(&state, .key("E"), .key("w"))
        == [
          .writeLists([
            .init(
              target: "photos", paths: Self.ours.compactMap { state.item($0)?.location.bytes })
          ])
        ])
    #expect(Fixture.play(&state, .key("x")) == [.remove(Self.ours)])
    #expect(state.queue.count == 14)
    Fixture.type("z", &state)
    #expect(state.queue.count == 26)

    state = Self.queue()
    Fixture.play(&state, .key("E"), .key("j"), .key("j"), .key(.enter))
    #expect(state.marks == [ItemID(31)] && state.selected?.fileName == "late.bin")
  }

  /// The list of a reason is for a command, which sends to one target, and each file once.
  @Test func aListHasEachPathOnceAndEachTargetItsOwn() {
    var state = Fixture.empty()
    let files = [("a", ""), ("b", "album"), ("a", "photos"), ("c", ""), ("a", "album")]
    let items = files.enumerated().map { number, file in
      var item = Fixture.item(Int64(number + 1), file.0, state: Self.refused("not yours"))
      item.target = file.1
      return item
    }
    Fixture.play(&state, .added(items))
    func paths(_ names: String...) -> [[UInt8]] { names.map { Array("/home/me/\($0)".utf8) } }
    #expect(
      Fixture.play(&state, .key("E"), .key("w")) == [
        .writeLists([
          .init(target: "photos", paths: paths("a", "c")),
          .init(target: "album", paths: paths("b", "a")),
        ])
      ])
  }

  @Test func whatMayHaveArrivedIsSentAgainOnlyIfThePersonSaysSo() {
    var state = Fixture.empty()
    let unknown = ItemState.failed(Failure(.outcomeUnknown("closed"), attempts: 1))
    Fixture.play(
      &state, .added([Fixture.item(1, "a", state: unknown), Fixture.item(2, "b", state: unknown)]))
    #expect(Fixture.play(&state, .key("E"), .key("r")) == [])
    #expect(state.mode == .sendingAgain)
    #expect(Fixture.type("r", &state) == [.retry([ItemID(1), ItemID(2)])])
  }

  @Test func itFollowsTheQueueAndGoesWithTheLastFailure() {
    var state = Fixture.empty()
    #expect(Fixture.type("E", &state) == [.bell] && state.message == "nothing here has failed")
    let items = [Fixture.item(1, "a"), Fixture.item(2, "b")]
    Fixture.play(
      &state, .added(items),
      .engine(items.map { ($0.id, .failed(Failure(.missing))) }, at: state.now), .key("E"))
    #expect(Self.text(state).contains("2  file is missing"))
    Fixture.play(&state, .engine([(ItemID(1), .waiting)], at: state.now))
    #expect(Self.text(state).contains("1  file is missing") && state.mode == .failures)
    Fixture.play(&state, .engine([(ItemID(2), .waiting)], at: state.now))
    #expect(state.dialog == nil)
  }

  @Test(arguments: [Size(width: 80, height: 24), Size(width: 120, height: 40)])
  func theEndSaysTheReasons(_ size: Size) {
    var state = Self.queue(size: size)
    Fixture.play(
      &state, .added([Fixture.item(40, "last")]),
      .engine([(ItemID(40), .done(Fixture.receipt))], at: state.now))
    let text = Self.text(state)
    #expect(text.contains("12 × 403, not yours"), "\(text)")
    #expect(text.contains("E reasons"))
    Fixture.type("E", &state)
    #expect(state.mode == .failures)
  }

  @Test func withoutAScreenTheReasonsAreRead() {
    var state = Self.queue()
    Fixture.play(&state, .command("failures"))
    #expect(
      Announcer.dialog(of: state) == [
        "403, not yours: 12 files", "file is missing: 12 files", "403, too late: 1 file",
      ])
  }

  @Test func withoutAScreenTheServersWordsAreMadeSafe() {
    var state = Self.queue()
    Fixture.play(
      &state, .engine([(ItemID(1), Self.refused("gone\u{1B}]0;x\u{7}"))], at: state.now),
      .command("failures"))
    let lines = Announcer.dialog(of: state) ?? []
    #expect(lines.contains("403, gone␛]0;x␇: 1 file"), "\(lines)")
  }
}
