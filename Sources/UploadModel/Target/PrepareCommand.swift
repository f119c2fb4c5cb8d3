/// A command that converts the file before it is sent. It runs without a shell.
public struct PrepareCommand: Hashable, Sendable {
  /// The program and its arguments.
  public var words: [Template]
  /// Seconds until it is ended.
  public var timeout: Double

  /// A command.
  public init(words: [Template], timeout: Double = 60) {
    self.words = words
    self.timeout = timeout
  }
}
