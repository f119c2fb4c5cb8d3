import ScalarText

/// Text from outside (file names, server replies) as a terminal may show it.
///
/// This is the only place where text is made safe: nothing else in the program strips or escapes it.
package enum SafeText {
  /// `text` on one line. Each control character, line break, and invisible or reordering format character becomes a
  /// visible stand-in, so that the terminal takes no part of the text for a command and no character is mistaken for
  /// another.
  ///
  /// C0 controls and DEL become their control pictures (U+2400…). C1 controls, which an 8-bit terminal takes for escape
  /// sequences, become U+FFFD. If `ascii` is set, `?` takes the place of all characters that are not printable ASCII.
  package static func line(
    _ text: some StringProtocol, ascii: Bool = false, keeping kept: Set<Unicode.Scalar> = []
  ) -> String {
    if isPlain(text.utf8) { return String(text) }
    var safe = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      safe.append(kept.contains(scalar) ? scalar : standIn(for: scalar, ascii: ascii))
    }
    return String(safe)
  }

  /// The beginning of a text that may be long, on one line.
  package static func beginning(of text: String) -> String {
    // Cut by scalars: a single `Character` can be as long as the text.
    let (scalars, most) = (text.unicodeScalars, 200)
    return line(String(scalars.prefix(most))) + (scalars.count > most ? "…" : "")
  }

  /// Whether the text is all printable ASCII, as most names are.
  private static func isPlain(_ text: some Collection<UInt8>) -> Bool {
    // A single call, if the text is contiguous in memory.
    text.withContiguousStorageIfAvailable { $0.allSatisfy(isPrintable) }
      ?? text.allSatisfy(isPrintable)
  }

  private static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F }

  /// The lines of `text`, each made safe by `line`, with two spaces in place of each tab.
  package static func lines(_ text: some StringProtocol, ascii: Bool = false) -> [String] {
    // CR and LF together are one `Character`. Combining marks never join a line break, so every line break is found.
    let lines = String(text).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.map { line($0.replacing(scalars: "\t", with: "  "), ascii: ascii) }
  }

  /// Whether a terminal may show the scalar as it is, and a person can see it.
  package static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    standIn(for: scalar, ascii: false) == scalar
  }

  private static func standIn(for scalar: Unicode.Scalar, ascii: Bool) -> Unicode.Scalar {
    switch scalar.value {
    case 0x20..<0x7F: return scalar
    case _ where ascii: return "?"
    case 0..<0x20: return picture(0x2400 + scalar.value)
    case 0x7F: return picture(0x2421)
    case 0x80..<0xA0: return replacement
    default: break
    }
    let properties = scalar.properties
    // U+200D joins emoji, and variation selectors pick a form: both are harmless and intended. Other
    // invisible characters, such as the Hangul fillers, make two names look the same.
    if scalar.value == 0x200D || properties.isVariationSelector { return scalar }
    if properties.isDefaultIgnorableCodePoint { return replacement }
    switch properties.generalCategory {
    case .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: return replacement
    default: return scalar
    }
  }

  private static let replacement: Unicode.Scalar = "\u{FFFD}"

  private static func picture(_ value: UInt32) -> Unicode.Scalar {
    Unicode.Scalar(value) ?? replacement
  }
}
