/// Limits on the JSON that is accepted. Callers limit its length; these limit the memory and stack that it needs.
package struct JSONLimits: Hashable, Sendable {
  /// The deepest nesting of arrays and objects. Reading, comparing and freeing a value recurse once per level.
  package var depth: Int
  /// The most values, including those inside arrays and objects. Each takes more memory than its text: in
  /// `[[],[],…]` a value has only three bytes of text.
  package var values: Int

  package init(depth: Int = 128, values: Int = 1_000_000) {
    self.depth = depth
    self.values = values
  }
}
