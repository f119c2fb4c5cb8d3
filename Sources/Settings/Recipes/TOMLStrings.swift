/// Changes strings in a TOML text and leaves everything else unchanged.
enum TOMLStrings {
  /// The text with each string changed by `change`, even in settings that a `#` turns off. Multi-line strings stay as
  /// they are.
  static func changing(_ text: String, _ change: (String) -> String) -> String {
    // A comment, so that quotation marks in it begin nothing, or a string.
    let form = #/[#] [^\n]*|"(?:[^"\\\n]|\\[^\n])*"|'[^'\n]*'/#.matchingSemantics(.unicodeScalar)
    return text.replacing(form) { match in
      let literal = String(match.0)
      // A comment is no value.
      guard
        let value = try? ConfigNode.parse("value = \(literal)", file: "").entries().first?.node
          .string()
      else { return literal }
      let changed = change(value)
      return changed == value ? literal : TOMLText.string(changed)
    }
  }
}
