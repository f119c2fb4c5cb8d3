import Testing
import UploadModel

@testable import Scheduling

@Suite("The lanes of a target")
struct TargetLanesTests {
  private func lanes(
    _ count: Int, underWay: Int = 0, ahead: Int = 0, ofEach most: Int = 1
  ) -> TargetLanes {
    var lanes = TargetLanes(name: "t")
    lanes.configured = .fixed(count)
    lanes.setAhead(most)
    lanes.count(underWay, isAhead: false)
    lanes.count(ahead, isAhead: true)
    return lanes
  }

  @Test("what the user chooses goes before what is configured; there is one lane at least")
  func most() {
    var lanes = lanes(4)
    #expect(lanes.most == 4)
    lanes.wish = .fixed(2)
    #expect(lanes.most == 2)
    lanes.configured = .fixed(8)
    #expect(lanes.most == 2)
    lanes.wish = nil
    #expect(lanes.most == 8)
    lanes.configured = .fixed(0)
    #expect(lanes.most == 1)
  }

  @Test("fewer lanes for what a server answered have a reason, the first answer's")
  func fall() {
    var lanes = TargetLanes(name: "t")
    lanes.configured = .auto(1...16)
    let (before, now) = (lanes.most, Instant(seconds: 100))
    func answer(_ outcome: ConcurrencyTuner.Outcome, _ why: String?, at now: Instant) {
      lanes.tune(because: why, at: now) {
        $0.recordEnd(outcome, began: now, underWay: before, at: now)
      }
    }
    answer(.fine, nil, at: now)
    #expect(lanes.fall == nil && before > 1)
    answer(.overloaded, "503 Service Unavailable", at: now + 1)
    let fall = LaneFall(before: before, since: now + 1, why: "503 Service Unavailable")
    #expect(lanes.most < before && lanes.fall == fall)
    answer(.broken, "500 Internal Server Error", at: now + 60)
    #expect(lanes.most == 1 && lanes.fall == fall, "one fall, however many steps it has")
    lanes.wish = .fixed(3)
    #expect(lanes.fall == nil)
  }

  @Test(
    "one request is given out ahead for each lane, and one for each free one",
    arguments: [
      (4, 4, 3, 9, true), (4, 4, 4, 9, false), (4, 2, 5, 9, true), (4, 2, 6, 9, false),
      // Few lanes are left in all.
      (4, 2, 4, 1, true), (4, 2, 5, 1, false), (4, 4, 4, 0, false),
      // The number has become smaller.
      (2, 3, 0, 9, false),
    ])
  func ahead(most: Int, underWay: Int, ahead: Int, free: Int, hasRoom: Bool) {
    let lanes = lanes(most, underWay: underWay, ahead: ahead)
    #expect(lanes.hasRoomAhead(of: 10, free: free, others: 0) == hasRoom)
  }

  @Test("in all, no more wait for a lane than there are lanes")
  func aheadOfAll() {
    #expect(lanes(100, underWay: 2, ahead: 1).hasRoomAhead(of: 2, free: 0, others: 0))
    #expect(!lanes(100, underWay: 2, ahead: 2).hasRoomAhead(of: 2, free: 0, others: 0))
  }

  @Test(
    "several can be given out ahead for each lane, but no more in all than there are lanes in all",
    arguments: [
      (4, 3, 11, 0, true), (4, 3, 12, 0, false), (4, 16, 63, 0, true), (4, 16, 64, 0, false),
      (50, 3, 63, 0, true), (50, 3, 64, 0, false), (4, 16, 43, 20, true), (4, 16, 44, 20, false),
      // One for each lane is always possible.
      (4, 16, 3, 64, true), (4, 16, 4, 64, false),
    ])
  func several(most: Int, ofEach: Int, ahead: Int, others: Int, hasRoom: Bool) {
    let lanes = lanes(most, underWay: most, ahead: ahead, ofEach: ofEach)
    #expect(lanes.hasRoomAhead(of: 64, free: 0, others: others) == hasRoom)
  }

  @Test(
    "after a refusal, what is given out ahead becomes one more with each request that ends well")
  func aheadAgain() {
    var lanes = lanes(4, ofEach: 3)
    let counts = [3, 0, 3, 3, 3, 3, 2].map { count in
      lanes.setAhead(count)
      return lanes.aheadOfEach
    }
    #expect(counts == [3, 0, 1, 2, 3, 3, 2])
  }

  @Test("a target that does not want it gets nothing ahead")
  func apart() {
    #expect(!lanes(4, ofEach: 0).hasRoomAhead(of: 10, free: 10, others: 0))
  }

