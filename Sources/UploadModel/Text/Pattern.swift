import RegularExpressions

/// A regular expression that is looked for in replies.
package struct Pattern: Hashable, Sendable {
  /// The expression as it was written.
  package let source: String
  /// The same, ready to be looked for.
  private let expression: RegularExpression
  private let steps: Int

  /// How many groups it captures, without the whole match.
  package var groups: Int { expression.groups }
  /// Whether it refers to what one of its groups has captured.
  package var refersBack: Bool { expression.refersBack }

  /// Reads an expression.
  ///
  /// - Parameter steps: how many steps a search may take.
  /// - Throws: `InvalidInput` if it is not a valid expression, or too long.
  package init(_ source: String, steps: Int = SearchBudget.steps) throws(InvalidInput) {
    (self.source, self.steps) = (source, steps)
    do {
      expression = try RegularExpression(source)
    } catch {
      throw InvalidInput("the regular expression \(error)")
    }
  }

  /// What the first of its groups that takes part in the match captures, or else the whole match; nil if there is no
  /// match, or the search takes too long.
  func value(in text: String) -> String? {
    guard let groups = try? firstMatch(in: text) else { return nil }
    return groups.dropFirst().lazy.compactMap { $0 }.first ?? groups.first ?? nil
  }

  /// The first match and what its groups capture; nil if there is none.
  ///
  /// - Throws: if the search takes too long.
  func firstMatch(in text: String) throws -> [String?]? {
    try expression.firstMatch(in: text, steps: steps)
  }

  /// The text with its first match replaced, or all of them.
  ///
  /// - Throws: if the search takes too long.
  /// - Parameter steps: what the search may cost.
  func replacing(
    all: Bool, in text: String, steps: Int, with words: ([String?]) -> String
  ) throws -> String {
    try expression.replacing(all: all, in: text, steps: steps, with: words)
  }

  /// Two expressions that are written alike.
  package static func == (a: Pattern, b: Pattern) -> Bool { a.source == b.source }

  /// Feeds in what `==` compares.
  package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
