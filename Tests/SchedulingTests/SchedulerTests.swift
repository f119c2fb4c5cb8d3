import Testing

@testable import Scheduling
@testable import UploadModel

struct SchedulerTests {
  @Test(
    arguments: SchedulerStory.line + SchedulerStory.ahead + SchedulerStory.moves
      + SchedulerStory.targets)
  func line(_ row: SchedulerStory) { check(row) }

  @Test(arguments: SchedulerStory.servers)
  func servers(_ row: SchedulerStory) { check(row) }

  @Test(arguments: SchedulerStory.waits)
  func waits(_ row: SchedulerStory) { check(row) }

  @Test(arguments: SchedulerStory.credentials)
  func credentials(_ row: SchedulerStory) { check(row) }

  @Test(arguments: SchedulerStory.batches)
  func batches(_ row: SchedulerStory) { check(row) }

  private func check(_ row: SchedulerStory) {
    var script = SchedulerScript(lanes: row.lanes, waits: row.waits)
    #expect(script.play(row.steps) == [])
  }

  /// Halving the room between two neighbours a hundred times leaves none.
  @Test func thereIsAlwaysRoomBetweenTwoNeighbours() {
    var script = SchedulerScript()
    _ = script.play([.add(1, 2, 3, 4, to: .wide)])
    for _ in 0..<100 { _ = script.play([.move(2, before: 4), .move(3, before: 4)]) }
    #expect(script.scheduler.disorder == [])
    #expect(script.play([.starts(1, 2, 3, 4)]) == [])
  }

