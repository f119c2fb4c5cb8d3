import ScalarText
import Scheduling
import Testing
import UploadModel

@testable import Screens

/// A message is whole, stays until it can have been read, and hides no keys.
@Suite struct MessageTests {
  private static let long =
    "photos: the environment variable PHOTOS_TOKEN is not set: its files wait until you fix that and retry (r or R)"

  private static func lines(_ state: AppState) -> [String] { render(state, size: state.size).text }

  @Test(arguments: [Size(width: 40, height: 12)] + Fixture.sizes.dropFirst())
  func itIsWholeAndAboveTheKeys(_ size: Size) {
    var state = Fixture.mixed(size: size)
    Fixture.play(&state, .message(Self.long))
    let lines = Self.lines(state)
    let count = state.messageLines(in: size.width).count
    let text = lines[(size.height - 2 - count)..<(size.height - 2)]
      .map { $0.trimming { $0 == " " } }.joined(separator: " ")
    #expect(text == Self.long || size.width == 40 && text.hasSuffix("…"), "\(text)")
    #expect(lines[size.height - 1].contains("q quit"))
  }

  @Test func itStaysFourSecondsAndWhileOneLooksAround() {
    var state = Fixture.empty()
    Fixture.play(&state, .added([Fixture.item(1, "a"), Fixture.item(2, "b")]), .message("copied"))
    #expect(state.needsTicks)
    // Much time may have passed since the clock was last looked at.
    let start = state.now + 3600
    for step in 0...15 {
      Fixture.play(&state, .tick(start + Double(step) / 4), .key("j"), .key("k"))
      #expect(state.message == "copied", "after \(step)/4 s")
    }
    Fixture.play(&state, .tick(start + 4))
    #expect(state.message == nil && !state.needsTicks)
    // A second message has its own time, and another action ends it.
    Fixture.play(&state, .message("one"), .tick(start + 5), .message("two"), .tick(start + 8.5))
    #expect(state.message == "two")
    Fixture.play(&state, .tick(start + 10), .key(" "))
    #expect(state.message == nil)
  }

  /// A dialog's keys stay where they are, and the message is whole.
  @Test(arguments: [Size(width: 80, height: 24)] + Fixture.sizes.suffix(1))
  func overADialogItHidesNoKeys(_ size: Size) {
    for keys: [Key] in [["b"], ["?"], [.enter], ["a"], [":"], ["/"], ["o"]] {
      var state = Fixture.mixed(size: size)
      for key in keys { Fixture.play(&state, .key(key)) }
      let before = Self.lines(state)
      Fixture.play(&state, .message(Self.long))
      let lines = Self.lines(state)
      let count = state.messageLines(in: size.width).count
      let text = lines[(size.height - 1 - count)..<(size.height - 1)]
        .map { $0.trimming { $0 == " " } }.joined(separator: " ")
      #expect(text == Self.long, "\(keys): \(text)")
      #expect(lines[size.height - 1] == before[size.height - 1])
    }
  }

  /// News of the same moment does not hide what became of that which the person asked for.
  @Test func newsWaitsUntilAnAnswerHasHadItsTime() {
    var state = Fixture.empty()
    let words = "nope.txt: no such file"
    Fixture.play(&state, .message(words), .refusal(target: "photos", .refused))
    let start = state.now
    for second in 0...3 {
      Fixture.play(&state, .tick(start + Double(second)))
      #expect(state.message == words, "after \(second) s")
    }
    Fixture.play(&state, .tick(start + 4))
    #expect(state.message?.contains("until you fix that") == true)
    // News does not wait for news, and not for what is no longer shown.
    Fixture.play(&state, .refusal(target: "other", .refused))
    #expect(state.message?.hasPrefix("other") == true)
    Fixture.play(&state, .message(words), .refusal(target: "third", .refused), .key(" "))
    Fixture.play(&state, .tick(start + 5))
    #expect(state.message?.hasPrefix("third") == true)
    // What is no longer so is not said.
    Fixture.play(
      &state, .message(words), .refusal(target: "fourth", .refused),
      .refusal(target: "fourth", nil), .tick(start + 6), .tick(start + 20))
    #expect(state.message == nil)
  }

