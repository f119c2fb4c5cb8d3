/// How a placeholder writes a time: `{now|%Y/%m}`. The letters are those of strftime (POSIX) whose values are numbers.
package struct DateFormat: Hashable, Sendable {
  private enum Piece: Hashable {
    case text(String)
    case value(Letter)
  }

  private enum Letter: String, CaseIterable {
    case year = "Y"
    case month = "m"
    case day = "d"
    case hour = "H"
    case minute = "M"
    case second = "S"
    case yearOfCentury = "y"
    case dayOfYear = "j"
    /// The year that the ISO week belongs to (ISO 8601).
    case weekYear = "G"
    case week = "V"
    /// From 1 for Monday to 7.
    case weekday = "u"
  }

  /// The format as it is written.
  let source: String
  private let pieces: [Piece]

  /// Reads a format.
  init(_ source: String) throws(InvalidInput) {
    var (pieces, text) = ([Piece](), "")
    var rest = source.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "%" else {
        text.unicodeScalars.append(scalar)
        continue
      }
      let next = rest.popFirst()
      if next == "%" {
        text += "%"
      } else if let letter = next.flatMap({ Letter(rawValue: String($0)) }) {
        if !text.isEmpty { pieces.append(.text(text)) }
        text = ""
        pieces.append(.value(letter))
      } else {
        let known = Letter.allCases.map { "%\($0.rawValue)" }.joined(separator: " ")
        throw InvalidInput(
          "\"%\(next.map { String($0) } ?? "")\" is unknown in a date; available: \(known) %%")
      }
    }
    if !text.isEmpty { pieces.append(.text(text)) }
    (self.source, self.pieces) = (source, pieces)
  }

  /// The text for a time in seconds since 1970, in a zone that is `offset` seconds ahead of UTC.
  func text(of seconds: Int64, offset: Int) -> String {
    let local = seconds + Int64(offset)
    let days = Self.quotient(local, 86_400)
    // Not `local - days * 86_400`: that product can be less than any `Int64`.
    let second = (local % 86_400 + 86_400) % 86_400
    let (year, month, day) = Self.date(of: days)
    let dayOfYear = days - Self.days(before: year)
    // 1970 began on a Thursday. The Thursday of a week is in the year that the week belongs to.
    let weekday = days + 3 - Self.quotient(days + 3, 7) * 7
    let thursday = days - weekday + 3
    let weekYear = Self.date(of: thursday).year
    return pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .value(.year): Self.padded(year, 4)
      case .value(.month): Self.padded(month, 2)
      case .value(.day): Self.padded(day, 2)
      case .value(.hour): Self.padded(second / 3600, 2)
      case .value(.minute): Self.padded(second / 60 % 60, 2)
      case .value(.second): Self.padded(second % 60, 2)
      case .value(.yearOfCentury): Self.padded(year - Self.quotient(year, 100) * 100, 2)
      case .value(.dayOfYear): Self.padded(dayOfYear + 1, 3)
      case .value(.weekYear): Self.padded(weekYear, 4)
      case .value(.week): Self.padded((thursday - Self.days(before: weekYear)) / 7 + 1, 2)
      case .value(.weekday): String(weekday + 1)
      }
    }.joined()
  }

  private static func padded(_ number: Int64, _ count: Int) -> String {
    let digits = String(number.magnitude)
    return (number < 0 ? "-" : "")
      + String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }

  /// The quotient, rounded down.
  private static func quotient(_ number: Int64, _ divisor: Int64) -> Int64 {
    number / divisor - (number % divisor < 0 ? 1 : 0)
  }

  /// How many days lie between 1970-01-01 and the first day of a year in the Gregorian calendar.
  private static func days(before year: Int64) -> Int64 {
    let last = year - 1
    return last * 365 + quotient(last, 4) - quotient(last, 100) + quotient(last, 400) - 719_162
  }

  /// The date of a day, which is given by its distance from 1970-01-01.
  private static func date(of days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // 400 years have 146,097 days, so this is off by at most one.
    var year = 1970 + quotient(days * 400, 146_097)
    while Self.days(before: year) > days { year -= 1 }
    while Self.days(before: year + 1) <= days { year += 1 }
    let month = (1...12).last { Self.days(before: year, month: $0) <= days } ?? 1
    return (year, Int64(month), days - Self.days(before: year, month: month) + 1)
  }

  /// How many days lie between 1970-01-01 and the first day of a month, which is counted from 1.
  static func days(before year: Int64, month: Int) -> Int64 {
    let isLeap = days(before: year + 1) - days(before: year) == 366
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return days(before: year) + lengths.prefix(month - 1).reduce(0, +)
  }
}
