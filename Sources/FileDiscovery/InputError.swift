/// Why files cannot be found where they were to be.
public struct InputError: Error, CustomStringConvertible {
  /// The reason, and what to do about it where that helps.
  public let description: String
}
