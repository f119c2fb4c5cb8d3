/// A command that converts the file before it is sent. It runs without a shell.
package struct PrepareCommand: Hashable, Sendable {
  /// The program and its arguments.
  package var words: [Template]
  /// Seconds until it is ended.
  package var timeout: Double

  /// A command.
  package init(words: [Template], timeout: Double = 60) {
    self.words = words
    self.timeout = timeout
  }
}
