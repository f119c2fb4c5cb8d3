import TestSupport
import Testing

@testable import Scheduling
@testable import UploadModel

/// What a request costs beside its content, and what is made of it.
@Suite struct RequestCostTests {
  /// The cost that is found if requests of these sizes take as long as a function of them.
  private func cost(_ sizes: [Double], _ seconds: (Double) -> Double) -> Double {
    var cost = RequestCost()
    for size in sizes { cost.record(bytes: size, seconds: seconds(size)) }
    return cost.bytes
  }

  private let mixed = [4096.0, 20_480, 300_000, 3_000_000, 20_480, 4096, 300_000, 3_000_000]

  @Test func itIsWhatTakesAsLongAsTheDelay() {
    // A tenth of a second, and a megabyte per second.
    #expect(abs(cost(mixed) { 0.1 + $0 / 1e6 } - 1e5) < 1)
  }

  @Test func whereOnlyDelayCountsContentDoesNot() {
    #expect(cost(mixed) { _ in 0.2 } > 5 * (mixed.max() ?? 0))
    // Where large ones happened to be quicker as well.
    #expect(cost(mixed) { 0.2 - $0 / 1e8 } > 5 * (mixed.max() ?? 0))
  }

  @Test func whereOnlyBytesCountItIsSmall() {
    #expect(cost(mixed) { $0 / 1e6 } == RequestCost.usual)
  }

  @Test func sizesThatHardlyDifferTellNothing() {
    var random = SplitMix64(seed: 1)
    let equal = (0..<100).map { _ in Double.random(in: 1e6...1.2e6, using: &random) }
    #expect(cost(equal) { 0.1 + $0 / 1e6 } == RequestCost.usual)
  }

  @Test func fewRequestsTellNothing() {
    #expect(cost(Array(mixed.prefix(4))) { 0.1 + $0 / 1e6 } == RequestCost.usual)
    #expect(cost([]) { $0 } == RequestCost.usual)
  }

  @Test func itFollowsTheLine() {
    var cost = RequestCost()
    for _ in 0..<20 { for size in mixed { cost.record(bytes: size, seconds: 0.1 + size / 1e6) } }
    for _ in 0..<60 { for size in mixed { cost.record(bytes: size, seconds: 0.1 + size / 1e7) } }
    #expect(abs(cost.bytes / 1e6 - 1) < 0.05)
  }

  @Test func aLargeRequestAmongSmallOnesTellsLittle() {
    var work = MeasuredWork()
    for _ in 0..<8 { work.recordEnd(of: 10_000) }
    #expect(abs(work.equalEnds(cost: 0) - 8) < 0.01)
    work.recordEnd(of: 3_000_000)
    #expect(work.equalEnds(cost: 0) < 1.1)
    // Unless the content hardly counts.
    #expect(work.equalEnds(cost: 100_000_000) > 8.9)
  }

  /// What is done in two seconds if this many bytes are acknowledged each fortieth of a second.
  private func work(_ bytes: (Int) -> Double) -> MeasuredWork {
    var work = MeasuredWork()
    for look in 1...80 {
      work.recordAcknowledged(
        bytes(look), since: Instant(seconds: 0), at: Instant(seconds: Double(look) / 40))
    }
    return work
  }

  @Test func bytesThatComeInBurstsAreNotSteady() {
    #expect(work { _ in 25_000 }.isSteady)
    #expect(work { $0 % 2 == 0 ? 50_000 : 0 }.isSteady)
    #expect(!work { $0 % 40 < 10 ? 100_000 : 0 }.isSteady)
    #expect(!MeasuredWork().isSteady)
  }
}
