/// A line of running text on the screen.
struct TextLine {
  var runs: [(glyphs: ArraySlice<Glyph>, role: Role)] = []
  var link: String?

  init(_ text: String = "", _ role: Role = .plain, ascii: Bool = false) {
    runs = [(Glyphs.of(text, ascii: ascii)[...], role)]
  }

  init(_ glyphs: ArraySlice<Glyph>, _ role: Role) { runs = [(glyphs, role)] }

  /// The line with the matches highlighted.
  func lighting(_ matcher: Matcher) -> TextLine {
    guard !matcher.isEmpty else { return self }
    var line = TextLine()
    line.runs = runs.flatMap { run in
      let lit = Set(matcher.places(in: Array(run.glyphs)).map { $0 + run.glyphs.startIndex })
      return run.glyphs.indices.map { index in
        (run.glyphs[index..<index + 1], lit.contains(index) ? .match : run.role)
      }
    }
    return line
  }

  /// `text` in lines of at most `width` columns.
  static func wrapped(_ text: String, _ role: Role, to width: Int, ascii: Bool) -> [TextLine] {
    TextFitting.wrapped(Glyphs.of(text, ascii: ascii), to: width).map { TextLine($0, role) }
  }

  /// `text` in lines, beside its label in `labels` columns.
  static func labelled(
    _ label: (text: String, role: Role), labels: Int, _ text: String, _ role: Role, to width: Int,
    ascii: Bool
  ) -> [TextLine] {
    wrapped(text, role, to: width - labels, ascii: ascii).enumerated().map { index, line in
      let name = index == 0 ? label.text : ""
      let padding = String(repeating: " ", count: max(1, labels - name.count))
      var whole = TextLine(name + padding, label.role, ascii: ascii)
      whole.runs += line.runs
      return whole
    }
  }
}

extension Canvas {
  /// Paints a line of running text, cut at the end of the columns.
  mutating func put(_ line: TextLine, row: Int, columns: Range<Int>) {
    var column = columns.lowerBound
    let link = line.link.map { self.link(to: $0) } ?? 0
    for (index, run) in line.runs.enumerated() {
      var style = Style(run.role)
      // The runs before the last are the label.
      if index == line.runs.count - 1 { style.link = link }
      column += put(
        run.glyphs, row: row, column: column, width: columns.upperBound - column, style: style)
    }
  }
}
