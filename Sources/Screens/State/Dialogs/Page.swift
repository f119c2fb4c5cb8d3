/// A text to read, such as the details of a row of the history.
struct Page: Sendable {
  /// The row of the history that the page describes and that keys act on; nil for other texts.
  var row: HistoryRow?
  var title: String
  var lines: [(text: String, role: Role)]
  var scroll = 0
  /// The text, laid out.
  let text = Memoized<Paper, [TextLine]>()

  /// The width and the character set for which a text is laid out.
  struct Paper: Equatable, Sendable {
    var width: Int
    var isASCII: Bool
  }

  func layOut(_ paper: Paper) -> [TextLine] {
    lines.flatMap { line in
      TextLine.wrapped(line.text, line.role, to: paper.width, ascii: paper.isASCII).map {
        var piece = $0
        if let url = row?.url, line.text == url { piece.link = url }
        return piece
      }
    }
  }
}