  /// Files that go one at a time after several 403 do so with words.
  @Test func oneAtATimeIsToldAndTheEndOfItToo() {
    var script = SchedulerScript()
    _ = script.play([.add(1, 2, 3, 4, to: .wide)])
    let route = StoryTarget.wide.route
    var file: Int64 = 0
    func refuse() -> [Scheduler.Action] {
      file += 1
      return script.scheduler.recordRefused(
        [ItemID(file)], on: route, with: 0, status: 403, isSecondTime: false, command: nil,
        Failure(.refused, status: 403)
      ).1
    }
    let expected: [[Scheduler.Action]] = [
      [], [], [.refusal(target: route.target, .forbidden)], [],
    ]
    #expect((1...4).map { _ in refuse() } == expected)
    #expect(
      script.scheduler.recordAccepted(on: route, with: 0, hasCommand: false)
        == [.refusal(target: route.target, nil)])
  }

  @Test("a pace that holds files back for more than a moment is told, and that it does no longer")
  func pace() {
    var target = StoryTarget.a.plan.target
    target.concurrency = .auto(1...2)
    let plan = SendPlan(target)
    var scheduler = Scheduler(lanes: 4, waitsForServers: true)
    let files = (1...9).map { Scheduler.File(id: ItemID($0), plan: plan) }
    #expect(scheduler.add(files) == [])
    var now = Instant(seconds: 1000)
    func begin() -> [Int64] {
      var begun: [Int64] = []
      while true {
        let files = scheduler.next(at: now).files
        if files.isEmpty { return begun }
        begun += files.map(\.rawValue)
      }
    }
    func end(_ id: Int64, _ outcome: ConcurrencyTuner.Outcome, began: Double) {
      _ = scheduler.tune(for: ItemID(id), at: now) { tuner, underWay in
        tuner.recordEnd(outcome, began: Instant(seconds: began), underWay: underWay, at: now)
      }
      _ = scheduler.park(ItemID(id), .over)
    }
    /// For how many seconds the target's files are said to wait; nil if they do no longer.
    func told() -> [Double?] {
      scheduler.reportPaces(at: now).map { action in
        guard case .pace(target.name, let until) = action else { return -1 }
        return until.map { (($0 - now) * 10).rounded() / 10 }
      }
    }
    #expect(begin() == [1, 2] && told() == [])
    now = now + 0.1
    end(1, .fine, began: 1000)
    now = now + 0.1
    end(2, .rateLimited, began: 1000)
    #expect(begin() == [] && told() == [], "one second is no news")
    now = now + 1
    // At nine tenths of one request a second.
    #expect(begin() == [3] && told() == [], "its lane is taken")
    now = now + 0.1
    end(3, .rateLimited, began: 1001.2)
    #expect(begin() == [] && told() == [2])
    #expect(told() == [], "once")
    now = now + 1
    #expect(scheduler.tryNow([ItemID(5)], at: now) == [] && told() == [nil])
    #expect(begin() == [4])
    now = now + 0.1
    end(4, .rateLimited, began: 1002.3)
    #expect(told() == [4])
    now = now + 1
    #expect(scheduler.tryEverything(at: now) == [] && told() == [nil])
    #expect(begin() == [5])
    now = now + 0.1
    end(5, .rateLimited, began: 1003.4)
    #expect(told() == [8])
    now = now + 3
    // With a number that a person sets, there is no pace.
    scheduler.setConcurrency(.fixed(1), of: target.name)
    #expect(told() == [nil] && begin() == [6])
  }

  // MARK: Every event in every state

  /// How file 2 of three gets into a place, and where each event leads from there. Events that are not
  /// named leave it where it is.
  struct PlaceRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reachedBy: [SchedulerStep]
    let place: Scheduler.Place?
    let next: [SchedulerStep: Scheduler.Place?]
  }

  static let events: [SchedulerStep] = [
    .add(2, to: .b), .wait(2), .backOff(2), .hold(2), .over(2), .remove(2), .redirect(2, to: .b),
    .move(2, before: 1), .moveLast(2), .arrange(2, 1), .tie(2, 3), .retry(2), .tryEverything,
    .unreachable(2), .reached(2), .accepted(2), .refused(2), .lanes(1, of: .b), .stop, .start,
    .later(9), .unreachable(1), .refused(1),
  ]

  static let places = [
    PlaceRow(
      testDescription: "in line", reachedBy: [.add(1, 2, 3, to: .a)], place: .line,
      next: [
        .backOff(2): .away(.backOff), .hold(2): .away(.held), .over(2): .away(.over),
        .remove(2): nil,
        .reached(2): .away(.over), .accepted(2): .away(.over), .refused(2): .away(.over),
        .go: .lane(2),
      ]),
    PlaceRow(
      testDescription: "on a lane", reachedBy: [.add(1, 2, 3, to: .a), .go], place: .lane(2),
      next: [
        .add(2, to: .b): .line, .wait(2): .line, .backOff(2): .away(.backOff),
        .hold(2): .away(.held),
        .over(2): .away(.over), .remove(2): nil, .retry(2): .line, .unreachable(2): .line,
        .reached(2): .away(.over),
        .accepted(2): .away(.over), .refused(2): .away(.over),
      ]),
    PlaceRow(
      testDescription: "backing off", reachedBy: [.add(1, 2, 3, to: .a), .go, .backOff(2)],
      place: .away(.backOff),
      next: [
        .add(2, to: .b): .line, .wait(2): .line, .hold(2): .away(.held), .over(2): .away(.over),
        .remove(2): nil,
        .retry(2): .line, .unreachable(2): .line, .reached(2): .away(.over),
        .accepted(2): .away(.over),
        .refused(2): .away(.over),
      ]),
    PlaceRow(
      testDescription: "held", reachedBy: [.add(1, 2, 3, to: .a), .hold(2)], place: .away(.held),
      next: [
        .add(2, to: .b): .line, .wait(2): .line, .backOff(2): .away(.backOff),
        .over(2): .away(.over),
        .remove(2): nil, .retry(2): .line, .unreachable(2): .line, .reached(2): .away(.over),
        .accepted(2): .away(.over),
        .refused(2): .away(.over),
      ]),
    PlaceRow(
      testDescription: "over", reachedBy: [.add(1, 2, 3, to: .a), .go, .over(2)],
      place: .away(.over),
      next: [
        .add(2, to: .b): .line, .wait(2): .line, .backOff(2): .away(.backOff),
        .hold(2): .away(.held),
        .remove(2): nil, .retry(2): .line, .unreachable(2): .line,
      ]),
    PlaceRow(
      testDescription: "unknown", reachedBy: [.add(1, 2, 3, to: .a), .remove(2)], place: nil,
      next: [.add(2, to: .b): .line]),
  ]

  @Test(arguments: places)
  func everyEvent(_ row: PlaceRow) {
    for event in Self.events + [.go] {
      var script = SchedulerScript()
      _ = script.play(row.reachedBy)
      #expect(script.scheduler.entries[ItemID(2)]?.place == row.place)
      _ = script.handle(event.event)
      let place = script.scheduler.entries[ItemID(2)]?.place
      #expect(place == row.next[event, default: row.place], "\(event.event)")
      #expect(script.scheduler.disorder == [], "\(event.event)")
    }
  }
}
