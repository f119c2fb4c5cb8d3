import Foundation

extension Date {
  /// Local time, for people: "2026-11-20 22:15:07".
  var local: String {
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
    return formatted(style.year().month().day().time(includingFractionalSeconds: false))
  }
}
