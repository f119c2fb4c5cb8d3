import ArgumentParser

/// How hoist ends.
enum ExitStatus: Int32 {
  case success = 0
  case someFailed = 1
  case usage = 2
  case interrupted = 130

  /// Ends the command with this status unless it is success.
  func exitUnlessSuccess() throws {
    if self != .success { throw ExitCode(rawValue) }
  }
}
