import Foundation

/// Local time, for people. It uses the C library, since Foundation would load ICU's zones and calendars, which a short
/// command can do without.
extension Date {
  /// "2026-11-20 22:15:07".
  package var local: String { formatted(as: "%Y-%m-%d %H:%M:%S") }

  /// "2026-11-20 22:15".
  package var localMinute: String { formatted(as: "%Y-%m-%d %H:%M") }

  /// "2026-11-20".
  package var localDay: String { formatted(as: "%Y-%m-%d") }

  /// "today" or "yesterday" as of `now`; the date of any other day.
  package func dayWord(at now: Date) -> String {
    let day = localDay
    if day == now.localDay { return "today" }
    return day == now.startOfDay(before: 1).localDay ? "yesterday" : day
  }

  /// "22:15:07".
  package var localClock: String { formatted(as: "%H:%M:%S") }

  /// "22:15".
  package var clockMinute: String { formatted(as: "%H:%M") }

  /// The offset of local time from UTC: "UTC+0100".
  package var zone: String { formatted(as: "UTC%z") }

  /// The beginning of the day that is `days` days before this one, in local time.
  package func startOfDay(before days: Int32) -> Date {
    var parts = localParts
    (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (0, 0, 0, -1)
    parts.tm_mday -= days
    return Date(timeIntervalSince1970: Double(mktime(&parts)))
  }

  private var localParts: tm {
    var seconds = time_t(exactly: timeIntervalSince1970.rounded(.down)) ?? 0
    var parts = tm()
    localtime_r(&seconds, &parts)
    return parts
  }

  private func formatted(as format: String) -> String {
    var parts = localParts
    var text = [CChar](repeating: 0, count: 64)
    let length = strftime(&text, text.count, format, &parts)
    return String(decoding: text.prefix(length).map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
  }
}
