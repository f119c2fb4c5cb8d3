import ScalarText

/// Reads durations as people write them.
package enum TimeSpan {
  private static let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]

  /// The seconds in a duration such as "30s", "5 m" or "1.5h"; nil if it is not a duration.
  package static func seconds(_ text: String) -> Double? {
    for (unit, factor) in units where text.hasSuffix(scalars: unit) {
      let number = String(text.unicodeScalars.dropLast(unit.utf8.count)).trimming(\.isWhiteSpace)
      if let value = Double(number), value >= 0 { return value * factor }
    }
    return nil
  }
}
