import Scheduling
import TestSupport
import Testing
import UploadModel

@testable import Screens

/// Random keys, pastes, sizes and news, always the same ones: whatever happens, the state stays in
/// order and the frame stays sound.
@Suite struct MonkeyTests {
  /// SplitMix64 (Steele, Lea and Flood 2014), so that a failure comes back.
  struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func anythingGoes(seed: UInt64) {
    var dice = Dice(state: seed)
    var state = Fixture.empty(ascii: seed % 2 == 0)
    state.options.targets = Fixture.choices("photos", "album")
    state.options.listsServer = true
    var nextID: Int64 = 1
    for step in 0..<Effort.of(800, long: 20_000) {
      let event = Self.event(state, &nextID, &dice)
      for effect in reduce(&state, event) { Self.answer(effect, &state, &nextID) }
      Self.expectOrder(state, "seed \(seed), step \(step), \(event)")
      if step % 50 == 0 { HostileTests.expectSound(render(state, size: state.size)) }
    }
  }

  /// The composition root's part, as far as the state depends on it.
  private static func answer(_ effect: Effect, _ state: inout AppState, _ nextID: inout Int64) {
    switch effect {
    case .add(let paths):
      let items = paths.prefix(5).map { item("\($0)", &nextID) }
      _ = reduce(&state, .added(Array(items)))
    case .listFolder(let path):
      var folder = Fixture.folder
      if path == folder.parent { folder.failure = "no" }
      _ = reduce(&state, .folder(folder))
    case .listServer: _ = reduce(&state, .server(.rows(Fixture.serverRows)))
    case .deleteOnServer: _ = reduce(&state, .server(.rows([])))
    case .previewFile(let request?):
      let lines = (0..<9).map { "\($0) \(Hostile.names.last ?? "")" }
      _ = reduce(&state, .filePreview(request, FilePreview("text", lines: lines)))
    case .listHistory: _ = reduce(&state, .history(.rows(Fixture.historyRows)))
    case .switchTarget(let name):
      _ = reduce(&state, .target(name: name, url: "http://x/", concurrency: 2, listsServer: true))
    default: break
    }
  }

  private static func event(_ state: AppState, _ nextID: inout Int64, _ dice: inout Dice)
    -> AppEvent
  {
    let keys = Action.all.flatMap(\.keys)
    switch Int.random(in: 0..<100, using: &dice) {
    case 55..<62: return .key(.character("é漢/ ~'".randomElement(using: &dice) ?? "x"))
    case 62..<66:
      return .resized(
        Size(width: .random(in: 0...130, using: &dice), height: .random(in: 0...45, using: &dice)))
    case 66..<69: return .paste(Hostile.names.randomElement(using: &dice) ?? "/a /b")
    case 69..<71: return .paste("/a '/b c'")
    case 71..<74:
      return .added([item(Hostile.names.randomElement(using: &dice) ?? "", &nextID)])
    case 74..<77:
      return .completions(for: state.promptHead, ["one", "other", "漢"].shuffled(using: &dice))
    case 77..<79: return .message("something")
    case 40..<43 where Bool.random(using: &dice):
      let kinds: [Mouse.Kind] = [
        .click, .click, .grab, .drag, .drag, .drop, .menu, .wheelUp, .wheelDown,
      ]
      return .mouse(
        Mouse(
          kinds.randomElement(using: &dice) ?? .click, row: .random(in: -1...45, using: &dice),
          column: .random(in: -1...130, using: &dice)))
    case 43..<45 where Bool.random(using: &dice):
      let ids = state.queue.rows.map(\.item.id).shuffled(using: &dice)
      return Bool.random(using: &dice) ? .reordered(ids) : .removed(Array(ids.prefix(2)))
    case 45..<48 where Bool.random(using: &dice):
      let word = CommandLine.actions.randomElement(using: &dice)?.name.word ?? ""
      return .command(word + (Bool.random(using: &dice) ? " 2 1" : ""))
    case 48..<49:
      let news: [Reachability] = [
        .away(Failure(.connectionRefused("")), nextTry: state.now + 4),
        .away(Failure(.unreachable("No route to host")), nextTry: nil), .back, .unneeded,
        .asksToWait(Failure(.refused, status: 429, retryAfter: 60), until: state.now + 60),
      ]
      return .reachability(
        server: "https://api.example.com", news.randomElement(using: &dice) ?? .back)
    case 49..<50:
      return .pace(target: state.target, until: Bool.random(using: &dice) ? state.now + 6 : nil)
    case 0..<55: return .key(keys.randomElement(using: &dice) ?? .enter)
    case 79..<80: return .notice(Bool.random(using: &dice) ? "notice" : nil)
    case 80..<82: return .tick(state.now + Double.random(in: -1...5, using: &dice))
    default:
      let changes = (0..<4).map { _ in
        (ItemID(.random(in: 0...nextID, using: &dice)), news(state.now, &dice))
      }
      return .engine(changes, at: state.now + Double.random(in: 0...1, using: &dice))
    }
  }

  private static func item(_ name: String, _ nextID: inout Int64) -> UploadItem {
    defer { nextID += 1 }
    return Fixture.item(nextID, name, size: nextID * 1000 % 7000)
  }

  private static func news(_ now: Instant, _ dice: inout Dice) -> ItemState {
    let states: [ItemState] = [
      .waiting, .preparing(attempt: 1), .sending(attempt: 1, sent: 500, total: 1000),
      .sending(attempt: 2, sent: 9_000_000, total: 1), .awaitingReply(attempt: 1, since: now),
      .retrying(Fixture.unavailable, next: 2, of: 5, at: now + 5), .paused,
      .done(Fixture.receipt), .failed(Fixture.tooLarge), .failed(Failure(.missing)),
      .failed(Failure(.outcomeUnknown("closed"))),
    ]
    return states.randomElement(using: &dice) ?? .waiting
  }

  private static func expectOrder(_ state: AppState, _ when: @autoclosure () -> String) {
    let rows = state.queue.rows
    var fresh = Totals()
    for row in rows { fresh.add(row.item, reached: row.counted) }
    let isInOrder =
      state.queue.totals == fresh
      && rows.indices.allSatisfy { state.queue.position(of: rows[$0].item.id) == $0 }
      && state.isSound
      && state.marks.allSatisfy { state.queue.position(of: $0) != nil }
    #expect(isInOrder, "\(when())")
  }
}
