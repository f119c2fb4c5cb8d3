import Foundation

extension Date {
  /// Local time, for people: "2026-11-20 22:15:07".
  var local: String { clock(in: .current) }

  /// The same without seconds, in a zone.
  func minute(in zone: TimeZone = .current) -> String { String(clock(in: zone).prefix(16)) }

  private func clock(in zone: TimeZone) -> String {
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: zone)
    return formatted(style.year().month().day().time(includingFractionalSeconds: false))
  }
}
