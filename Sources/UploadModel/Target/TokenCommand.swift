import ScalarText

/// A command whose first line of output is a bearer token (RFC 6750).
package struct TokenCommand: Hashable, Sendable {
  /// The program and its arguments. It runs without a shell.
  package var words: [String]
  /// How long it may take, in seconds.
  package var timeout: Double

  /// A command of these words, at least one.
  package init(_ words: [String], timeout: Double = 30) {
    (self.words, self.timeout) = (words, timeout)
  }

  /// The program's name for messages, without its arguments, since these may be private. For `cat` with one file, it is
  /// "its file", since what the user configured is a file that contains the token.
  package var name: String {
    words.count == 2 && words[0] == "cat"
      ? "its file"
      : words.first.map { $0.split(scalar: "/", omittingEmptySubsequences: true).last ?? $0 } ?? ""
  }
}
