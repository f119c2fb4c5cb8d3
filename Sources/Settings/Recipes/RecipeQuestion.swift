import ScalarText

/// A text in a recipe that a person must replace.
package struct RecipeQuestion: Sendable {
  package enum Kind: Sendable {
    /// The beginning of a URL.
    case address
    /// A secret. The sample is the name of an environment variable, but the secret may be kept elsewhere.
    case secret
    /// Anything else.
    case text
  }

  /// The text in the recipe.
  package let sample: String
  package let words: String
  /// Whether the sample suits most people.
  package let isUsual: Bool
  /// Whether some people need no such text.
  package let isOptional: Bool
  package let kind: Kind

  /// Reads a line such as `#   [Uploads]    the folder`; nil for any other line.
  init?(_ line: String, in recipe: String) {
    guard let row = line.removingPrefix(scalars: "#   "), let gap = row.range(scalars: "  ")
    else { return nil }
    let place = String(row[..<gap.lowerBound])
    sample = place.trimming { "[]()".unicodeScalars.contains($0) }
    words = String(row[gap.upperBound...]).trimming(\.isBlank)
    isUsual = place.hasPrefix(scalars: "[")
    isOptional = place.hasPrefix(scalars: "(")
    kind =
      sample.hasPrefix(scalars: "http")
      ? .address : recipe.contains(scalars: "{env.\(sample)") ? .secret : .text
  }

  /// The sample as written in the recipe's strings.
  var written: String { kind == .secret ? "env.\(sample)" : sample }
}
