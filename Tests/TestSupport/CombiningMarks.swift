/// Texts in which a special character is no `Character` of its own any more: a mark behind it makes one
/// grapheme cluster of both. Whatever escapes, quotes, splits or hides must not be misled by that.
public enum CombiningMarks {
  /// An accent, a joiner and a variation selector.
  public static let all: [Unicode.Scalar] = ["\u{301}", "\u{200D}", "\u{FE0F}"]

  /// The text as it is, with each mark after all of its special characters, and with each after each one.
  public static func variants(of text: String, special: (Unicode.Scalar) -> Bool) -> [String] {
    let scalars = Array(text.unicodeScalars)
    let places = scalars.indices.filter { special(scalars[$0]) }
    return [text]
      + all.flatMap { mark in
        ([places] + places.map { [$0] }).map { chosen in
          var variant = String.UnicodeScalarView()
          for (index, scalar) in scalars.enumerated() {
            variant.append(scalar)
            if chosen.contains(index) { variant.append(mark) }
          }
          return String(variant)
        }
      }
  }

  /// The same, with every character that is no letter or digit taken for special.
  public static func variants(of text: String) -> [String] {
    variants(of: text) { !$0.properties.isAlphabetic && $0.properties.numericType == nil }
  }
}
