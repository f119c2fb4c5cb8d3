import ScalarText

/// A filter. It shows rows whose names match its text, and rows of the kinds that its words name: "failed",
/// "yesterday", "failed jpg".
struct RowFilter: Hashable, Sendable {
  let text: String
  private let name: Matcher
  private let kinds: [RowKind]
  /// The words that name no kind.
  private let rest: Matcher

  init(_ text: String) {
    self.text = text
    name = Matcher(text)
    let words = text.split(scalar: " ", omittingEmptySubsequences: true)
    kinds = words.compactMap(RowKind.init)
    rest = Matcher(words.filter { RowKind($0) == nil }.joined(separator: " "))
  }

  /// What is looked for in the names of the rows.
  var matcher: Matcher { hasKinds ? rest : name }

  /// Whether rows can appear and disappear without a change of name.
  var hasKinds: Bool { !kinds.isEmpty }

  func shows<Rows: ListRows>(_ position: Int, of rows: Rows) -> Bool {
    let name = rows.name(at: position)
    if self.name.matches(name) { return true }
    return hasKinds && kinds.allSatisfy { rows.is($0, at: position) } && rest.matches(name)
  }
}
