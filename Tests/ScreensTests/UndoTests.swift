import Testing
import UploadModel

@testable import Screens

/// Edits of the queue, taken back and done again.
@Suite struct UndoTests {
  private static func ids(_ numbers: Int64...) -> [ItemID] { numbers.map(ItemID.init) }

  private static func order(_ state: AppState) -> [Int64] {
    state.queue.rows.map(\.item.id.rawValue)
  }

  /// Keys on a row of the queue of all states, and the order that is there afterwards.
  static let edits: [(row: Int, keys: [Key], order: [Int64])] = [
    (3, ["x"], [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12]),
    (11, ["x"], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    (0, ["x", "y"], [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    (2, [" ", " ", "j", " ", "x", "y"], [1, 2, 5, 7, 8, 9, 10, 11, 12]),
    (0, [.control("a"), "x", "y"], []),
    (0, ["c"], [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    (0, ["J"], [2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    (11, ["T"], [12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    (2, [" ", "j", " ", "J"], [1, 2, 4, 6, 3, 5, 7, 8, 9, 10, 11, 12]),
    (0, [" ", "G", " ", "K"], [1, 12, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    (6, ["K", "K", "x", "z"], [1, 2, 3, 4, 7, 5, 6, 8, 9, 10, 11, 12]),
  ]

  @Test(arguments: edits.indices) func undoneAndRedone(_ index: Int) {
    let (row, keys, order) = Self.edits[index]
    var state = Fixture.mixed()
    let before = Self.order(state)
    let totals = state.queue.totals
    state.moveCursor(to: row)
    for key in keys { Fixture.play(&state, .key(key)) }
    #expect(Self.order(state) == order)

    var undone = 0
    while Self.order(state) != before, undone < 9 {
      Fixture.play(&state, .key("z"))
      undone += 1
    }
    #expect(Self.order(state) == before)
    #expect(state.queue.totals.all == totals.all)
    for _ in 0..<undone { Fixture.play(&state, .key("Z")) }
    #expect(Self.order(state) == order)
  }

  /// After an edit, the advice about the failure no longer applies; it does again once the edit is undone.
  @Test func whatWasFailedForIsSaidOfThatAlone() {
    var state = Fixture.mixed()
    func said() -> String { render(state, size: state.size).text.joined(separator: "\n") }
    let edited = "before it was edited"
    Fixture.type("jjje", &state)
    #expect(!said().contains(edited))
    Fixture.type("2", &state)
    Fixture.play(&state, .key(.enter))
    #expect(said().contains(edited))
    Fixture.type("z", &state)
    #expect(state.selected?.fileName == "disk.img" && !said().contains(edited), "\(said())")
    Fixture.type("Z", &state)
    #expect(said().contains(edited))
    // By another window.
    guard var item = state.item(ItemID(4)) else { return }
    item.fileName = "disk.img"
    Fixture.play(&state, .added([item]))
    item.fileName = "other.img"
    Fixture.play(&state, .added([item]))
    #expect(said().contains(edited))
    // And it fails once more.
    let again = ItemState.failed(Failure(.refused, status: 403, attempts: 2))
    Fixture.play(&state, .engine([(ItemID(4), .waiting), (ItemID(4), again)], at: state.now))
    #expect(!said().contains(edited))
  }

  @Test func whatAwaitsItsReplyCannotBePaused() {
    var state = Fixture.mixed()
    Fixture.type("Ge", &state)
    Fixture.type("2", &state)
    Fixture.play(&state, .key(.enter))
    let last = state.queue.rows[state.queue.count - 1].item
    let awaiting = ItemState.awaitingReply(attempt: 1, since: state.now)
    Fixture.play(&state, .engine([(last.id, awaiting)], at: state.now))
    #expect(Fixture.type("z", &state) == [.bell])
    #expect(
      state.message
        == "not undone: \(last.fileName) awaits its reply, and cannot be changed until then")
    Fixture.play(
      &state, .engine([(last.id, .sending(attempt: 1, sent: 0, total: 1))], at: state.now))
    Fixture.type("z", &state)
    #expect(state.message?.hasSuffix("is being sent; p pauses it, then undo") == true)
  }

  @Test func saysAllThatIsNeededToDoTheSame() {
    var state = Fixture.mixed()
    Fixture.type("jjj  x", &state)
    let effects = Fixture.type("z", &state)
    guard case .restore(let places)? = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(places.map(\.item.id) == Self.ids(4, 5))
    #expect(places.map(\.before) == [ItemID(6), ItemID(6)])
    // What was to be tried again waits; what had failed has still failed.
    #expect(places.map(\.item.state) == [.failed(Fixture.tooLarge), .waiting])
    #expect(state.message == "undone: removal of 2 files")
    #expect(Fixture.type("Z", &state) == [.remove(Self.ids(4, 5))])
    #expect(state.message == "redone: removal of 2 files")
  }

  @Test func whatWasBeingSentStartsAgain() {
    var state = Fixture.mixed()
    Fixture.type("xyz", &state)
    #expect(state.queue.row(ItemID(1))?.item.state == .waiting)
    #expect(state.selected?.id == ItemID(1), "the cursor is on what came back")
  }

  @Test func redoingDoesNotBreakOffWhatIsBeingSent() {
    var state = Fixture.mixed()
    Fixture.type("xyz", &state)
    Fixture.play(
      &state, .engine([(ItemID(1), .sending(attempt: 1, sent: 1, total: 2))], at: state.now))
    #expect(Fixture.type("Z", &state) == [.bell])
    #expect(state.message?.contains("being sent") == true)
    #expect(state.queue.row(ItemID(1)) != nil)
    // It can be redone when it is over.
    Fixture.play(&state, .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now))
    #expect(Fixture.type("Z", &state) == [.remove(Self.ids(1))])
  }

  @Test func aNewEditEndsWhatCouldBeRedone() {
    var state = Fixture.mixed()
    Fixture.type("GxzgJ", &state)
    #expect(Fixture.type("Z", &state) == [.bell])
    #expect(state.message == "nothing to redo")
  }

  @Test func thereIsNothingToUndoAtFirst() {
    var state = Fixture.mixed()
    #expect(Fixture.type("z", &state) == [.bell])
    #expect(state.message == "nothing to undo")
  }

  /// An edit of a file that is then sent at once.
  @Test func whatIsSentAsItWasEditedIsNotUndone() {
    var state = Fixture.empty()
    Fixture.play(
      &state, .added([Fixture.item(1, "a.txt")]), .key("e"), .key(.control("u")), .paste("b.txt"),
      .key(.enter), .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now))
    #expect(state.item(ItemID(1))?.fileName == "b.txt")
    #expect(Fixture.type("z", &state) == [.bell])
    #expect(state.message == "not undone: b.txt is being sent; p pauses it, then undo")
    // Which is so.
    Fixture.play(&state, .engine([(ItemID(1), .paused)], at: state.now), .key("z"))
    #expect(state.item(ItemID(1))?.fileName == "a.txt" && state.message == "undone: edit of 1 file")
    Fixture.play(&state, .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now))
    #expect(Fixture.type("Z", &state) == [.bell])
    #expect(state.message == "not redone: a.txt is being sent; p pauses it, then undo")
    Fixture.play(
      &state, .engine([(ItemID(1), .paused)], at: state.now), .key("Z"),
      .engine([(ItemID(1), .done(Fixture.receipt))], at: state.now))
    #expect(Fixture.type("z", &state) == [.bell])
    #expect(state.message == "not undone: b.txt has been sent; a adds it again")
    #expect(Fixture.type("z", &state) == [.bell] && state.message == "nothing to undo")
  }

  @Test func whatOthersDidMeanwhileStays() {
    var state = Fixture.mixed()
    Fixture.type("jjjx", &state)
    // The neighbour is taken out elsewhere, the item is put back elsewhere.
    Fixture.play(&state, .removed(Self.ids(5)))
    Fixture.type("z", &state)
    #expect(Self.order(state).last == 4, "without its neighbour it stands at the end")
    Fixture.type("x", &state)
    Fixture.play(&state, .removed(Self.ids(1, 2, 3, 6, 7, 8, 9, 10, 11, 12)))
    Fixture.play(&state, .added([Fixture.item(4, "disk.img")]))
    #expect(Fixture.type("z", &state) == [.bell])
    #expect(state.message == "those files are back in the queue already")
    Fixture.play(&state, .key("e"), .key(.control("u")), .paste("b.txt"), .key(.enter))
    Fixture.play(&state, .removed(Self.ids(4)))
    #expect(Fixture.type("z", &state) == [.bell])
    #expect(state.message == "those files are no longer in the queue")
  }

  @Test func otherProcessesMoveTheRowsAndNotTheCursor() {
    var state = Fixture.mixed()
    Fixture.type("jjj", &state)
    Fixture.play(&state, .reordered(Self.ids(12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)))
    #expect(state.selected?.id == ItemID(4))
    #expect(state.list.cursor == 8)
    Fixture.play(&state, .reordered(Self.ids(1, 12)))
    #expect(Self.order(state).first == 1)
    #expect(Self.order(state)[1...10] == [11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
    Fixture.play(&state, .removed(Self.ids(12, 3, 99)))
    #expect(state.selected?.id == ItemID(4))
    #expect(state.queue.count == 10)
  }

  @Test func marksOfWhatIsInterruptedAndOfWhatWasSentBefore() {
    var state = Fixture.empty()
    var item = Fixture.item(1, "a.bin")
    item.wasInterrupted = true
    var again = Fixture.item(2, "b.bin")
    again.note = "sent before"
    Fixture.play(&state, .added([item, again]))
    #expect(render(state, size: state.size).text[3].contains("interrupted"))
    #expect(render(state, size: Size(width: 120, height: 40)).text[4].contains("sent before"))
    Fixture.play(&state, .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now))
    Fixture.play(&state, .engine([(ItemID(1), .waiting)], at: state.now))
    #expect(!render(state, size: state.size).text[3].contains("interrupted"))
  }

  @Test func aLongQueueIsUndoneAtOnce() {
    var state = Fixture.empty()
    let done = ItemState.done(Fixture.receipt)
    Fixture.play(
      &state,
      .added((0..<20_000).map { Fixture.item($0, "\($0)", state: $0 % 2 == 0 ? done : .waiting) }))
    Fixture.type("c", &state)
    #expect(state.queue.count == 10_000)
    Fixture.type("z", &state)
    #expect(Self.order(state) == Array(0..<20_000))
  }
}
