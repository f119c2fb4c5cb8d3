import ScalarText
import UploadModel

/// Comma-separated values (RFC 4180), for scripts, spreadsheets and people.
///
/// Names and replies are untrusted. Control characters and invisible characters are replaced (`SafeText`), line breaks
/// and tabs only on a terminal: in a file they are quoted and harmless. A text that a spreadsheet would take for a
/// formula gets an apostrophe in front, which makes it a text there. JSON output contains the original text.
package enum CSV {
  /// A line of values, without a line break.
  package static func row(_ values: [String], isForTerminal: Bool = false) -> String {
    values.map { field($0, isForTerminal) }.joined(separator: ",")
  }

  private static func field(_ text: String, _ isForTerminal: Bool) -> String {
    let safe = SafeText.line(text, keeping: isForTerminal ? [] : ["\t", "\n", "\r"])
    let field = (isFormula(text) ? "'" : "") + safe
    guard field.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return field }
    return "\"" + field.replacing(scalars: "\"", with: "\"\"") + "\""
  }

  /// Whether a spreadsheet may evaluate the text: it begins with a tab or line break, or its first character that is
  /// neither a blank nor invisible is one of the `signs`, which include the full-width forms of East Asian scripts.
  private static func isFormula(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first else { return false }
    if ["\t", "\n", "\r"].contains(first) { return true }
    let sign = text.unicodeScalars.first { scalar in
      !scalar.isWhiteSpace && SafeText.isShown(scalar)
        && !scalar.properties.isDefaultIgnorableCodePoint
        && scalar.properties.generalCategory != .nonspacingMark
    }
    return sign.map(signs.contains) ?? false
  }

  private static let signs = Set("=+-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars)
}
