import ScalarText

/// A filter. It shows rows whose names or targets match its text, and rows of the kinds that its words name: "failed",
/// "yesterday", "failed jpg".
struct RowFilter: Hashable, Sendable {
  let text: String
  private let whole: Matcher
  private let kinds: [RowKind]
  /// What is looked for in the names and targets of the rows: the words that name no kind.
  let matcher: Matcher

  init(_ text: String) {
    self.text = text
    whole = Matcher(text)
    let words = text.split(scalar: " ", omittingEmptySubsequences: true)
    kinds = words.compactMap(RowKind.init)
    matcher = Matcher(words.filter { RowKind($0) == nil }.joined(separator: " "))
  }

  /// Whether rows can appear and disappear without a change of name.
  var hasKinds: Bool { !kinds.isEmpty }

  func shows(_ row: some PaneRow) -> Bool {
    if whole.matches(row.name, or: row.target) { return true }
    return hasKinds && kinds.allSatisfy { row.is($0) }
      && matcher.matches(row.name, or: row.target)
  }

  func shows(_ position: Int, of rows: some ListRows) -> Bool {
    let (name, target) = (rows.name(at: position), rows.target(at: position))
    if whole.matches(name, or: target) { return true }
    return hasKinds && kinds.allSatisfy { rows.is($0, at: position) }
      && matcher.matches(name, or: target)
  }
}
