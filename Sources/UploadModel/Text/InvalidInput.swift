/// Why something that the user wrote, or a server answered, cannot be used.
package struct InvalidInput: Error, Hashable, CustomStringConvertible {
  /// What is wrong and what would be right, as a sentence without its full stop.
  package let description: String

  package init(_ description: String) { self.description = description }
}
