import ScalarText

/// What a filter shows: rows whose names hold its text, and rows that are as its words say: "failed",
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

  /// What its names hold that are shown.
  var matcher: Matcher { hasKinds ? rest : name }

  /// Whether a row can come and go without having got another name.
  var hasKinds: Bool { !kinds.isEmpty }

  func shows<Rows: ListRows>(_ position: Int, of rows: Rows) -> Bool {
    let name = rows.name(at: position)
    if self.name.matches(name) { return true }
    return hasKinds && kinds.allSatisfy { rows.is($0, at: position) } && rest.matches(name)
  }
}
