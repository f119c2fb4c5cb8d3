/// Comma-separated values (RFC 4180).
enum CSV {
  /// A line of values, without its end.
  static func row(_ values: [String]) -> String { values.map(field).joined(separator: ",") }

  /// Values with commas, quotes or line breaks stand in quotes. By scalars: CR and LF together are one
  /// character, which is neither.
  private static func field(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { [",", "\"", "\r", "\n"].contains($0) }) else {
      return text
    }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
