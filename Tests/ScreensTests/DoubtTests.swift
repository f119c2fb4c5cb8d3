import Testing
import UploadModel

@testable import Screens

@Suite("A doubtful file on the screen")
struct DoubtTests {
  static let draft = RuleDraft(
    item: ItemID(1), target: "photos", url: nil, text: #"[ { pointer = "/ok", is = false } ]"#)

  /// One file that is doubtful, under the cursor, and one that is not.
  static func state(ascii: Bool = false, size: Size = Size(width: 80, height: 24)) -> AppState {
    var state = Fixture.empty(ascii: ascii, size: size)
    state.options.configuration = "~/.config/hoist/config.toml"
    Fixture.play(
      &state,
      .added([
        Fixture.item(1, "a.txt", size: 1_100), Fixture.item(2, "b.txt", size: 1_100),
      ]),
      .engine(
        [(ItemID(1), .done(Fixture.doubtful)), (ItemID(2), .done(Fixture.receipt))],
        at: state.now))
    return state
  }

  @Test("its row says so in place of its address, and the summary counts it")
  func row() {
    let state = Self.state()
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("! a.txt") && text.contains("200, but the reply says: quota"))
    #expect(text.contains("✓ 1 sent    ! 1 doubtful"))
    #expect(state.queue.totals.done == 2 && state.queue.totals.doubtful == 1)
    #expect(state.queue.totals.endWords == "1 file sent, 1 doubtful")
    #expect(Announcer.status(of: state).hasPrefix("1 done, 1 doubtful; "))
  }

  @Test("a filter and the key for problems find it, and it does not count as sent")
  func kinds() {
    #expect(ItemState.done(Fixture.doubtful).is(.doubtful))
    #expect(!ItemState.done(Fixture.doubtful).is(.sent))
    #expect(!ItemState.done(Fixture.receipt).is(.doubtful))
    var state = Self.state()
    Fixture.play(&state, .key("G"), .key("!"))
    #expect(state.selected?.id == ItemID(1))
  }

  @Test("the key asks for the rule, shows it, and saves it only after a yes")
  func key() {
    var state = Self.state()
    #expect(Fixture.play(&state, .key("w")) == [.draftRule(ItemID(1))])
    Fixture.play(&state, .ruleDrafted(Self.draft))
    #expect(state.mode == .savingRule)
    let question = Announcer.question(of: state).joined()
    #expect(question.contains(#"photos in ~/.config/hoist/config.toml gets the rule"#))
    #expect(question.contains(#"fail_when = [ { pointer = "/ok", is = false } ]"#))
    var other = state
    #expect(Fixture.play(&other, .key(.escape)) == [] && other.mode == .queue)
    #expect(Fixture.play(&state, .key("y")) == [.saveRule(Self.draft)])
  }

  @Test("a reply that broke off is doubtful, and no rule can be made of it")
  func brokenOff() {
    var state = Self.state()
    var receipt = Fixture.doubtful
    receipt.doubt = "the reply broke off after 4 of 100 bytes"
    Fixture.play(&state, .added([Fixture.item(1, "a.txt", state: .done(receipt))]), .key("g"))
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("200, but the reply broke off after"), "\(text)")
    #expect(!text.contains("reply says") && !text.contains("w fail"), "\(text)")
    #expect(Fixture.play(&state, .key("w")) == [.bell])
    #expect(state.message == "a rule needs the whole reply, which broke off")
  }

  @Test("the totals count it, and clearing leaves it for a person to look at")
  func kept() {
    var state = Self.state()
    Fixture.play(&state, .key("j"))
    let totals = render(state, size: state.size).text.first { $0.contains(" ok") } ?? ""
    #expect(totals.contains("1 ok  1 doubtful"), "\(totals)")
    #expect(Fixture.play(&state, .key("c")) == [.remove([ItemID(2)], begun: [])])
    #expect(Fixture.play(&state, .key("c")) == [.bell])
    #expect(
      state.message == "only doubtful files are done, and they stay; :remove doubtful removes them")
    #expect(state.items.map(\.id) == [ItemID(1)])
  }

  @Test("its details say what to do, and the key queues it once more after a question")
  func advice() {
    var state = Self.state(size: Size(width: 100, height: 30))
    Fixture.play(&state, .key("g"), .key(.enter))
    var text = render(state, size: state.size).text.joined(separator: "\n")
    let advice = "Look on the server; r sends it again. w makes such replies failures."
    #expect(text.contains(advice), "\(text)")
    #expect(Fixture.play(&state, .key("r")) == [] && state.mode == .sendingAgain)
    text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("a.txt may have arrived") && !text.contains("it has arrived"), "\(text)")
    let record = state.item(ItemID(1))?.record
    #expect(Fixture.play(&state, .key("r")) == [record].compactMap(\.self).map { .sendAgain([$0]) })
    #expect(state.message == "1 doubtful file queued once more")
  }

  @Test("the history asks as the queue does before it sends it again")
  func inTheHistory() {
    var state = Self.state()
    var row = HistoryRow(
      id: "1", name: "a.txt", target: "nas", size: 1, time: "2026-11-20 22:15", end: .doubtful,
      outcome: "200, but the reply broke off", path: "/a.txt")
    row.record = Fixture.record(row)
    Fixture.play(&state, .key("3"), .history(.rows([row])))
    #expect(Fixture.play(&state, .key("r")) == [] && state.mode == .sendingAgain)
    let text = render(state, size: state.size).text.joined(separator: "\n")
    #expect(text.contains("a.txt may have arrived"), "\(text)")
    #expect(Fixture.play(&state, .key("y")) == [.sendAgain([Fixture.record(row)])])
  }

  @Test("it is asked about as well if it is marked together with a file whose name is taken")
  func besideATakenName() {
    var state = Self.state()
    Fixture.play(
      &state, .added([Fixture.item(9, "x")]),
      .engine([(ItemID(9), NameQuestionTests.taken("x"))], at: state.now),
      .key(.escape), .key("g"), .key(.control("a")))
    #expect(Fixture.play(&state, .key("r")) == [] && state.mode == .sendingAgain)
  }

  @Test("a rule is offered only where one can be made")
  func offers() {
    var state = Self.state()
    Fixture.play(&state, .key("g"), .key("?"))
    #expect(
      render(state, size: state.size).text.contains { $0.contains("treat replies like this") })
    Fixture.play(&state, .key(.escape), .key("G"), .key("?"))
    #expect(
      !render(state, size: state.size).text.contains { $0.contains("treat replies like this") })
  }

  @Test("without a doubtful file, or without a configuration, nothing is asked")
  func refusals() {
    var state = Self.state()
    #expect(Fixture.play(&state, .key("G"), .key("w")) == [.bell])
    #expect(state.message == "no reply here is doubtful")
    Fixture.play(&state, .key("g"))
    state.options.configuration = nil
    #expect(Fixture.play(&state, .key("w")) == [.bell])
    // A file that is sent again while the rule is being made is no longer in doubt.
    state = Self.state()
    Fixture.play(
      &state, .engine([(ItemID(1), .waiting)], at: state.now), .ruleDrafted(Self.draft))
    #expect(state.mode == .queue)
  }
}
