import Testing

@testable import HTTPTransport

struct TokenBucketTests {
  /// What goes through in this many seconds, asked for every `step`, in pieces of `wanted`.
  private func spent(
    _ bucket: inout TokenBucket, from start: Double, for seconds: Double, wanted: Int,
    step: Double = 0.001
  ) -> Int {
    var (sum, now) = (0, start)
    while now < start + seconds {
      while true {
        let bytes = bucket.available(wanted, at: now)
        guard bytes > 0 else { break }
        bucket.spend(bytes)
        sum += bytes
      }
      now += step
    }
    return sum
  }

  @Test(arguments: [
    (300_000, 1 << 20), (300_000, 10_000), (300_000, 100), (5, 1000), (1_000_000_000, 1 << 20),
  ])
  func itKeepsToItsRate(_ rate: Int64, _ wanted: Int) {
    var bucket = TokenBucket()
    bucket.set(rate, at: 100)
    let sum = spent(&bucket, from: 100, for: 10, wanted: wanted)
    let due = Double(rate) * 10
    #expect(abs(Double(sum) - due) <= max(1, due * 0.01), "\(sum) of \(due)")
  }

  @Test func whatWasNotUsedIsSavedForAMomentOnly() {
    var bucket = TokenBucket()
    bucket.set(1000, at: 0)
    #expect(bucket.available(1_000_000, at: 3600) == 50)
  }

  @Test func aChangeHoldsAtOnce() {
    var bucket = TokenBucket()
    bucket.set(1_000_000, at: 0)
    _ = spent(&bucket, from: 0, for: 2, wanted: 65_536)
    bucket.set(100_000, at: 2)
    let slower = spent(&bucket, from: 2, for: 3, wanted: 65_536)
    #expect((290_000...306_000).contains(slower), "\(slower)")
    bucket.set(nil, at: 5)
    #expect(bucket.available(1 << 20, at: 5) == 1 << 20)
    #expect(bucket.delay(1 << 20) == 0)
  }

  @Test func itSaysHowLongToWait() {
    var bucket = TokenBucket()
    bucket.set(100_000, at: 0)
    #expect(bucket.available(1000, at: 0) == 0)
    // A thousand bytes are a hundredth of a second's worth.
    #expect(abs(bucket.delay(1000) - 0.01) < 1e-9)
    #expect(bucket.available(1000, at: 0.0101) == 1000)
    // Of more than that, a fiftieth of a second's worth is enough to go on with.
    #expect(abs(bucket.delay(1 << 20) - 0.0099) < 1e-9)
  }
}
