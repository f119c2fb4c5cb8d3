import Foundation
import Testing
import UploadModel

@Suite struct HumanReadableTests {
  @Test(arguments: [
    (Failure.Cause.connectionRefused("Could not connect to server"), "refused"),
    (.nameNotResolved(host: "nas"), "name not resolved"),
    (.unreachable("Impossible de se connecter", .route), "no route"),
    (.unreachable("Impossible de se connecter", .network), "no network"),
    (.unreachable("nothing could be sent for 60 s", .answer), "no answer"),
    // Nothing is decided by words.
    (.unreachable("connect to timed-out.example: No route to host"), "host unreachable"),
  ])
  func whyAServerIsAway(_ cause: Failure.Cause, _ words: String) {
    #expect(Failure(cause).absence == words)
  }

  @Test func whatWasWrittenBeforeItWasACodeIsStillRead() throws {
    let before = Data(#"{"unreachable":{"_0":"No route to host"}}"#.utf8)
    #expect(
      try JSONDecoder().decode(Failure.Cause.self, from: before) == .unreachable("No route to host")
    )
    let now = Failure.Cause.unreachable("x", .route)
    #expect(try JSONDecoder().decode(Failure.Cause.self, from: JSONEncoder().encode(now)) == now)
  }

  @Test(
    arguments: [
      (-1, "0 B"), (0, "0 B"), (1, "1 B"), (999, "999 B"), (1000, "1.0 kB"), (1049, "1.0 kB"),
      (1050, "1.1 kB"), (9949, "9.9 kB"), (9950, "10 kB"), (99_499, "99 kB"), (812_000, "812 kB"),
      (999_499, "999 kB"), (999_500, "1.0 MB"), (3_200_000, "3.2 MB"), (999_500_000, "1.0 GB"),
      (4_100_000_000, "4.1 GB"), (2_000_000_000_000, "2.0 TB"), (3_000_000_000_000_000, "3.0 PB"),
      (.max, "9 EB"),
    ] as [(Int64, String)])
  func bytes(_ count: Int64, _ text: String) {
    #expect(HumanReadable.bytes(count) == text)
  }

  @Test func bytesNeverTakeMoreThanSixColumns() {
    var count: Int64 = 1
    while count < .max / 20 {
      for near in [count - 1, count, count + 1, count / 2 * 3] {
        #expect(HumanReadable.bytes(near).count <= 6, "\(near)")
      }
      count = count * 10 / 9 + 1
    }
  }

  @Test(arguments: [
    (0.0, "0 B/s"), (-5, "0 B/s"), (0.4, "0 B/s"), (2_100_000, "2.1 MB/s"), (.infinity, "—"),
    (.nan, "—"), (1e300, "—"),
  ])
  func speed(_ value: Double, _ text: String) {
    #expect(HumanReadable.speed(value) == text)
  }

  @Test(arguments: [
    (0.0, "0:00"), (-1, "0:00"), (0.4, "0:00"), (3, "0:03"), (59.6, "1:00"), (760, "12:40"),
    (3599.5, "1:00:00"), (11_100, "3:05:00"), (172_799, "47:59:59"), (172_800, "2 days"),
    (345_600, "4 days"), (1e12, "—"), (.infinity, "—"), (.nan, "—"),
  ])
  func clock(_ seconds: Double, _ text: String) {
    #expect(HumanReadable.clock(seconds) == text)
  }

  @Test func whatGoesOnTakesAtLeastASecond() {
    #expect([0, 0.2, 3, .infinity].map(HumanReadable.timeLeft) == ["0:01", "0:01", "0:03", "—"])
  }

  @Test(arguments: [
    (0.0, "0 s"), (0.4, "0.4 s"), (8, "8 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.6, "60 s"),
    (119, "119 s"), (120, "2 min"), (7199, "120 min"), (7200, "2 h"), (-3.5, "0.0 s"),
    (.infinity, "—"), (.nan, "—"),
  ])
  func seconds(_ seconds: Double, _ text: String) {
    #expect(HumanReadable.seconds(seconds) == text)
  }

  @Test(
    arguments: [
      (0, 100, 0), (1, 1000, 0), (50, 100, 50), (999, 1000, 99), (9999, 10_000, 99),
      (100, 100, 100),
      (150, 100, 100), (0, 0, 100), (-5, 100, 0), (.max - 1, .max, 99),
    ] as [(Int64, Int64, Int)])
  func percent(_ done: Int64, _ total: Int64, _ percent: Int) {
    #expect(HumanReadable.percent(done, of: total) == percent)
  }

  @Test(
    arguments: [
      (-5, "just now"), (0, "just now"), (59, "just now"), (60, "1 min ago"), (3_599, "59 min ago"),
      (3_600, "1 h ago"), (172_799, "47 h ago"), (172_800, "2 days ago"), (.infinity, "—"),
    ] as [(Double, String)])
  func ago(_ seconds: Double, _ text: String) { #expect(HumanReadable.ago(seconds) == text) }

  /// What is missing shows, however little it is.
  @Test(arguments: [
    (1_200_000_000, 2_700_000_000, "1.2 of 2.7 GB"), (812_000, 2_700_000_000, "812 kB of 2.7 GB"),
    (0, 0, "0 of 0 B"), (0, 5_000, "0 B of 5.0 kB"), (998, 999, "998 of 999 B"),
    (17_000_000, 18_000_000, "17 of 18 MB"), (17_900_000, 18_200_000, "17.9 of 18.2 MB"),
    (14_600_000, 15_000_000, "14.6 of 15.0 MB"), (14_990_000, 15_000_000, "14.99 of 15.00 MB"),
    (1_470_000, 1_510_000, "1.47 of 1.51 MB"), (18_200_000, 18_200_000, "18 of 18 MB"),
    (18_199_999_988, 18_200_000_000, "all but 12 B of 18 GB"),
    (Int64.max - 1, Int64.max, "all but 1 B of 9 EB"), (20_000_000, 15_000_000, "20 of 15 MB"),
  ])
  func part(_ part: Int64, _ all: Int64, _ text: String) {
    #expect(HumanReadable.part(part, of: all) == text)
  }

  @Test(arguments: [(0, "0 files"), (1, "1 file"), (2, "2 files"), (1_500, "1,500 files")])
  func count(_ count: Int, _ text: String) {
    #expect(HumanReadable.count(count, "file") == text)
  }
}
