/// Glyphs whose width in this terminal is unknown.
///
/// ncurses has to know the position of the cursor, so it is given blanks in their places. The glyphs are
/// drawn on top afterwards, each at its own position, so that nothing beside them moves, however wide they
/// are.
struct Overlay {
  /// The blank for ncurses. It is no plain space, so that ncurses overwrites the glyph when a space is put
  /// there.
  static let blank: Unicode.Scalar = "\u{A0}"

  private var text = ""

  /// Adds a glyph at a place counted from 0, with the parameters of SGR (ECMA-48 §8.3.117).
  mutating func add(_ glyph: String, row: Int, column: Int, look: String) {
    text += "\u{1B}[\(row + 1);\(column + 1)H\u{1B}[0\(look)m\(glyph)"
  }

  /// The output, which saves and restores the cursor and its attributes (DECSC, DECRC).
  func sequence() -> String { text.isEmpty ? "" : "\u{1B}7\(text)\u{1B}8" }
}
