import Foundation
import MultipartForm
import Testing
import UploadModel

@testable import Screens

@Suite("The question about a name that is taken")
struct NameQuestionTests {
  /// A file whose name is taken, and that is to be asked about.
  static func taken(_ name: String, asks: Bool = true) -> ItemState {
    var taken = TakenName(name, size: 1_200_000, time: "2026-11-29 14:00")
    taken.asks = asks ? true : nil
    return .failed(Failure(.taken(taken), attempts: 1))
  }

  /// Three files, of which the first is under way.
  private static func state(size: Size = Size(width: 80, height: 24)) -> AppState {
    var state = Fixture.empty(size: size)
    var items = ["a.txt", "b.txt", "c.txt"].enumerated().map {
      Fixture.item(Int64($0 + 1), $1, size: 1_300_000)
    }
    for index in items.indices {
      items[index].identity = FileIdentity(
        device: 1, inode: UInt64(index), size: 1_300_000, modified: 1_764_000_000_000_000_000)
    }
    Fixture.play(
      &state, .added(items), .engine([(ItemID(1), .preparing(attempt: 1))], at: state.now))
    return state
  }

  private static func text(_ state: AppState) -> String {
    render(state, size: state.size).text.joined(separator: "\n")
  }

  @Test(
    "it is asked by itself, and shows both sizes and times",
    arguments: [(80, 24), (120, 40), (40, 12)])
  func shown(width: Int, height: Int) {
    var state = Self.state(size: Size(width: width, height: height))
    Fixture.play(&state, .engine([(ItemID(1), Self.taken("a.txt"))], at: state.now))
    #expect(state.mode == .nameTaken)
    let text = Self.text(state)
    for part in ["The name is taken", "replace it", "skip this one", "keep both", "decide later"] {
      #expect(text.contains(part), "\(text)")
    }
    guard height >= 24 else { return }
    let words = text.split(whereSeparator: { " \n│".contains($0) }).joined(separator: " ")
    let own = TakenName.words(.init(timeIntervalSince1970: 1_764_000_000))
    #expect(words.contains("The server has a.txt: 1.2 MB, 2026-11-29 14:00."), "\(text)")
    #expect(words.contains("This one: 1.3 MB, \(own)."), "\(text)")
  }

  @Test(
    "an answer is for its file",
    arguments: [("r", IfThere.replace), ("s", .skip), ("b", .rename)])
  func one(_ key: String, _ rule: IfThere) {
    var state = Self.state()
    Fixture.play(
      &state,
      .engine([(ItemID(1), Self.taken("a.txt")), (ItemID(2), Self.taken("b.txt"))], at: state.now))
    let effects = Fixture.type(key, &state)
    var edited = Self.state().item(ItemID(1))
    edited?.record.ifThere = rule
    guard case .edit(let items)? = effects.first, effects.count == 2 else {
      Issue.record("\(effects)")
      return
    }
    #expect(items.map(\.id) == [ItemID(1)] && items.first?.record.ifThere == rule)
    #expect(effects.last == .retry([ItemID(1)]))
    // The next file is asked about.
    #expect(state.mode == .nameTaken && Self.text(state).contains("b.txt: 1.2 MB"))
    Fixture.play(&state, .key(.escape))
    // Those that come later are asked about, too.
    Fixture.play(&state, .engine([(ItemID(3), Self.taken("c.txt"))], at: state.now))
    #expect(state.mode == .nameTaken)
  }

