import TestSupport
import Testing

@testable import Scheduling
@testable import UploadModel

/// The numbers that the tuner finds, against the best fixed ones.
@Suite struct ConcurrencyTunerTests {
  typealias Conditions = LineSimulator.Conditions

  /// A row of the table.
  struct Row {
    let conditions: Conditions
    let files: String
    let sizes: [Int]

    var name: String { "\(conditions.name), \(files)" }

    /// Nil if all files have the same size.
    func inOtherOrder(_ seed: UInt64) -> Row? {
      guard Set(sizes).count > 1 else { return nil }
      var random = SplitMix64(seed: seed)
      return Row(conditions: conditions, files: files, sizes: sizes.shuffled(using: &random))
    }
  }

  private static let megabit = 1e6

  private static let lines = [
    Conditions(name: "network of a house", delay: 0.001, bandwidth: 1000 * megabit, service: 0.001),
    Conditions(name: "10 ms, 100 Mbit/s", delay: 0.01, bandwidth: 100 * megabit, service: 0.002),
    Conditions(name: "50 ms, 100 Mbit/s", delay: 0.05, bandwidth: 100 * megabit, service: 0.005),
    Conditions(name: "50 ms, 20 Mbit/s", delay: 0.05, bandwidth: 20 * megabit, service: 0.005),
    Conditions(name: "50 ms, 2 Mbit/s", delay: 0.05, bandwidth: 2 * megabit, service: 0.005),
    Conditions(name: "200 ms, 100 Mbit/s", delay: 0.2, bandwidth: 100 * megabit, service: 0.01),
    Conditions(
      name: "4 slow workers", delay: 0.02, bandwidth: 100 * megabit, workers: 4, service: 0.1),
    Conditions(
      name: "one worker", delay: 0.02, bandwidth: 100 * megabit, workers: 1, service: 0.05),
    Conditions(
      name: "16 slow workers", delay: 0.05, bandwidth: 1000 * megabit, workers: 16, service: 0.2),
  ]

  private static let kinds: [(name: String, sizes: [Int])] = [
    ("2000 of 10 KiB", [Int](repeating: 10 << 10, count: 2000)),
    ("300 of 1 MiB", [Int](repeating: 1 << 20, count: 300)),
    ("40 of 20 MiB", [Int](repeating: 20 << 20, count: 40)),
    ("600 of 300 kB", [Int](repeating: 300_000, count: 600)),
    ("mixed", mixed),
  ]

  private static var mixed: [Int] {
    var random = SplitMix64(seed: 5)
    return (0..<600).map { _ in
      [4096, 20_480, 300_000, 3_000_000].randomElement(using: &random) ?? 0
    }
  }

  private static let pieces = (
    name: "100 pieces of 5 MiB", sizes: [Int](repeating: 5 << 20, count: 100)
  )
  private static let small = kinds[0], medium = kinds[1], large = kinds[2]

  private static let others: [(Conditions, (name: String, sizes: [Int]))] = [
    (
      Conditions(
        name: "8 workers", delay: 0.1, bandwidth: 50 * megabit, workers: 8, service: 0.03), small
    ),
    (
      Conditions(
        name: "8 workers", delay: 0.1, bandwidth: 50 * megabit, workers: 8, service: 0.03), kinds[4]
    ),
    (
      Conditions(
        name: "32 workers", delay: 0.03, bandwidth: 1000 * megabit, workers: 32, service: 0.1),
      small
    ),
    (
      Conditions(
        name: "2 workers", delay: 0.005, bandwidth: 1000 * megabit, workers: 2, service: 0.02),
      medium
    ),
    (
      Conditions(
        name: "a home's line, whose queue is seen", delay: 0.03, bandwidth: 8 * megabit,
        service: 0.01, buffer: 0.5), medium
    ),
    (
      Conditions(
        name: "a limit of 8 Mbit/s", delay: 0.05, bandwidth: 100 * megabit, service: 0.01,
        limit: 8 * megabit), medium
    ),
    (
      Conditions(
        name: "a server that loses most of its workers", delay: 0.02, bandwidth: 100 * megabit,
        workers: 16, service: 0.1, change: (at: 8, workers: 2)), small
    ),
    (
      Conditions(
        name: "a server that gains workers", delay: 0.02, bandwidth: 100 * megabit, workers: 2,
        service: 0.05, change: (at: 10, workers: 16)), small
    ),
    (
      Conditions(
        name: "300 ms", delay: 0.3, bandwidth: 20 * megabit, service: 0.05), small
    ),
    (
      Conditions(
        name: "a server that thinks for a second", delay: 0.02, bandwidth: 100 * megabit,
        service: 1), medium
    ),
    (
      Conditions(
        name: "50 ms, 0.1 % lost", delay: 0.05, bandwidth: 1000 * megabit, connection: 1e6,
        service: 0.002), pieces
    ),
    (thinking, ("1500 of 4 to 300 kB", varied(1500))),
    (queued, medium),
  ]

