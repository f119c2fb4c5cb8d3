import ArgumentParser
import ProcessContext

extension ExitStatus {
  /// Ends the command with this status unless it is success.
  func exitUnlessSuccess() throws {
    if self != .success { throw ExitCode(rawValue) }
  }
}
