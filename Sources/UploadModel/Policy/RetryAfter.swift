import Foundation
import ScalarText

/// How long a server asks to wait: seconds or an HTTP date, as in the header field `Retry-After` (RFC 9110 §10.2.3).
package enum RetryAfter {
  /// The longest wait that is understood, in seconds.
  static let longest = 1e9

  /// Seconds until a time in a reply: an HTTP date, or seconds since 1970. Nil if it is neither.
  package static func seconds(until value: String, in end: TransferEnd, now: Date) -> Double? {
    let now = end.serverTime(now)
    guard let seconds = seconds(value, now: now) else { return nil }
    guard seconds >= longest, let time = Double(value.trimming(\.isWhiteSpace)) else {
      return seconds
    }
    return bounded(time - now.timeIntervalSince1970)
  }

  /// Seconds from `now` until the server wants to be asked again; `nil` if the value has neither format. A date in the
  /// past gives 0. Some servers also send fractions of a second.
  static func seconds(_ value: String, now: Date) -> Double? {
    let text = value.trimming(\.isWhiteSpace)
    let parts = text.split(scalar: ".")
    if (1...2).contains(parts.count),
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) })
    {
      return Double(text).map(bounded)
    }
    return date(text, now: now).map { bounded($0.timeIntervalSince(now)) }
  }

  static func bounded(_ seconds: Double) -> Double { min(max(0, seconds), longest) }

  /// Parses the three formats of an HTTP date (RFC 9110 §5.6.7).
  static func date(_ text: String, now: Date) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    // A two-digit year that would be more than 50 years from now lies in the past.
    formatter.twoDigitStartDate = now.addingTimeInterval(-50 * 365.25 * 86_400)
    for format in [
      "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'",
      "EEE MMM d HH:mm:ss yyyy",
    ] {
      formatter.dateFormat = format
      if let date = formatter.date(from: text) { return date }
    }
    return nil
  }
}

extension TransferEnd {
  /// The server's own time when it replied, which the times in its reply are relative to; `now` if it does not say. The
  /// clocks of servers, and this machine's, may be wrong.
  func serverTime(_ now: Date) -> Date {
    guard let text = headers["date"],
      let date = RetryAfter.date(text.trimming(\.isWhiteSpace), now: now)
    else { return now }
    // A cache passes on the time of the reply that it has kept (RFC 9111 §5.1).
    let age = headers["age"].flatMap { Double($0.trimming(\.isWhiteSpace)) } ?? 0
    return date.addingTimeInterval(max(0, RetryAfter.bounded(age)))
  }
}
