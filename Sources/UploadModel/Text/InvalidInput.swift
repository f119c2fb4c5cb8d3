/// Why something that the user wrote, or a server answered, cannot be used.
public struct InvalidInput: Error, Hashable, CustomStringConvertible {
  /// What is wrong and what would be right, as a sentence without its full stop.
  public let description: String

  /// The error that says this.
  public init(_ description: String) { self.description = description }
}
