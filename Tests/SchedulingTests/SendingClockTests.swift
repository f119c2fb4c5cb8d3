import Testing

@testable import Scheduling
@testable import UploadModel

/// The one clock of all summaries: what it counts, to the second.
@Suite struct SendingClockTests {
  private enum Event {
    case adds(Int, at: Double)
    case begins(at: Double)
    case ends(at: Double)
    case fails(at: Double)
    /// An attempt fails, and another one is to follow.
    case retries(at: Double)
    /// A file that waits is paused.
    case pauses(at: Double)
    /// A file that is under way is paused.
    case breaksOff(at: Double)
    /// A paused file waits again.
    case resumes(at: Double)
    case stops(at: Double)
    case starts(at: Double)
    case mayGetMore(Bool, at: Double)
    case forgets
  }

  /// What the clock says after these events, each file having a thousand bytes, and how often it stopped.
  private static func played(_ events: [Event]) -> (figures: SendingFigures, stops: Int) {
    var clock = SendingClock()
    var stops = 0
    func change(_ old: SendingClock.Phase?, _ new: SendingClock.Phase?, _ seconds: Double) {
      if clock.record(from: old, to: new, at: Instant(seconds: seconds)) { stops += 1 }
    }
    for event in events {
      switch event {
      case .adds(let count, let at): for _ in 0..<count { change(nil, .waiting, at) }
      case .begins(let at): change(.waiting, .underWay, at)
      case .ends(let at):
        clock.recordArrival(of: 1000)
        change(.underWay, nil, at)
      case .fails(let at): change(.underWay, nil, at)
      case .retries(let at): change(.underWay, .waiting, at)
      case .pauses(let at): change(.waiting, .paused, at)
      case .breaksOff(let at): change(.underWay, .paused, at)
      case .resumes(let at): change(.paused, .waiting, at)
      case .stops(let at):
        if clock.setStarted(false, at: Instant(seconds: at)) { stops += 1 }
      case .starts(let at):
        if clock.setStarted(true, at: Instant(seconds: at)) { stops += 1 }
      case .mayGetMore(let may, let at):
        if clock.setAwaitsMore(may, at: Instant(seconds: at)) { stops += 1 }
      case .forgets: clock.startAnew()
      }
    }
    return (clock.figures, stops)
  }

  /// `count` files of 5 ms each, one after another, from this time on, with 1 ms between them.
  private static func small(_ count: Int, from start: Double) -> [Event] {
    [.adds(count, at: start)]
      + (0..<count).flatMap { number -> [Event] in
        let begin = start + Double(number) * 0.006
        return [.begins(at: begin), .ends(at: begin + 0.005)]
      }
  }

