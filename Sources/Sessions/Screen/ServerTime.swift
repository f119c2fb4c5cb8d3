import Foundation

/// Converts servers' timestamps to local time. Make one for a whole list: Foundation's formatters are slow to create.
struct ServerTime {
  private let formatters: [DateFormatter]
  private let plain = Date.ISO8601FormatStyle()
  private let fine = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  /// Not by the C library, whose calendar differs: some servers write the year 1 for "never".
  private let shown = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
    .year().month().day().time(includingFractionalSeconds: false)

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
  func local(_ text: String) -> String {
    date(text).map { String($0.formatted(shown).prefix(16)) } ?? text
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
