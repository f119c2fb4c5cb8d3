import Foundation
import TestSupport
import Testing

@testable import Scheduling
@testable import UploadModel

/// How it gives way to servers that refuse.
@Suite struct GivingWayTests {
  typealias Conditions = LineSimulator.Conditions

  private let small = [Int](repeating: 10 << 10, count: 2000)

  /// With a buffer, the round-trip time is known, and the first climb is quick.
  private func conditions(
    buffer: Double = 0, _ change: (inout Conditions) -> Void
  ) -> Conditions {
    var conditions = Conditions(
      name: "", delay: 0.02, bandwidth: 100e6, service: 0.05, buffer: buffer)
    change(&conditions)
    return conditions
  }

  /// A busy server resets a connection that it does not want after its kernel has taken what was sent on it.
  @Test(arguments: [
    (bytes: 0, isFirst: true, isOneTooMany: true), (bytes: 0, isFirst: false, isOneTooMany: true),
    (bytes: 65_536, isFirst: true, isOneTooMany: true),
    (bytes: 65_537, isFirst: true, isOneTooMany: false),
    (bytes: 1, isFirst: false, isOneTooMany: false),
  ])
  func aConnectionThatIsLostWasOneTooManyIfNothingNeedHaveBeenRead(
    bytes: Int64, isFirst: Bool, isOneTooMany: Bool
  ) throws {
    let url = try #require(URL(string: "https://host/"))
    var end = TransferEnd(url: url, trouble: .connectionLost("reset"), bytes: bytes)
    end.isFirstOnConnection = isFirst
    #expect(end.load == (isOneTooMany ? .overloaded : nil))
  }

  @Test(arguments: [0, 0.1])
  func aServerThatTakesEightAtOnceRefusesOneTry(buffer: Double) {
    let run = LineSimulator.run(conditions(buffer: buffer) { $0.mostAtOnce = 8 }, small)
    #expect(run.refusals <= 8)
    #expect(run.mostRefusals == 1)
    // With eight lanes from the first second on, it takes 20 s.
    #expect(run.seconds < 25)
  }

  @Test(arguments: [0, 0.1])
  func aServerThatTakesTenAtOnceIsTriedAgainOnlyAfterAMinute(buffer: Double) {
    let run = LineSimulator.run(
      conditions(buffer: buffer) { $0.mostAtOnce = 10 }, small + small + small + small)
    // Six of the first sixteen, and then one, if eleven are tried.
    #expect(run.refusals <= 8)
    #expect(run.mostRefusals == 1)
  }

  @Test(arguments: [0, 0.1])
  func aRateThatWasRefusedIsNotAskedForAgain(buffer: Double) {
    let run = LineSimulator.run(
      conditions(buffer: buffer) { ($0.mostPerSecond, $0.service) = (20, 0.001) }, small)
    #expect(run.refusals <= 12)
    #expect(run.mostRefusals <= 2)
    // 100 s is the least.
    #expect(run.seconds < 125)
  }

  @Test(arguments: [0, 0.1])
  func aRateWithinALongTimeIsFound(buffer: Double) {
    let run = LineSimulator.run(
      conditions(buffer: buffer) { ($0.mostPerSecond, $0.service) = (2, 0.001) },
      Array(small.prefix(200)))
    #expect(run.mostRefusals <= 3)
    #expect(run.seconds < 240)
  }

  @Test(arguments: [0, 0.1])
  func aServerThatFailsOverMoreThanSixGetsTheMinimumForTheRestOfTheRun(buffer: Double) {
    let run = LineSimulator.run(
      conditions(buffer: buffer) { ($0.mostAtOnce, $0.beyond) = (6, .broken) }, small)
    #expect(run.refusals <= 2)
    #expect(run.last == 1)
  }

  @Test func theRangeIsKept() {
    let run = LineSimulator.run(conditions { $0.range = 2...6 }, small)
    #expect(run.last == 6)
    #expect(run.lanes < 6)
    let least = LineSimulator.run(
      conditions { ($0.range, $0.workers) = (2...16, 1) }, small)
    #expect(least.last >= 2)
  }

  @Test func aFullLineIsLeftAlone() {
    let home = conditions { ($0.bandwidth, $0.buffer) = (8e6, 0.5) }
    let run = LineSimulator.run(home, [Int](repeating: 1 << 20, count: 40))
    #expect(run.lanes < 4)
  }

