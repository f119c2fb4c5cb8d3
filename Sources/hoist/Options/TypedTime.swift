import Foundation
import ProcessContext
import ScalarText

/// Times as people write them on the command line.
enum TypedTime {
  /// Examples of accepted times, for help texts and messages.
  static let examples =
    "\"yesterday\", \"2026-11-20\", \"2026-11-20 18:00\", or an age such as \"90m\", \"12h\", \"7d\""

  /// The moment that `text` names. A day stands for its beginning in local time.
  static func date(_ text: String, of option: String, now: Date) throws -> Date {
    if let date = age(text, now) ?? day(text, now) ?? local(text) { return date }
    if let date = try? Date(text, strategy: .iso8601) { return date }
    if isSkipped(text) {
      throw UserError(
        "\(option) \(text): there is no such time here, because clocks are set forward then; name one an hour earlier or "
          + "later")
    }
    throw UserError("\(option) \(text): expected \(examples.replacing(scalars: "\"", with: ""))")
  }

  private static func age(_ text: String, _ now: Date) -> Date? {
    guard let unit = text.unicodeScalars.last,
      let count = Double(String(text.unicodeScalars.dropLast())), count >= 0,
      let seconds = (["s": 1.0, "m": 60, "h": 3_600, "d": 86_400] as [Unicode.Scalar: Double])[unit]
    else { return nil }
    return now.addingTimeInterval(-count * seconds)
  }

  private static func day(_ text: String, _ now: Date) -> Date? {
    switch text.lowercasedASCII {
    case "today": now.startOfDay(before: 0)
    case "yesterday": now.startOfDay(before: 1)
    default: nil
    }
  }

  /// A day, or a time as hoist itself prints it.
  private static func local(_ text: String) -> Date? {
    guard var parts = parts(text) else { return nil }
    let date = Date(timeIntervalSince1970: Double(mktime(&parts)))
    // The C library takes 31 February for a day in March.
    return date.local.hasPrefix(scalars: text.replacing(scalars: "T", with: " ")) ? date : nil
  }

  /// Whether the text is a time of the calendar that was left out here, as an hour is when summer time begins.
  private static func isSkipped(_ text: String) -> Bool {
    guard let parts = parts(text) else { return false }
    var ofCalendar = parts
    guard timegm(&ofCalendar) != -1 else { return false }
    return (parts.tm_mon, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec)
      == (
        ofCalendar.tm_mon, ofCalendar.tm_mday, ofCalendar.tm_hour, ofCalendar.tm_min,
        ofCalendar.tm_sec
      )
  }

  /// The numbers of a time.
  private static func parts(_ text: String) -> tm? {
    let numbers = text.utf8.split(whereSeparator: { "- :T".utf8.contains($0) }).map {
      Int32(String(decoding: $0, as: UTF8.self)) ?? -1
    }
    guard [3, 5, 6].contains(numbers.count), numbers.allSatisfy({ (0...9_999).contains($0) })
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1_900, numbers[1] - 1, numbers[2])
    if numbers.count > 3 { (parts.tm_hour, parts.tm_min) = (numbers[3], numbers[4]) }
    if numbers.count > 5 { parts.tm_sec = numbers[5] }
    parts.tm_isdst = -1
    return parts
  }
}
