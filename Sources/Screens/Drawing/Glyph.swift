/// One character of the grid: a scalar and at most two marks on it.
///
/// Terminals agree on the width of such a character, except for spacing marks. They disagree on longer clusters, which
/// are therefore never sent; see `Glyphs`.
package struct Glyph: Hashable, Sendable {
  /// The character itself; NUL in the right half of a wide one.
  package var base: Unicode.Scalar
  /// A combining mark on it, or NUL.
  package var mark: Unicode.Scalar = "\0"
  /// Another combining mark, or NUL.
  package var secondMark: Unicode.Scalar = "\0"
  /// Columns: 1, 2, or 0 in the right half of a wide character.
  package var width: UInt8 = 1

  /// Whether a mark needs a column of its own in some terminals and none in others. `width` includes that column. The
  /// glyph must be put on blank cells, and the cursor then moved to the next cell by position.
  package var isFlexible = false

  static let space = Glyph(base: " ")
  static let rightHalf = Glyph(base: "\0", width: 0)

  package var text: String {
    var scalars = String.UnicodeScalarView()
    for scalar in [base, mark, secondMark] where scalar != "\0" { scalars.append(scalar) }
    return String(scalars)
  }
}

extension Glyph {
  /// One of the program's own signs, or its replacement if the terminal has only ASCII.
  init(sign: Unicode.Scalar, ascii: Bool) {
    self.init(base: ascii ? Self.plainer[sign] ?? sign : sign)
  }

  private static let plainer: [Unicode.Scalar: Unicode.Scalar] = [
    // Lines and bars.
    "─": "-", "│": "|", "┌": "+", "┐": "+", "└": "+", "┘": "+", "┬": "+", "┴": "+", "┼": "+",
    "╭": "+", "╮": "+", "╰": "+", "╯": "+", "═": "=", "━": "#", "≈": "?", "┅": "x",
    // States.
    "‖": "=", "▲": "^", "▼": "v", "·": " ", "↑": "^", "…": "~", "↻": "r", "✓": "+", "✗": "x",
    // The row under the cursor.
    "▸": ">", "▌": ">",
  ]
}
