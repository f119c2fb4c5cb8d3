/// The scalars that a step matches.
struct PatternSet: Sendable {
  var ranges: [ClosedRange<UInt32>] = []
  var isNegated = false
  var ignoresCase = false

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    var isIn = ranges.contains { $0.contains(value) }
    if !isIn, ignoresCase {
      let properties = scalar.properties
      for other in [properties.lowercaseMapping, properties.uppercaseMapping] {
        guard let only = other.unicodeScalars.first, other.unicodeScalars.count == 1 else {
          continue
        }
        if ranges.contains(where: { $0.contains(only.value) }) { isIn = true }
      }
    }
    return isIn != isNegated
  }
}
