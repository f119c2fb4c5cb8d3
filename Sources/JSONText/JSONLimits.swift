/// How much JSON is taken. The length is whoever's who has the bytes; what they become is bounded here.
package struct JSONLimits: Hashable, Sendable {
  /// The most arrays and objects inside one another. Reading, comparing and freeing a value calls itself
  /// once for each of them.
  package var depth: Int
  /// The most values, those inside arrays and objects included. Each takes more memory than its text:
  /// `[[],[],…]` has three bytes of text a value.
  package var values: Int

  /// Limits: 128 levels and a million values, unless given otherwise.
  package init(depth: Int = 128, values: Int = 1_000_000) {
    self.depth = depth
    self.values = values
  }
}
