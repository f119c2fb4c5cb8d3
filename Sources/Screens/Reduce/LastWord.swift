import ScalarText

/// The last word of a line that is read as a shell reads it: what is completed. It may not be complete, and a quote may
/// be open in it.
struct LastWord: Hashable, Sendable {
  /// The line up to the word.
  let before: String
  /// What the word stands for.
  private(set) var text = ""
  /// The quote that all of the word is in; nil if it is not quoted, or only in part.
  private let quote: Unicode.Scalar?

  init(of line: String) {
    let scalars = line.unicodeScalars
    var (rest, start) = (scalars[...], scalars.startIndex)
    var word = String.UnicodeScalarView()
    // The quote that is open, the one that the word began with, and whether a part of the word is outside it.
    var (open, first): (Unicode.Scalar?, Unicode.Scalar?)
    var isMixed = false
    while let scalar = rest.popFirst() {
      switch (open, scalar) {
      case (let quote?, _) where scalar == quote: open = nil
      case ("\"", "\\") where rest.first.map { "\"\\$`".unicodeScalars.contains($0) } == true:
        word.append(rest.removeFirst())
      case (.some, _): word.append(scalar)
      case (nil, _) where scalar.isBlank:
        (start, word, first, isMixed) = (rest.startIndex, String.UnicodeScalarView(), nil, false)
      case (nil, "'"), (nil, "\""):
        isMixed = isMixed || first != nil || !word.isEmpty
        (open, first) = (scalar, first ?? scalar)
      case (nil, _):
        isMixed = true
        word.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
      }
    }
    before = String(scalars[..<start])
    text = String(word)
    quote = isMixed ? nil : first
  }

  /// Whether it is a path that can be completed: in quotes, `~` is a name like any other.
  var isPath: Bool { quote == nil || !text.hasPrefix(scalars: "~") }

  /// The line with this path as its last word. The quote of a folder stays open, since a name may follow.
  func line(with path: String) -> String {
    guard let quote, quote == "\"" || !path.unicodeScalars.contains("'") else {
      return before + PastedPaths.escaped(path)
    }
    let special = quote == "\"" ? "\"\\$`" : ""
    let quoted = path.unicodeScalars.reduce(into: String.UnicodeScalarView()) { quoted, scalar in
      if special.unicodeScalars.contains(scalar) { quoted.append("\\") }
      quoted.append(scalar)
    }
    let end = path.hasSuffix(scalars: "/") ? "" : String(quote)
    return "\(before)\(quote)\(String(quoted))\(end)"
  }
}