  private static let rows: [(String, [Event], seconds: Double, files: Int64, stops: Int)] = [
    ("nothing", [.adds(1, at: 5)], 0, 0, 0),
    ("one file, from its begin on", [.adds(1, at: 5), .begins(at: 7), .ends(at: 10)], 3, 1, 1),
    (
      "two at once",
      [.adds(2, at: 0), .begins(at: 0), .begins(at: 1), .ends(at: 4), .ends(at: 6)], 6, 2, 1
    ),
    ("4,000 small files", small(4000, from: 50), 4000 * 0.006 - 0.001, 4000, 1),
    (
      "what fails takes time as well",
      [.adds(2, at: 0), .begins(at: 0), .fails(at: 4), .begins(at: 4), .ends(at: 5)], 5, 1, 1
    ),
    (
      "so does waiting for another attempt",
      [.adds(1, at: 0), .begins(at: 0), .retries(at: 1), .begins(at: 61), .ends(at: 62)], 62, 1, 1
    ),
    (
      "a stopped queue goes on until nothing is under way",
      [
        .adds(2, at: 0), .begins(at: 0), .stops(at: 1), .ends(at: 3), .starts(at: 100),
        .begins(at: 100), .ends(at: 102),
      ], 5, 2, 2
    ),
    (
      "a queue that is stopped while it waits for a server",
      [
        .adds(1, at: 0), .begins(at: 0), .retries(at: 1), .stops(at: 10), .starts(at: 100),
        .begins(at: 105), .ends(at: 106),
      ], 16, 1, 2
    ),
    (
      "a queue that is stopped before its first file",
      [.stops(at: 0), .adds(1, at: 0), .starts(at: 50), .begins(at: 51), .ends(at: 52)], 1, 1, 1
    ),
    (
      "everything that is left is paused",
      [
        .adds(3, at: 0), .begins(at: 0), .ends(at: 2), .pauses(at: 3), .pauses(at: 4),
        .resumes(at: 50), .begins(at: 50), .ends(at: 51), .resumes(at: 90), .begins(at: 90),
        .ends(at: 91),
      ], 6, 3, 3
    ),
    (
      "one of two is paused while the other goes on",
      [
        .adds(2, at: 0), .begins(at: 0), .begins(at: 0), .breaksOff(at: 1), .ends(at: 10),
        .resumes(at: 30), .begins(at: 30), .ends(at: 31),
      ], 11, 2, 2
    ),
    (
      "two batches are one sum, without the time between them",
      [
        .adds(1, at: 0), .begins(at: 1), .ends(at: 2), .adds(1, at: 500), .begins(at: 502),
        .ends(at: 505),
      ], 4, 2, 2
    ),
    (
      "a batch after those that were cleared",
      [
        .adds(1, at: 0), .begins(at: 1), .ends(at: 2), .forgets, .adds(1, at: 500),
        .begins(at: 502), .ends(at: 505),
      ], 3, 1, 2
    ),
    (
      "what is cleared while others are under way still counts",
      [
        .adds(2, at: 0), .begins(at: 0), .begins(at: 0), .ends(at: 2), .forgets, .ends(at: 5),
      ], 5, 2, 1
    ),
    (
      "waiting for more files, if there are more",
      [
        .mayGetMore(true, at: 0), .adds(1, at: 0), .begins(at: 0), .ends(at: 1),
        .adds(1, at: 20), .begins(at: 20), .ends(at: 21), .mayGetMore(false, at: 90),
      ], 21, 2, 1
    ),
    (
      "the clock of the machine jumps back",
      [.adds(1, at: 0), .begins(at: 10), .ends(at: 9)], 0, 1, 1
    ),
  ]

  @Test(arguments: rows.indices)
  func itCountsFromTheFirstBeginToTheLastEnd(_ index: Int) {
    let row = Self.rows[index]
    let (figures, stops) = Self.played(row.1)
    #expect(abs(figures.seconds - row.seconds) < 1e-6, "\(row.0): \(figures.seconds) s")
    #expect(figures.bytes == row.files * 1000, "\(row.0)")
    #expect(stops == row.stops, "\(row.0): stopped \(stops) times")
  }

  @Test(arguments: [(false, 9.0, 1005), (true, 2, 1000)] as [(Bool, Double, Int64)])
  func itGoesOnWhereAnotherProcessHasEnded(startsAnew: Bool, seconds: Double, bytes: Int64) {
    let before = SendingFigures(seconds: 7, bytes: 5)
    var clock = SendingClock(after: before, startsAnew: startsAnew)
    _ = clock.record(from: nil, to: .waiting, at: Instant(seconds: 100))
    // What is shown stays until the next file begins.
    #expect(clock.figures == before)
    _ = clock.record(from: .waiting, to: .underWay, at: Instant(seconds: 200))
    clock.recordArrival(of: 1000)
    let hasStopped = clock.record(from: .underWay, to: nil, at: Instant(seconds: 202))
    #expect(hasStopped && clock.figures == SendingFigures(seconds: seconds, bytes: bytes))
  }

  @Test func theSpeedIsThatOfTheseBytesInThisTime() {
    #expect(SendingFigures(seconds: 4, bytes: 6_000_000).speed == 1_500_000)
    #expect(SendingFigures(seconds: 4).speed == nil && SendingFigures(bytes: 4).speed == nil)
  }

  @Test(
    arguments: [
      (0.0012, "1 ms"), (0.4, "0.4 s"), (4.63, "4.6 s"), (10, "10 s"), (47.4, "47 s"),
      (59.4, "59 s"), (59.6, "1:00"), (149, "2:29"), (3601, "1:00:01"),
    ])
  func aDurationIsSaidWithinFivePercent(_ seconds: Double, _ words: String) {
    #expect(HumanReadable.duration(seconds) == words)
  }
}
