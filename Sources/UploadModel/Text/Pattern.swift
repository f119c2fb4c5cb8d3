import RegularExpressions

/// A regular expression for which replies are searched.
package struct Pattern: Hashable, Sendable {
  /// The expression as it was written.
  package let source: String
  /// The compiled expression.
  private let expression: RegularExpression
  private let steps: Int

  /// How many groups it captures, not counting the whole match.
  package var groups: Int { expression.groups }
  /// Whether it has a back-reference to one of its groups.
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

  /// The capture of the first group that takes part in the match, or else the whole match; nil if there is no match, or
  /// the search takes too long.
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

  /// The text with its first match or, if `all` is set, every match replaced.
  ///
  /// - Throws: if the search takes too long.
  /// - Parameter steps: how many steps the searches may take.
  func replacing(
    all: Bool, in text: String, steps: Int, with words: ([String?]) -> String
  ) throws -> String {
    try expression.replacing(all: all, in: text, steps: steps, with: words)
  }

  /// Whether two expressions have the same source.
  package static func == (a: Pattern, b: Pattern) -> Bool { a.source == b.source }

  /// Hashes what `==` compares.
  package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
