import Foundation
import Testing

@testable import hoist

@Suite struct ServerTimeTests {
  @Test(arguments: [
    ("2026-11-20T22:15:03Z", "2026-11-20 23:15"), ("2026-11-20T22:15:03.123Z", "2026-11-20 23:15"),
    ("2026-11-20T22:15:03+02:00", "2026-11-20 21:15"), ("2026-11-20T22:15:03", "2026-11-20 23:15"),
    ("2026-11-20 22:15:03Z", "2026-11-20 23:15"),
    ("2026-11-20T22:15:03.123456+00:00", "2026-11-20 23:15"),
    ("Fri, 20 Nov 2026 22:15:03 GMT", "2026-11-20 23:15"), ("1795212903", "2026-11-20 23:15"),
    ("1795212903000", "2026-11-20 23:15"), ("1795212903.5", "2026-11-20 23:15"),
    // What is no time stays as it came.
    ("yesterday", "yesterday"), ("", ""), ("17", "17"), ("inf", "inf"), ("2026", "2026"),
    ("2026-11-20", "2026-11-20"),
  ])
  func byTheClockOnTheWall(_ text: String, _ local: String) throws {
    let zone = try #require(TimeZone(secondsFromGMT: 3600))
    #expect(ServerTime().local(text, in: zone) == local)
  }

  @Test("The C library and Foundation know the same local time, in winter, in summer and long ago")
  func localTime() {
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
      .year().month().day().time(includingFractionalSeconds: false)
    for seconds in [0, 0.999, 1_763_800_000.5, 1_784_800_000, 4_102_444_800, -1] {
      let date = Date(timeIntervalSince1970: seconds)
      #expect(date.local == date.formatted(style))
    }
  }
}