  /// What is no longer so is no longer said.
  @Test func nothingIsQueuedGoesWithTheFirstFile() {
    var state = Fixture.empty()
    Fixture.play(&state, .key("p"))
    #expect(state.message == "nothing is queued")
    Fixture.play(&state, .added([Fixture.item(1, "a")]))
    #expect(state.message == nil)
  }

  @Test func howFarSomethingHasComeIsNotLogged() {
    var state = Fixture.empty()
    Fixture.play(&state, .progress("2,000 files so far…"))
    #expect(state.message == "2,000 files so far…" && state.log.lines.isEmpty)
  }

  @Test func itGoesWhenItIsNoLongerSo() {
    var state = Fixture.empty()
    let trouble = CredentialTrouble.refused
    Fixture.play(&state, .refusal(target: "photos", trouble))
    #expect(state.message?.contains("until you fix that") == true)
    Fixture.play(&state, .refusal(target: "photos", nil))
    #expect(state.message == nil)
  }

  /// Whether it is shown, or waits for an answer to have had its time.
  @Test(arguments: [nil, "copied"])
  func whatWasLeftToFinishIsNotSaidOnceItHasFinished(_ answer: String?) {
    var state = Fixture.empty()
    let (one, two) = (Fixture.item(1, "a"), Fixture.item(2, "b"))
    let awaiting = ItemState.awaitingReply(attempt: 1, since: state.now)
    Fixture.play(
      &state, .added([one, two]), .engine([(one.id, awaiting), (two.id, awaiting)], at: state.now))
    if let answer { Fixture.play(&state, .message(answer)) }
    Fixture.play(&state, .queue(.spared([one, two])))
    let words = "2 files are left to finish: the server may have them"
    #expect(state.message == answer ?? words)
    Fixture.play(&state, .engine([(one.id, .done(Fixture.receipt))], at: state.now))
    #expect(state.message == answer ?? words)
    Fixture.play(&state, .engine([(two.id, .done(Fixture.receipt))], at: state.now))
    #expect(state.message == answer)
    Fixture.play(&state, .key(" "), .tick(state.now + 1), .tick(state.now + 9))
    #expect(state.message == nil)
  }

  @Test func enterShowsAllOfALineOfTheLog() {
    var state = Fixture.empty()
    Fixture.play(&state, .message(Self.long), .key("4"), .key(.enter))
    #expect(state.mode == .page)
    let text = Self.lines(state).map { $0.trimming { " │".unicodeScalars.contains($0) } }
      .joined(separator: " ")
    #expect(text.contains(Self.long), "\(text)")
    Fixture.play(&state, .key(.escape))
    #expect(state.dialog == nil && state.pane == .log)
  }

  @Test(arguments: [Size(width: 80, height: 24), Size(width: 60, height: 24)])
  func theBoxAtTheEndCutsNoCount(_ size: Size) {
    var state = Fixture.empty(size: size)
    let items = (1...40).map { Fixture.item($0, "\($0)") }
    Fixture.play(&state, .added(items))
    let ends: [ItemState] = [
      .done(Fixture.receipt), .done(Fixture.doubtful), .failed(Fixture.tooLarge),
      .failed(Failure(.outcomeUnknown("closed"), attempts: 1)),
    ]
    Fixture.play(
      &state, .engine(items.enumerated().map { ($1.id, ends[$0 % 4]) }, at: state.now))
    let text = Self.lines(state).joined(separator: "\n")
    #expect(text.contains("✓ 10 sent") && text.contains("✗ 10 failed"), "\(text)")
    #expect(
      text.contains("? 10 may have arrived ") || text.contains("? 10 unknown "), "\(text)")
  }
}
