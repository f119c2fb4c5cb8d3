/// A regular expression for which replies are searched.
package struct Pattern: Hashable, Sendable {
  /// The expression as it was written.
  package let source: String
  let expression: RegularExpression
  private let steps: Int

  /// How many groups it captures, not counting the whole match.
  package var groups: Int { expression.groups }
  /// Whether it has a back-reference to one of its groups.
  package var refersBack: Bool { expression.refersBack }

  /// Reads an expression. Throws if it is not valid, or too long. Each search for it takes at most `steps` steps.
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
  func value(in text: String) -> String? { (try? firstMatch(in: text)).flatMap(Self.value) }

  static func value(of match: [String?]) -> String? {
    match.dropFirst().lazy.compactMap { $0 }.first ?? match.first ?? nil
  }

  /// The first match and what its groups capture; nil if nothing matches. Throws if the search takes too long.
  func firstMatch(in text: String) throws -> [String?]? {
    try expression.firstMatch(in: text, steps: steps)
  }

  package static func == (a: Pattern, b: Pattern) -> Bool { a.source == b.source }

  package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