  @Test(
    "or for all of the run, also for those that come to it later",
    arguments: [("R", IfThere.replace), ("S", .skip), ("B", .rename)])
  func all(_ key: String, _ rule: IfThere) {
    var state = Self.state()
    Fixture.play(
      &state,
      .engine([(ItemID(1), Self.taken("a.txt")), (ItemID(2), Self.taken("b.txt"))], at: state.now))
    let effects = Fixture.type(key, &state)
    #expect(effects.last == .retry([ItemID(1), ItemID(2)]) && state.mode == .queue)
    let later = Fixture.play(
      &state,
      .engine(
        [(ItemID(3), .preparing(attempt: 1)), (ItemID(3), Self.taken("c.txt"))], at: state.now))
    #expect(later.last == .retry([ItemID(3)]) && state.mode == .queue)
    #expect((1...3).allSatisfy { state.item(ItemID($0))?.record.ifThere == rule })
    // The answer holds until nothing is left: once everything is over, the next file is asked about.
    Fixture.play(
      &state,
      .engine((1...3).map { (ItemID($0), .done(Receipt(status: 201))) }, at: state.now),
      .added([Fixture.item(4, "d.txt", size: 1)]),
      .engine(
        [(ItemID(4), .preparing(attempt: 1)), (ItemID(4), Self.taken("d.txt"))], at: state.now))
    #expect(state.mode == .nameTaken)
  }

  @Test("Esc leaves everything as it is, and the key for retrying asks again")
  func undone() {
    var state = Self.state()
    Fixture.play(
      &state,
      .engine([(ItemID(1), Self.taken("a.txt")), (ItemID(2), Self.taken("b.txt"))], at: state.now))
    #expect(Fixture.play(&state, .key(.escape)) == [] && state.mode == .queue)
    #expect(Self.text(state).contains("name is taken"))
    #expect(state.item(ItemID(1))?.record.ifThere == nil)
    #expect(Fixture.type("r", &state) == [] && state.mode == .nameTaken)
    Fixture.play(&state, .key(.escape))
    #expect(Fixture.type("R", &state) == [] && state.mode == .nameTaken)
  }

  @Test("nothing is asked under another dialog, until it is closed, nor about files that only fail")
  func later() {
    var state = Self.state()
    Fixture.type("a", &state)
    Fixture.play(&state, .engine([(ItemID(1), Self.taken("a.txt"))], at: state.now))
    #expect(state.mode == .prompt)
    Fixture.play(&state, .key(.escape))
    #expect(state.mode == .nameTaken)
    Fixture.play(&state, .engine([(ItemID(1), .waiting)], at: state.now))
    #expect(state.mode == .queue)
    Fixture.play(&state, .engine([(ItemID(2), Self.taken("b.txt", asks: false))], at: state.now))
    #expect(state.mode == .queue)
    Fixture.type("jr", &state)
    #expect(state.mode == .nameTaken)
  }

  @Test func aSkippedFileSaysSo() {
    var state = Self.state()
    var receipt = Receipt(status: 412)
    receipt.wasThere = true
    receipt.fate = NameFate()
    receipt.fate?.skipped = TakenName("a.txt")
    Fixture.play(&state, .engine([(ItemID(1), .done(receipt))], at: state.now))
    #expect(Self.text(state).contains("skipped, the name is taken"))
    let totals = state.queue.totals
    #expect(totals.endWords == "0 files sent, 1 skipped")
    #expect(totals.arrivedBytes == 0 && totals.skippedBytes == 1_300_000)
    Fixture.play(&state, .removed([ItemID(2), ItemID(3)]))
    state.message = nil
    let line = render(state, size: state.size).text[22]
    #expect(line.contains("0 B of 1.3 MB arrived") && line.contains("1 skipped"), "\(line)")
    #expect(!line.contains(" ok"), "\(line)")
  }

  /// Only the server's reply tells whether what was there has been replaced.
  @Test func whatWasKeptIsSaid() {
    var state = Self.state()
    Fixture.play(&state, .engine([(ItemID(1), Self.taken("a.txt"))], at: state.now))
    Fixture.type("r", &state)
    #expect(state.message == "a.txt: sent, to replace what is there")
    var receipt = Receipt(status: 201)
    receipt.fate = NameFate()
    receipt.fate?.renamed = "a (2).txt"
    Fixture.play(&state, .engine([(ItemID(1), .done(receipt))], at: state.now))
    #expect(
      state.message == "a.txt replaced nothing: the server keeps both, this one as a (2).txt")
    #expect(Self.text(state).contains("as a (2).txt"))
  }
}
