import Testing
import UploadModel

@Suite("What is sent keeps to a rate")
struct ThrottleTests {
  private let start = Moment(seconds: 100)

  @Test(arguments: [(10_240, 100_000), (100, 1_000_000), (65_536, 20_000)] as [(Int64, Int64)])
  func filesThatLeaveAtOnceKeepToIt(bytes: Int64, limit: Int64) {
    var throttle = Throttle(piece: 65_536)
    var now = start
    throttle.set(limit, at: now)
    for count in 1...10_000 {
      now = now + throttle.delay(at: now, transfers: 0)
      throttle.note(bytes, at: now)
      let due = Double(limit) * (now - start)
      // A tenth of a second ahead at the most, and the file that is due now.
      #expect(Double(bytes) * Double(count) <= due + Double(limit) * 0.1001 + Double(bytes))
      #expect(Double(bytes) * Double(count) >= due)
    }
  }

  @Test func withoutABoundNothingWaits() {
    var throttle = Throttle(piece: 65_536)
    for rate in [nil, 0, -1] as [Int64?] {
      throttle.set(rate, at: start)
      throttle.note(.max, at: start)
      #expect(throttle.delay(at: start, transfers: 4) == 0)
      #expect(throttle.bound(at: start, transfers: 4) == nil)
    }
  }

  @Test func whoIsUnderWayMayHaveTakenAPieceAhead() {
    var throttle = Throttle(piece: 65_536)
    throttle.set(65_536, at: start)
    throttle.note(4 * 65_536, at: start)
    #expect(throttle.delay(at: start, transfers: 4) == 0)
    #expect(throttle.delay(at: start, transfers: 0) > 3)
  }

  @Test func tooMuchIsMadeUpFor() {
    var throttle = Throttle(piece: 1)
    throttle.set(1_000, at: start)
    throttle.note(5_000, at: start)
    #expect(throttle.bound(at: start, transfers: 1) == 750)
    #expect(throttle.bound(at: start + 5, transfers: 1) == 1_000)
    // Time in which nothing was sent is not saved up.
    throttle.note(2_000, at: start + 60)
    #expect(throttle.delay(at: start + 60, transfers: 0) > 1.8)
  }

  @Test func anotherBoundBeginsAnew() {
    var throttle = Throttle(piece: 1)
    throttle.set(1, at: start)
    throttle.note(1_000_000, at: start)
    throttle.set(1_000, at: start + 1)
    #expect(throttle.delay(at: start + 1, transfers: 0) == 0)
    #expect(throttle.bound(at: start + 1, transfers: 1) == 1_000)
  }
}