  @Test("how long requests take is a mean in which the later ones count for more")
  func requests() {
    var lanes = lanes(4)
    #expect(lanes.recordRequest(taking: 8) == 8)
    #expect(lanes.recordRequest(taking: 16) == 9)
    for _ in 1...50 { _ = lanes.recordRequest(taking: 1) }
    #expect(lanes.recordRequest(taking: 1) < 1.02)
  }

  @Test("lanes are idle if some are sending, fewer than may, and nothing waits for one")
  func idle() {
    #expect(lanes(4, underWay: 2).hasIdleLanes)
    #expect(!lanes(4, underWay: 0).hasIdleLanes && !lanes(4, underWay: 4).hasIdleLanes)
    #expect(!lanes(4, underWay: 2, ahead: 1).hasIdleLanes)
  }

  /// Each lane does the same, however many there are, so 32 are best.
  @Test("a time in which nothing was under way is not measured")
  func pause() {
    var lanes = TargetLanes(name: "t")
    lanes.configured = .automatic
    var now = Instant(seconds: 0)
    func run(_ rounds: Int) -> [Int] {
      (0..<rounds).map { _ in
        let (count, began) = (lanes.most, now)
        for _ in 0..<count {
          lanes.count(1, isAhead: false)
          lanes.recordBegin(at: began)
        }
        now = now + 0.11
        for left in (0..<count).reversed() {
          lanes.tune {
            $0.recordEnd(.fine, of: 10_000, began: began, underWay: left, at: now)
          }
          lanes.count(-1, isAhead: false)
        }
        return lanes.most
      }
    }
    #expect(run(15).last == 32)
    now = now + 60
    let after = run(30)
    // Half as many are tried once, and bring less.
    #expect(after.min() == 16 && after.last == 32, "\(after)")
  }

  @Test("lanes that were added for files that were not there are not kept")
  func fewFiles() {
    var tuner = ConcurrencyTuner(range: 1...32)
    for _ in 0..<4 { tuner.recordBegin(at: Instant(seconds: 0)) }
    for _ in 0..<2 {
      tuner.recordAcknowledged(
        10_000, roundTrip: 0.05, isLimited: false, underWay: 4, at: Instant(seconds: 0.15))
      tuner.recordEnd(
        .fine, of: 10_000, began: Instant(seconds: 0), underWay: 3, at: Instant(seconds: 0.15))
    }
    #expect(tuner.lanes == 8)
    tuner.recordIdleLanes(at: Instant(seconds: 0.15))
    #expect(tuner.lanes == 4)
  }

  @Test("a large file that is sent alone takes no lanes from those that are added later")
  func aFileAlone() {
    var tuner = ConcurrencyTuner(range: 1...32)
    tuner.recordBegin(isAlone: true, at: Instant(seconds: 0))
    tuner.recordIdleLanes(at: Instant(seconds: 0))
    /// The numbers of lanes while files are sent.
    func lanes(for seconds: Double, from start: Double, underWay: Int) -> Set<Int> {
      Set(
        (1...Int(10 * seconds)).map { tenth in
          tuner.recordAcknowledged(
            6_000 * Int64(underWay), roundTrip: nil, isLimited: false, underWay: underWay,
            at: Instant(seconds: start + Double(tenth) / 10))
          return tuner.lanes
        })
    }
    #expect(lanes(for: 60, from: 0, underWay: 1) == [4])
    // Where there is a request for each lane, the number is looked for again.
    for _ in 0..<3 { tuner.recordBegin(at: Instant(seconds: 60)) }
    #expect(lanes(for: 10, from: 60, underWay: 4).count > 1)
  }

  @Test(
    "where others have the remaining lanes of all, a target's number is not thought to be too large"
  )
  func noneIsFree() {
    var target = StoryTarget.a.plan.target
    target.concurrency = .automatic
    let plan = SendPlan(target)
    var scheduler = Scheduler(lanes: 4)
    _ = scheduler.add(
      (1...400).map { Scheduler.File(id: ItemID($0), bytes: 2 << 20, plan: plan) })
    var (underWay, found): ([(id: ItemID, began: Instant)], Set<Int>) = ([], [])
    for turn in 0..<90 {
      let now = Instant(seconds: Double(turn) * 0.1)
      for (id, began) in underWay {
        let change = scheduler.tune(for: id, at: now) {
          $0.recordEnd(.fine, of: 2 << 20, began: began, underWay: $1, at: now)
        }
        if let change { found.insert(change.lanes) }
        _ = scheduler.park(id, .over)
      }
      underWay = []
      while scheduler.mayStart {
        let files = scheduler.next(at: now).0
        guard !files.isEmpty else { break }
        underWay += files.map { ($0, now) }
      }
      #expect(!underWay.isEmpty && scheduler.recordIdleLanes(at: now).isEmpty)
    }
    #expect(found.contains { $0 > 4 }, "it has never been larger than what is left: \(found)")
  }
}
