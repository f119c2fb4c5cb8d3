import ScalarText

/// Reads durations as people write them.
package enum TimeSpan {
  /// Thirty years, in seconds.
  private static let longest = 1e9
  private static let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]

  /// The seconds in a duration such as "30s", "5 m" or "1.5h"; nil if it is not a duration, or one of
  /// many years.
  package static func seconds(_ text: String) -> Double? {
    for (unit, factor) in units where text.hasSuffix(scalars: unit) {
      let number = String(text.unicodeScalars.dropLast(unit.utf8.count)).trimming(\.isWhiteSpace)
      if let value = Double(number), (0...longest).contains(value * factor) {
        return value * factor
      }
    }
    return nil
  }
}
