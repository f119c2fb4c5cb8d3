import Testing
import UploadModel

@Suite struct ThroughputEstimateTests {
  /// An estimate fed ten times a second for `seconds` with bytes at `speed`.
  private func steady(_ speed: Double, seconds: Int) -> ThroughputEstimate {
    var estimate = ThroughputEstimate(start: Instant(seconds: 0))
    for tenth in 1...seconds * 10 {
      let time = Double(tenth) / 10
      estimate.record(total: Int64(time * speed), at: Instant(seconds: time))
    }
    return estimate
  }

  private func isNear(_ value: Double?, _ expected: Double, within share: Double) -> Bool {
    guard let value else { return false }
    return abs(value - expected) <= expected * share
  }

  @Test func saysNothingAtFirst() {
    let estimate = steady(1e6, seconds: 1)
    #expect(estimate.speed(at: Instant(seconds: 0.9)) == nil)
    #expect(estimate.eta(remaining: 1000, at: Instant(seconds: 0.9)) == nil)
  }

  @Test(arguments: [1, 2, 3, 10, 100]) func findsASteadySpeed(_ seconds: Int) {
    let now = Instant(seconds: Double(seconds))
    let estimate = steady(1e6, seconds: seconds)
    #expect(isNear(estimate.speed(at: now), 1e6, within: 0.01))
    #expect(isNear(estimate.eta(remaining: 5_000_000, at: now), 5, within: 0.01))
  }

  @Test func aStallFallsAndTheTimeLeftGrows() {
    let estimate = steady(1e6, seconds: 10)
    var last = 1e6
    for second in [11.5, 12, 13, 13.9] {
      let speed = estimate.speed(at: Instant(seconds: second)) ?? -1
      #expect(speed < last)
      last = speed
    }
    #expect(last < 1e5)
    let eta = estimate.eta(remaining: 1_000_000, at: Instant(seconds: 13))
    #expect((eta ?? 0) > 2)
    for second in [15.0, 500] {
      #expect(estimate.speed(at: Instant(seconds: second)) == 0)
      #expect(estimate.eta(remaining: 1_000_000, at: Instant(seconds: second)) == nil)
    }
  }

  @Test func aShortPauseIsNoStall() {
    let estimate = steady(1e6, seconds: 10)
    #expect(isNear(estimate.speed(at: Instant(seconds: 10.9)), 1e6, within: 0.01))
  }

  @Test(arguments: [4e6, 0.25e6]) func isThatOfTheLastFiveSeconds(_ speed: Double) {
    var estimate = steady(1e6, seconds: 20)
    for tenth in 1...50 {
      let time = Double(tenth) / 10
      estimate.record(total: 20_000_000 + Int64(time * speed), at: Instant(seconds: 20 + time))
    }
    #expect(isNear(estimate.speed(at: Instant(seconds: 25)), speed, within: 0.01))
  }

  @Test func burstsAreSmoothed() {
    var estimate = ThroughputEstimate(start: Instant(seconds: 0))
    var seen: [Double] = []
    for second in 1...60 {
      // Three seconds of nothing, then all at once.
      let total = Int64(second / 4 * 4_000_000)
      estimate.record(total: total, at: Instant(seconds: Double(second)))
      if second > 30, let speed = estimate.speed(at: Instant(seconds: Double(second))) {
        seen.append(speed)
      }
    }
    #expect(seen.allSatisfy { $0 > 0.6e6 && $0 < 1.5e6 }, "\(seen)")
  }

  @Test func aCountThatFallsIsANewBeginning() {
    var estimate = steady(1e6, seconds: 10)
    estimate.record(total: 0, at: Instant(seconds: 10.1))
    let speed = estimate.speed(at: Instant(seconds: 10.1)) ?? -1
    #expect(speed > 0 && speed <= 1e6)
    estimate.record(total: 100_000, at: Instant(seconds: 10.2))
    #expect((estimate.speed(at: Instant(seconds: 10.2)) ?? -1) > 0)
  }

  @Test func aClockThatStandsStillChangesNothing() {
    var estimate = steady(1e6, seconds: 10)
    let before = estimate
    estimate.record(total: 99_000_000, at: Instant(seconds: 10))
    estimate.record(total: 99_000_000, at: Instant(seconds: 9))
    #expect(estimate == before)
  }

  @Test func bytesThatWereThereAtTheStartDoNotCount() {
    var estimate = ThroughputEstimate(start: Instant(seconds: 0), count: 1_000_000_000)
    for second in 1...5 {
      estimate.record(
        total: 1_000_000_000 + Int64(second) * 1000, at: Instant(seconds: Double(second)))
    }
    #expect(isNear(estimate.speed(at: Instant(seconds: 5)), 1000, within: 0.01))
  }

  /// Buffers on the way, and what a limit had saved up, take the first bytes at once.
  @Test(arguments: [5_000, 64_000, 2_000_000] as [Int64], [0.01, 0.1, 0.45])
  func aBurstAtTheBeginningPromisesNothing(_ burst: Int64, _ at: Double) {
    let (rate, size) = (100_000.0, Int64(10_000_000))
    var estimate = ThroughputEstimate(start: Instant(seconds: 0))
    var time = at
    while time < 30 {
      let total = burst + Int64((time - at) * rate)
      estimate.record(total: total, at: Instant(seconds: time))
      let now = Instant(seconds: time)
      if let speed = estimate.speed(at: now), let eta = estimate.eta(remaining: size, at: now) {
        #expect(abs(speed - rate) < rate * 0.02, "after \(time) s")
        #expect(abs(eta - 100) < 2, "after \(time) s")
      } else {
        #expect(time < 2.1)
      }
      time += 0.1
    }
  }
}