  /// The round-trip time of one connection after another is asked for, every 25 ms each. Three in four moments see the
  /// queue that eight connections share, the fourth sees it as it is right after a loss.
  @Test func aQueueThatIsShorterForAMomentIsAQueue() {
    var line = LineFill()
    line.record(roundTrip: 0.05, isLimited: false, at: Instant(seconds: 0))
    var isFull: [Bool] = []
    for look in 1...3200 {
      let time = Double(look) / 320
      let isAfterLoss = Int(time * 8) % 4 == 3
      line.record(
        roundTrip: isAfterLoss ? 0.08 : 0.14, isLimited: false, at: Instant(seconds: time))
      if time > 2 { isFull.append(line.isFull) }
    }
    #expect(!isFull.contains(false))
  }

  @Test func aLimitIsNoReasonToClimb() {
    let limited = conditions { $0.limit = 8e6 }
    let run = LineSimulator.run(limited, [Int](repeating: 1 << 20, count: 40))
    #expect(run.lanes < 4)
  }

  @Test func whatWasFoundIsNotForgottenForANumberThatAPersonSets() {
    var target = TargetLanes(name: "t")
    target.configured = .automatic
    target.tune { $0.recordBegin(at: Instant(seconds: 1)) }
    target.tune {
      $0.recordEnd(
        .overloaded, began: Instant(seconds: 1), underWay: 3, at: Instant(seconds: 2))
    }
    #expect(target.most == 2)
    target.wish = .fixed(9)
    #expect(target.most == 9)
    target.wish = .automatic
    #expect(target.most == 2)
    // Other bounds hold as well.
    target.wish = .fixed(9)
    target.wish = .auto(3...8)
    #expect(target.most == 3)
  }

  @Test func lanesWithoutRequestsSayNothing() {
    var tuner = ConcurrencyTuner(range: 1...32)
    var now = Instant(seconds: 0)
    for _ in 0..<200 {
      tuner.recordBegin(at: now)
      let begun = now
      now = now + 0.1
      tuner.recordEnd(.fine, began: begun, underWay: 0, at: now)
      tuner.recordIdleLanes(at: now)
    }
    #expect(tuner.lanes == 4)
    #expect(tuner.pace == nil)
  }

  @Test(
    "A gateway that fails over some requests is not taken for one that limits the rate",
    arguments: [2, 3, 6, 15])
  func failuresAtAnyPace(_ every: Int) {
    var tuner = ConcurrencyTuner(range: 1...32)
    var now = Instant(seconds: 0)
    for number in 1...800 {
      now = tuner.nextBegin(at: now) ?? now
      tuner.recordBegin(at: now)
      let begun = now
      now = now + 0.05
      tuner.recordEnd(number % every == 0 ? .overloaded : .fine, began: begun, underWay: 0, at: now)
    }
    // The requests alone take 40 s.
    #expect(now < Instant(seconds: 75), "\(now)")
  }

  @Test(
    "A gateway that has failed over requests for a while is not spared for ever", arguments: 1...40)
  func failuresThatEnd(_ seed: UInt64) {
    var tuner = ConcurrencyTuner(range: 1...32)
    var (now, random) = (Instant(seconds: 0), SplitMix64(seed: seed))
    for number in 1...800 {
      now = tuner.nextBegin(at: now) ?? now
      tuner.recordBegin(at: now)
      let begun = now
      now = now + 0.05
      let fails = number < 400 && Int.random(in: 0..<4, using: &random) == 0
      tuner.recordEnd(fails ? .overloaded : .fine, began: begun, underWay: 0, at: now)
    }
    // The requests alone take 40 s.
    #expect(now < Instant(seconds: 150), "\(now)")
  }

  /// The delays of a file's own retries are enough: a pause that doubles each time would look like a hang.
  @Test("Where nothing is taken, no request waits for a pace")
  func nothingIsTaken() {
    var tuner = ConcurrencyTuner(range: 1...32)
    for second in 1...20 {
      let begun = Instant(seconds: Double(second))
      tuner.recordBegin(at: begun)
      tuner.recordEnd(.overloaded, began: begun, underWay: 0, at: begun + 0.5)
      #expect(tuner.nextBegin(at: begun + 0.5) == nil && tuner.pace == nil, "second \(second)")
    }
  }
}
