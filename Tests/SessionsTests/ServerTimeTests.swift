import Foundation
import Testing

@testable import Sessions

@Suite struct ServerTimeTests {
  @Test(arguments: [
    "2026-11-20T22:15:03Z", "2026-11-20T22:15:03.123Z", "2026-11-21T00:15:03+02:00",
    "2026-11-20T22:15:03", "2026-11-20 22:15:03Z", "2026-11-20T22:15:03.123456+00:00",
    "Fri, 20 Nov 2026 22:15:03 GMT", "1795212903", "1795212903000", "1795212903.5",
  ])
  func byTheClockOnTheWall(_ text: String) {
    #expect(ServerTime().local(text) == Date(timeIntervalSince1970: 1_795_212_903).localMinute)
  }

  @Test func theYearOneStaysTheYearOne() {
    #expect(ServerTime().local("0001-06-01T00:00:00Z").utf8.starts(with: "0001-".utf8))
  }

  @Test(arguments: ["yesterday", "", "17", "inf", "2026", "2026-11-20"])
  func whatIsNoTimeStaysAsItCame(_ text: String) {
    #expect(ServerTime().local(text) == text)
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
