import Testing
import UploadModel

@testable import Screens

/// A person says that a file whose outcome is unclear has arrived.
@Suite struct ArrivalTests {
  private static let unknown = ItemState.failed(
    Failure(.outcomeUnknown("the connection was closed"), attempts: 1))

  private static func queue() -> AppState {
    var state = Fixture.empty()
    Fixture.play(
      &state,
      .added([
        Fixture.item(1, "a.bin", state: unknown),
        Fixture.item(2, "b.bin", state: .failed(Fixture.tooLarge)),
        Fixture.item(3, "c.bin", state: unknown),
      ]))
    return state
  }

  private static func text(_ state: AppState) -> String {
    render(state, size: state.size).text.joined(separator: "\n")
  }

  @Test func theQuestionBeforeSendingAgainTakesThatAnswer() {
    var state = Self.queue()
    #expect(Fixture.play(&state, .key("r")) == [] && state.mode == .sendingAgain)
    #expect(Self.text(state).contains("it has arrived"))
    #expect(Fixture.play(&state, .key("a")) == [.confirm([ItemID(1)])])
    #expect(state.dialog == nil && state.message == "1 file confirmed by hand · z undoes")
    // Afterwards, it is called the same.
    var confirmed = state
    let byHand = Receipt(confirming: Failure(.outcomeUnknown("closed"), attempts: 1))
    Fixture.play(
      &confirmed,
      .engine(confirmed.queue.order.map { ($0, .done(byHand)) }, at: confirmed.now + 1))
    #expect(confirmed.log.latest.last?.end?.word == "confirmed by hand")
    #expect(confirmed.log.lines.last?.text.contains("arrived, confirmed by hand") == true)
    let receipt = Receipt(confirming: Failure(.outcomeUnknown("closed"), attempts: 1))
    Fixture.play(&state, .engine([(ItemID(1), .done(receipt))], at: state.now + 1), .key("j"))
    let line = Self.text(state).split(separator: "\n").first { $0.contains("a.bin") } ?? ""
    #expect(line.contains("✓ a.bin") && line.contains("arrived, confirmed by hand"), "\(line)")
    #expect(state.queue.totals.unknown == 1 && state.queue.totals.there == 0)
    #expect(state.queue.row(ItemID(1))?.attempts.isEmpty == true, "nothing was sent")
    #expect(state.speeds.whole.values(10, at: state.now).allSatisfy { $0 == 0 }, "so nothing moved")
  }

  /// Of several, those that are known not to have arrived are left as they are.
  @Test func onlyWhatIsUnclearCanHaveArrived() {
    var state = Self.queue()
    Fixture.play(&state, .key(.control("a")), .key("r"))
    #expect(Fixture.play(&state, .key("a")) == [.confirm([ItemID(1), ItemID(3)])])
    state = Self.queue()
    #expect(Fixture.play(&state, .command("arrived 3")) == [.confirm([ItemID(3)])])
    #expect(Fixture.play(&state, .command("arrived 2")) == [.bell])
    #expect(state.message == "only files that may have arrived can be confirmed")
  }

  /// The undo is of what was done last, and not of an older edit.
  @Test func thatItHasArrivedCanBeTakenBack() throws {
    var state = Self.queue()
    Fixture.type("GKg", &state)
    let moved = state.order
    let unclear = try #require(state.item(ItemID(1)))
    Fixture.play(&state, .key("r"), .key("a"))
    let receipt = Receipt(confirming: Failure(.outcomeUnknown("closed"), attempts: 1))
    Fixture.play(&state, .engine([(ItemID(1), .done(receipt))], at: state.now + 1))
    // The file is cleared, and comes back.
    #expect(Fixture.type("c", &state) == [.remove([ItemID(1)])])
    Fixture.type("z", &state)
    #expect(state.order == moved && state.message == "undone: removal of 1 file")
    #expect(Fixture.type("z", &state) == [.unconfirm([unclear])])
    #expect(state.order == moved && state.message == "undone: noting 1 file as arrived")
    Fixture.play(&state, .engine([(ItemID(1), Self.unknown)], at: state.now + 1))
    #expect(state.queue.totals.unknown == 2 && state.queue.row(ItemID(1))?.attempts.isEmpty == true)
    #expect(Fixture.type("Z", &state) == [.confirm([ItemID(1)])])
    Fixture.play(&state, .engine([(ItemID(1), .done(receipt))], at: state.now + 1))
    Fixture.type("zz", &state)
    #expect(state.order == [1, 2, 3].map(ItemID.init))
  }

  /// The button that Enter presses is the one that changes nothing.
  @Test func enterLeavesItAsItIs() {
    var state = Self.queue()
    Fixture.play(&state, .key("r"))
    #expect(Fixture.play(&state, .key(.enter)) == [] && state.dialog == nil)
  }
}
