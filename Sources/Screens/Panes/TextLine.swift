/// A line of running text on the screen.
struct TextLine {
  var runs: [(glyphs: ArraySlice<Glyph>, role: Role)] = []

  init(_ text: String = "", _ role: Role = .plain, ascii: Bool = false) {
    runs = [(Glyphs.of(text, ascii: ascii)[...], role)]
  }

  init(_ glyphs: ArraySlice<Glyph>, _ role: Role) { runs = [(glyphs, role)] }
}
