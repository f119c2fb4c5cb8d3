import Foundation

/// A command that makes the file to send out of the one that was given. It runs without a shell.
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
