import Testing
import UploadModel

@Suite struct BreakerTests {
  let policy = RetryPolicy(attempts: 5, base: 2, cap: 10)
  let now = Moment(seconds: 1000)

  private func opened() -> Breaker {
    var breaker = Breaker(policy: policy)
    for _ in 0..<Breaker.threshold { _ = breaker.noteUnreachable(at: now, random: 0.5) }
    return breaker
  }

  @Test func aFewFailuresChangeNothing() {
    var breaker = Breaker(policy: policy)
    for _ in 1..<Breaker.threshold {
      #expect(breaker.noteUnreachable(at: now, random: 0.5) == nil)
      #expect(breaker.permission(at: now) == .go)
      breaker.noteStarted(at: now)
    }
  }

  @Test func whereAServerIsWaitedForTheFirstFailureOpensIt() {
    var breaker = Breaker(waitingWith: policy)
    #expect(breaker.noteUnreachable(at: now, random: 0) == now + 1)
    #expect(breaker.permission(at: now) == .wait(until: now + 1))
  }

  @Test func itOpensAndLetsOneProbeThroughAfterTheDelay() {
    var breaker = opened()
    #expect(breaker.permission(at: now) == .wait(until: now + 1.5))
    #expect(breaker.permission(at: now + 1.5) == .probe)
    breaker.noteStarted(at: now + 1.5)
    #expect(breaker.permission(at: now + 1.5) == .wait(until: nil))
  }

  @Test(arguments: [(0.0, [2.0, 4, 5, 5]), (0.5, [3, 6, 7.5, 7.5])])
  func everyFailedProbeDoublesTheDelayUpToTheCap(_ random: Double, _ delays: [Double]) {
    var breaker = opened()
    var moment = now + 1.5
    for delay in delays {
      #expect(breaker.permission(at: moment) == .probe)
      breaker.noteStarted(at: moment)
      #expect(breaker.noteUnreachable(at: moment, random: random) == moment + delay)
      moment = moment + delay
    }
    #expect(breaker.openings == 5)
  }

  @Test func noDelayIsLongerThanAMinuteNorAWaitWithoutOne() {
    for (base, cap, longest) in [(600.0, 3600.0, 60.0), (0, 0, 0.25)] {
      var breaker = Breaker(waitingWith: RetryPolicy(base: base, cap: cap))
      for _ in 1...20 {
        guard let until = breaker.noteUnreachable(at: now, random: 0.999) else {
          Issue.record("it is closed")
          return
        }
        #expect(until - now <= longest && until - now > longest / 4)
        breaker.noteStarted(at: until)
      }
    }
  }

  @Test func aProbeThatDidNotHappenLeavesItToTheNext() {
    var breaker = opened()
    breaker.noteStarted(at: now + 2)
    breaker.noteUnanswered()
    #expect(breaker.permission(at: now + 2) == .probe)
    breaker.noteUnanswered()
    #expect(breaker.permission(at: now + 2) == .probe)
  }

  @Test func thePersonNeedNotWait() {
    var breaker = opened()
    breaker.tryNow(at: now)
    #expect(breaker.permission(at: now) == .probe)
    breaker.noteStarted(at: now)
    breaker.tryNow(at: now)
    #expect(breaker.permission(at: now) == .wait(until: nil), "one is under way")
    #expect(breaker.noteUnreachable(at: now, random: 0) == now + 2, "and the wait grows on")
  }

  @Test func lateFailuresOfEarlierStartsDoNotReopenIt() {
    var breaker = opened()
    #expect(breaker.noteUnreachable(at: now, random: 0.9) == now + 1.5)
    #expect(breaker.openings == 1)
  }
}
