import Foundation

/// Converts servers' timestamps to local time. Make one for a whole list, since Foundation's formatters take long to
/// create.
struct ServerTime {
  private let formatters: [DateFormatter]
  private let plain = Date.ISO8601FormatStyle()
  private let fine = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  init() {
    // HTTP dates (RFC 9110 §5.6.7), and ISO 8601 as databases write it: without a zone or with a space.
    let formats = [
      "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd HH:mm:ssXXXXX",
      "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXXXX",
    ]
    formatters = formats.map { format in
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(secondsFromGMT: 0)
      formatter.dateFormat = format
      return formatter
    }
  }

  /// The local time, such as "2026-11-20 22:15", of a text in ISO 8601, an HTTP date, or a number of seconds or
  /// milliseconds since 1970. Any other text stays as it is.
  func local(_ text: String, in zone: TimeZone = .current) -> String {
    date(text)?.minute(in: zone) ?? text
  }

  private func date(_ text: String) -> Date? {
    if let number = Double(text), number.isFinite {
      // As seconds, 1e11 is in the year 5138; as milliseconds, in 1973.
      let seconds = number >= 1e11 ? number / 1000 : number
      return (1e8..<1e11).contains(seconds) ? Date(timeIntervalSince1970: seconds) : nil
    }
    if let date = (try? plain.parse(text)) ?? (try? fine.parse(text)) { return date }
    return formatters.lazy.compactMap { $0.date(from: text) }.first
  }
}

extension Date {
  /// Local time in a zone, without seconds.
  fileprivate func minute(in zone: TimeZone) -> String {
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: zone)
    return String(
      formatted(style.year().month().day().time(includingFractionalSeconds: false)).prefix(16))
  }
}
