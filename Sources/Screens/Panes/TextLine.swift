/// A line of text on the screen, in spans of one look each.
struct TextLine {
  var spans: [(glyphs: ArraySlice<Glyph>, role: Role)] = []
  var link: String?

  init(_ text: String = "", _ role: Role = .plain, ascii: Bool = false) {
    spans = [(Glyphs.of(text, ascii: ascii)[...], role)]
  }

  init(_ glyphs: ArraySlice<Glyph>, _ role: Role) { spans = [(glyphs, role)] }

  /// The line with the matches highlighted.
  func lighting(_ matcher: Matcher) -> TextLine {
    guard !matcher.isEmpty else { return self }
    var line = TextLine()
    line.spans = spans.flatMap { span in
      let lit = Set(matcher.places(in: Array(span.glyphs)).map { $0 + span.glyphs.startIndex })
      return span.glyphs.indices.map { index in
        (span.glyphs[index..<index + 1], lit.contains(index) ? .match : span.role)
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
      whole.spans += line.spans
      return whole
    }
  }
}

extension Canvas {
  /// Paints a line of text, cut at the end of the columns.
  mutating func put(_ line: TextLine, row: Int, columns: Range<Int>) {
    var column = columns.lowerBound
    let link = line.link.map { self.link(to: $0) } ?? 0
    for (index, span) in line.spans.enumerated() {
      var style = Style(span.role)
      // The spans before the last are the label.
      if index == line.spans.count - 1 { style.link = link }
      column += put(
        span.glyphs, row: row, column: column, width: columns.upperBound - column, style: style)
    }
  }
}
