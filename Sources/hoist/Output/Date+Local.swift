import Foundation

extension Date {
  /// Local time, for people: "2026-11-20 22:15:07". It uses the C library, since Foundation would load ICU's zones and
  /// calendars, which a short command can do without.
  var local: String {
    var seconds = time_t(exactly: timeIntervalSince1970.rounded(.down)) ?? 0
    var parts = tm()
    localtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let length = strftime(&text, text.count, "%Y-%m-%d %H:%M:%S", &parts)
    return String(decoding: text.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The same without seconds.
  var localMinute: String { String(local.unicodeScalars.dropLast(3)) }

  /// The same in a zone.
  func minute(in zone: TimeZone = .current) -> String {
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: zone)
    return String(
      formatted(style.year().month().day().time(includingFractionalSeconds: false)).prefix(16))
  }
}
