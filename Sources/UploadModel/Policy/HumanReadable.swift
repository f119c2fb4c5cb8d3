import ScalarText

/// Sizes, speeds and times as a person reads them. The results do not depend on the locale, so that a frame of the
/// screen is the same everywhere.
package enum HumanReadable {
  /// A size in decimal units with at most four characters before the unit: "812 kB", "3.2 MB".
  package static func bytes(_ count: Int64) -> String {
    if count < 1000 { return "\(max(count, 0)) B" }
    var value = Double(count)
    for unit in ["kB", "MB", "GB", "TB", "PB"] {
      value /= 1000
      // From these bounds on, rounding would give "10.0" and "1000".
      if value < 9.95 { return "\(tenths(value)) \(unit)" }
      if value < 999.5 { return "\(Int(value.rounded())) \(unit)" }
    }
    return "\(Int((value / 1000).rounded())) EB"
  }

  /// A part of a size, and the size: "1.2 of 2.7 GB", "812 kB of 2.7 GB". If it is not all of it, that shows, however
  /// little is missing: "17.9 of 18.2 MB", "all but 12 B of 18 MB".
  package static func part(_ part: Int64, of all: Int64) -> String {
    let (a, b) = (bytes(part), bytes(all))
    if part < all, a == b {
      return closePart(part, of: all) ?? "all but \(bytes(all &- part)) of \(b)"
    }
    let (x, y) = (a.split(scalar: " "), b.split(scalar: " "))
    return x.last == y.last ? "\(x[0]) of \(b)" : "\(a) of \(b)"
  }

  /// A part and its size with as many digits as tell them apart; nil if three after the point do not.
  private static func closePart(_ part: Int64, of all: Int64) -> String? {
    var (unit, scale) = ("kB", 1000.0)
    for next in ["MB", "GB", "TB", "PB"] where Double(all) / scale >= 999.5 {
      (unit, scale) = (next, scale * 1000)
    }
    for places in 1...3 {
      let numbers = [part, all].map { decimal(Double($0) / scale, places: places) }
      if numbers[0] != numbers[1] { return "\(numbers[0]) of \(numbers[1]) \(unit)" }
    }
    return nil
  }

  /// A speed: "2.1 MB/s".
  package static func speed(_ bytesPerSecond: Double) -> String {
    guard bytesPerSecond.isFinite, bytesPerSecond < 9e18 else { return "—" }
    return "\(bytes(Int64(max(0, bytesPerSecond).rounded())))/s"
  }

  /// A remaining or elapsed time: "0:03", "12:40", "3:05:00", "4 days".
  package static func clock(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 86_400 * 1000 else { return "—" }
    let whole = Int(max(0, seconds).rounded())
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    if hours >= 48 { return "\(hours / 24) days" }
    if hours > 0 { return "\(hours):\(padded(minutes)):\(padded(rest))" }
    return "\(minutes):\(padded(rest))"
  }

  /// The remaining time, formatted like ``clock(_:)`` and never zero.
  package static func timeLeft(_ seconds: Double) -> String { clock(max(1, seconds)) }

  /// A span in words: "5 ms", "0.4 s", "8 s", "2 min".
  package static func seconds(_ seconds: Double) -> String {
    guard seconds.isFinite else { return "—" }
    // Below this bound, rounding to tenths could turn a short time into zero.
    if seconds > 0, seconds < 0.0995 { return "\(Int(max(1, (seconds * 1000).rounded()))) ms" }
    if seconds < 9.95, seconds != seconds.rounded() { return "\(tenths(max(0, seconds))) s" }
    if seconds < 120 { return "\(Int(max(0, seconds).rounded())) s" }
    if seconds < 7200 { return "\(Int((seconds / 60).rounded())) min" }
    return "\(Int(min(seconds / 3600, 1e6).rounded())) h"
  }

  /// How long something took, to within 5 %: "5 ms", "4.6 s", "47 s", "2:05", "3:05:00".
  package static func duration(_ seconds: Double) -> String {
    seconds < 59.5 ? self.seconds(seconds) : clock(seconds)
  }

  /// How long ago something was: "just now", "5 min ago", "2 h ago", "3 days ago".
  package static func ago(_ seconds: Double) -> String {
    guard seconds.isFinite else { return "—" }
    let minutes = Int(min(max(0, seconds) / 60, 1e9))
    if minutes < 1 { return "just now" }
    if minutes < 60 { return "\(minutes) min ago" }
    return minutes < 48 * 60 ? "\(minutes / 60) h ago" : "\(minutes / 1440) days ago"
  }

  /// `done` of `total` in whole percent; 100 only if everything is done.
  package static func percent(_ done: Int64, of total: Int64) -> Int {
    guard total > 0, done < total else { return 100 }
    return min(99, max(0, Int(Double(done) / Double(total) * 100)))
  }

  /// "1 to 64"
  package static func range(_ range: ClosedRange<Int>) -> String {
    "\(range.lowerBound) to \(range.upperBound)"
  }

  /// `count` and the noun, in the plural if needed: "1 file", "3 files", "1,500 files".
  package static func count(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(grouped(count)) \(noun)s"
  }

  /// A number with its thousands apart: "4,112".
  package static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    let groups = digits.indices.map { index in
      (index > 0 && (digits.count - index) % 3 == 0 ? "," : "") + String(digits[index])
    }
    return (number < 0 ? "-" : "") + groups.joined()
  }

  private static func tenths(_ value: Double) -> String { decimal(value, places: 1) }

  private static func decimal(_ value: Double, places: Int) -> String {
    let power = (0..<places).reduce(1) { power, _ in power * 10 }
    let whole = Int((value * Double(power)).rounded())
    let digits = String(whole % power)
    return "\(whole / power).\(String(repeating: "0", count: places - digits.utf8.count))\(digits)"
  }

  private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
