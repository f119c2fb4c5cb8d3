/// Glyphs whose width in this terminal is unknown.
///
/// ncurses has to know the cursor's position, so it is given blanks in place of these glyphs. The glyphs are
/// drawn on top afterwards, each at its own position, so that their real widths cannot shift anything else.
struct Overlay {
  /// The blank for ncurses. A no-break space, so that ncurses overwrites the glyph when a plain space later
  /// takes its place.
  static let blank: Unicode.Scalar = "\u{A0}"

  private var text = ""

  /// Adds a glyph at a position counted from 0, with the given SGR parameters (ECMA-48 §8.3.117).
  mutating func add(_ glyph: String, row: Int, column: Int, look: String) {
    text += "\u{1B}[\(row + 1);\(column + 1)H\u{1B}[0\(look)m\(glyph)"
  }

  /// The output, which saves and restores the cursor and its attributes (DECSC, DECRC).
  func sequence() -> String { text.isEmpty ? "" : "\u{1B}7\(text)\u{1B}8" }
}