  private static let thinking = Conditions(
    name: "50 ms, a server that thinks for 50 ms", delay: 0.05, bandwidth: 1000 * megabit,
    window: 14_600, service: 0.05)

  /// A line whose queue, if it is full, makes the round-trip time three times as long.
  private static let queued = Conditions(
    name: "50 ms, 100 Mbit/s, with a queue of 0.1 s", delay: 0.05, bandwidth: 100 * megabit,
    window: 14_600, service: 0.002, buffer: 0.1)

  private static func varied(_ count: Int) -> [Int] {
    (0..<count).map { [4096, 20_480, 300_000][$0 % 3] }
  }

  static let rows: [Row] =
    lines.flatMap { line in
      kinds.map { kind in
        // Runs take less than an hour.
        let most = Int(
          Double(kind.sizes.count) * 3000 * line.bandwidth / 8 / Double(kind.sizes.reduce(0, +)))
        return Row(
          conditions: line, files: kind.name, sizes: Array(kind.sizes.prefix(max(8, most))))
      }
    } + others.map { Row(conditions: $0.0, files: $0.1.name, sizes: $0.1.sizes) }

  /// What the tuner makes of a row.
  private struct Found {
    /// Seconds with the best fixed number.
    let best: Double
    /// The smallest number that comes within 5 % of that.
    let least: Int
    let run: LineSimulator.Result

    init(_ row: Row, seed: UInt64) {
      let run = { LineSimulator.run(row.conditions, row.sizes, lanes: $0, seed: seed) }
      let fixed = [1, 2, 4, 8, 16, 32].map { (lanes: $0, seconds: run($0).seconds) }
      let best = fixed.map(\.seconds).min() ?? 0
      self.best = best
      least = fixed.first { $0.seconds <= 1.05 * best }?.lanes ?? 0
      self.run = run(nil)
    }

    /// The number of lanes beside the one that is enough, or four.
    var excess: Double { run.lanes / Double(max(4, least)) }
  }

  /// Connections are three times as quick until they lose their first packet; each lane then does the same, however many
  /// there are.
  @Test func aRushAtTheBeginningIsNotTakenForTheRule() {
    var tuner = ConcurrencyTuner(range: 1...32)
    var begins: [Double] = []
    var most = 0
    for tenth in 0..<450 {
      let now = Double(tenth) / 10
      while begins.count < tuner.lanes {
        begins.append(now)
        tuner.recordBegin(at: Instant(seconds: now))
      }
      // Of the requests, which all take longer than this, none ends.
      for begin in begins {
        tuner.recordAcknowledged(
          now - begin < 2 ? 300_000 : 100_000, roundTrip: 0.05, isLimited: false,
          underWay: min(begins.count, tuner.lanes), at: Instant(seconds: now))
      }
      begins = Array(begins.prefix(tuner.lanes))
      most = max(most, tuner.lanes)
    }
    #expect(most == 32)
  }

  /// Files may be prepared for seconds before the first of them is sent. That says nothing of the line.
  @Test func whatIsNotSentYetIsNotMeasured() {
    var tuner = ConcurrencyTuner(range: 1...32)
    for _ in 0..<4 { tuner.recordBegin(at: Instant(seconds: 0)) }
    var least = tuner.lanes
    for tick in 0..<60 {
      let now = Instant(seconds: 4 + Double(tick) / 10)
      for _ in 0..<tuner.lanes {
        tuner.recordAcknowledged(
          10_000, roundTrip: 0.05, isLimited: false, underWay: tuner.lanes, at: now)
        least = min(least, tuner.lanes)
        guard tick > 0 else { continue }
        tuner.recordEnd(
          .fine, of: 10_000, began: now + -0.1, underWay: tuner.lanes, at: now)
        tuner.recordBegin(at: now)
      }
    }
    #expect(least == 4)
    #expect(tuner.lanes == 32)
  }

