/// Glyphs of which nobody can say how many columns this terminal gives them.
///
/// ncurses must believe that it knows where the cursor is, so it is given blanks in their places.
/// They are put on top afterwards, each at its own position: whether a terminal draws one narrower or
/// as wide as the blanks, nothing beside it moves.
struct Overlay {
  /// What ncurses is given instead. It is no plain space, so that ncurses paints over the glyph when a
  /// space comes to stand there.
  static let blank: Unicode.Scalar = "\u{A0}"

  private var text = ""

  /// Adds a glyph at a place counted from 0, with the parameters of SGR (ECMA-48 §8.3.117).
  mutating func add(_ glyph: String, row: Int, column: Int, look: String) {
    text += "\u{1B}[\(row + 1);\(column + 1)H\u{1B}[0\(look)m\(glyph)"
  }

  /// What to send; the cursor and its attributes stay as they are (DECSC, DECRC).
  func sequence() -> String { text.isEmpty ? "" : "\u{1B}7\(text)\u{1B}8" }
}
