import Foundation
import ProcessContext
import Testing

@testable import hoist

@Suite("Times on the command line")
struct TypedTimeTests {
  private static let now = Date(timeIntervalSince1970: 1_763_655_307.5)

  private static func date(_ text: String) throws -> Date {
    try TypedTime.date(text, of: "--since", now: now)
  }

  @Test(
    "an age goes back from now",
    arguments: [("90m", 5_400.0), ("12h", 43_200), ("7d", 604_800), ("0s", 0), ("1.5h", 5_400)])
  func ages(text: String, seconds: Double) throws {
    #expect(try Self.date(text) == Self.now.addingTimeInterval(-seconds))
  }

  @Test("a day stands for its beginning, and a time is read as it is printed")
  func days() throws {
    #expect(try Self.date("today") <= Self.now)
    #expect(try Self.date("Yesterday") < Self.date("today"))
    #expect(try Self.date("today").localClock == "00:00:00")
    #expect(try Self.date(Self.now.localDay) == Self.date("today"))
    #expect(try Self.date("2026-11-20").local == "2026-11-20 00:00:00")
    for text in [Self.now.local, "2026-02-28 23:59:59"] {
      #expect(try Self.date(text).local == text)
    }
    #expect(try Self.date("2026-11-20 18:05").local == "2026-11-20 18:05:00")
    #expect(try Self.date("2026-11-20T18:05:09").local == "2026-11-20 18:05:09")
    #expect(
      try Self.date("2026-11-20T18:00:00Z") == Date("2026-11-20T18:00:00Z", strategy: .iso8601))
  }

  @Test(
    "nothing else is a time",
    arguments: [
      "", "d", "-1d", "soon", "2026-02-31", "2026-13-01", "2026-11-20 25:00", "1d\u{301}",
      "2026-11-20x",
    ])
  func others(text: String) {
    #expect(throws: UserError.self) { try Self.date(text) }
  }
}