  /// What is lost is the climb. The round-trip time is known.
  @Test(arguments: [
    (varied(300), 0.75), (varied(500), 0.8), ([Int](repeating: 10 << 10, count: 400), 0.8),
  ])
  func aShortRunIsNotOverBeforeTheNumberIsFound(sizes: [Int], least: Double) {
    var line = Self.thinking
    line.buffer = 0.1
    for seed in 1...8 as ClosedRange<UInt64> {
      let best = LineSimulator.run(line, sizes, lanes: 32, seed: seed).seconds
      let found = LineSimulator.run(line, sizes, seed: seed).seconds
      #expect(best / found >= least, "\(found) s instead of \(best) s, seed \(seed)")
    }
  }

  /// Busy workers and a full line are noticed as soon as with longer steps.
  @Test(arguments: [
    (Conditions(name: "1", delay: 0.05, bandwidth: 1e8, workers: 1, service: 0.1), 10 << 10),
    (Conditions(name: "2", delay: 0.05, bandwidth: 1e8, workers: 2, service: 0.1), 10 << 10),
    (Conditions(name: "20 Mbit/s", delay: 0.05, bandwidth: 20e6, service: 0.005), 300_000),
    (Conditions(name: "2 Mbit/s", delay: 0.05, bandwidth: 2e6, service: 0.005), 10 << 10),
  ])
  func aQuickClimbStopsWhereLanesDoNotPay(line: Conditions, size: Int) {
    var line = line
    line.buffer = 0.3
    let run = LineSimulator.run(line, [Int](repeating: size, count: 300))
    #expect(run.most <= 8)
  }

  /// The queue in front of this line is too short for a round-trip time of more than three times the least.
  @Test func aLineIsFullBeforeItsQueueIs() {
    let run = LineSimulator.run(Self.queued, Self.medium.sizes)
    #expect(run.most <= 8)
  }

  /// Connections are quick until they lose their first packet, so fewer lanes seem to have done as much as more of them
  /// do a moment later.
  @Test(arguments: [(count: 102, least: 0.7), (204, 0.75)])
  func piecesOverALineThatLosesPackets(count: Int, least: Double) {
    let line = Conditions(
      name: "50 ms, 0.1 % lost after a rush", delay: 0.05, bandwidth: 1000 * Self.megabit,
      connection: 1.1e6, rush: 8e6, window: 14_600, service: 0.002, buffer: 0.05)
    let pieces = [Int](repeating: 5 << 20, count: count)
    // When the first packets are lost is chance.
    let shares = (1...16).map { (seed: UInt64) in
      let best = [16, 32].map { LineSimulator.run(line, pieces, lanes: $0, seed: seed).seconds }
      return (best.min() ?? 0) / LineSimulator.run(line, pieces, seed: seed).seconds
    }
    let share = shares.reduce(0, +) / Double(shares.count)
    #expect(share >= least, "\(share) of the best fixed number")
  }

  /// In other variations, files of different sizes come in another order, and servers take other times.
  @Test(arguments: 0...3) func itComesNearTheBestFixedNumberWithFewLanes(variation: UInt64) {
    let rows = variation == 0 ? Self.rows : Self.rows.compactMap { $0.inOtherOrder(variation) }
    let found = rows.map { (row: $0, made: Found($0, seed: variation + 1)) }
    for (row, made) in found {
      #expect(
        made.run.seconds <= 3 || made.best / made.run.seconds >= 0.8,
        "\(row.name): \(made.run.seconds) s instead of \(made.best) s")
      #expect(made.excess <= 2, "\(row.name): \(made.run.lanes) lanes; \(made.least) are enough")
    }
    let mean = found.map(\.made.excess).reduce(0, +) / Double(found.count)
    #expect(mean <= 1, "\(mean) times as many lanes as are enough")
  }
}
