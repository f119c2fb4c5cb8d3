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
      #expect(breaker.mayStart(at: now) == .go)
    }
  }

  @Test func itOpensAndLetsOneProbeThroughAfterTheDelay() {
    var breaker = opened()
    #expect(breaker.mayStart(at: now) == .wait(until: now + 1))
    #expect(breaker.mayStart(at: now + 1) == .go)
    #expect(breaker.mayStart(at: now + 1) == .wait(until: nil))
  }

  @Test func everyFailedProbeDoublesTheDelayUpToTheCap() {
    var breaker = opened()
    var moment = now + 1
    for delay in [2.0, 4, 5, 5] {
      #expect(breaker.mayStart(at: moment) == .go)
      #expect(breaker.noteUnreachable(at: moment, random: 0.5) == moment + delay)
      moment = moment + delay
    }
    #expect(breaker.openings == 5)
  }

  @Test func aProbeThatDidNotHappenLeavesItToTheNext() {
    var breaker = opened()
    #expect(breaker.mayStart(at: now + 1) == .go)
    breaker.noteNotStarted(at: now + 1)
    #expect(breaker.mayStart(at: now + 1) == .go)
  }

  @Test func lateFailuresOfEarlierStartsDoNotReopenIt() {
    var breaker = opened()
    #expect(breaker.noteUnreachable(at: now, random: 0.9) == now + 1)
    #expect(breaker.openings == 1)
  }
}
