import Testing

@testable import Scheduling
@testable import UploadModel

@Suite struct BreakerTests {
  let policy = RetryPolicy(attempts: 5, base: 2, cap: 10)
  let now = Instant(seconds: 1000)

  private func opened() -> Breaker {
    var breaker = Breaker(policy: policy, isPatient: false)
    for _ in 0..<Breaker.threshold { _ = breaker.recordUnreachable(at: now, random: 0.5) }
    return breaker
  }

  @Test func aFewFailuresChangeNothing() {
    var breaker = Breaker(policy: policy, isPatient: false)
    for _ in 1..<Breaker.threshold {
      #expect(breaker.recordUnreachable(at: now, random: 0.5) == nil)
      #expect(breaker.permission(at: now) == .go)
      breaker.recordStarted(at: now)
    }
  }

  @Test func whereAServerIsWaitedForTheFirstFailureOpensIt() {
    var breaker = Breaker(policy: policy, isPatient: true)
    #expect(breaker.recordUnreachable(at: now, random: 0) == now + 1)
    #expect(breaker.permission(at: now) == .wait(until: now + 1))
  }

  @Test func itOpensAndLetsOneProbeThroughAfterTheDelay() {
    var breaker = opened()
    #expect(breaker.permission(at: now) == .wait(until: now + 1.5))
    #expect(breaker.permission(at: now + 1.5) == .probe)
    breaker.recordStarted(at: now + 1.5)
    #expect(breaker.permission(at: now + 1.5) == .wait(until: nil))
  }

  @Test(arguments: [(0.0, [2.0, 4, 5, 5]), (0.5, [3, 6, 7.5, 7.5])])
  func everyFailedProbeDoublesTheDelayUpToTheCap(_ random: Double, _ delays: [Double]) {
    var breaker = opened()
    var instant = now + 1.5
    for delay in delays {
      #expect(breaker.permission(at: instant) == .probe)
      breaker.recordStarted(at: instant)
      #expect(breaker.recordUnreachable(at: instant, random: random) == instant + delay)
      instant = instant + delay
    }
    #expect(breaker.openings == 5)
  }

  @Test func noDelayIsLongerThanAMinuteNorAWaitWithoutOne() {
    for (base, cap, longest) in [(600.0, 3600.0, 60.0), (0, 0, 0.25)] {
      var breaker = Breaker(policy: RetryPolicy(base: base, cap: cap), isPatient: true)
      for _ in 1...20 {
        guard let until = breaker.recordUnreachable(at: now, random: 0.999) else {
          Issue.record("it is closed")
          return
        }
        #expect(until - now <= longest && until - now > longest / 4)
        breaker.recordStarted(at: until)
      }
    }
  }

  @Test func aProbeThatDidNotHappenLeavesItToTheNext() {
    var breaker = opened()
    breaker.recordStarted(at: now + 2)
    breaker.recordUnanswered()
    #expect(breaker.permission(at: now + 2) == .probe)
    breaker.recordUnanswered()
    #expect(breaker.permission(at: now + 2) == .probe)
  }

  @Test func thePersonNeedNotWait() {
    var breaker = opened()
    breaker.tryNow(at: now)
    #expect(breaker.permission(at: now) == .probe)
    breaker.recordStarted(at: now)
    breaker.tryNow(at: now)
    #expect(breaker.permission(at: now) == .wait(until: nil), "one is under way")
    #expect(breaker.recordUnreachable(at: now, random: 0) == now + 2, "and the wait grows on")
  }

  @Test func lateFailuresOfEarlierStartsDoNotReopenIt() {
    var breaker = opened()
    #expect(breaker.recordUnreachable(at: now, random: 0.9) == now + 1.5)
    #expect(breaker.openings == 1)
  }
}
