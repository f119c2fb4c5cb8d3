import CChild
import Foundation

/// A program that outlives this one.
package enum DetachedProgram {
  /// Starts a program in a session of its own, without a terminal.
  ///
  /// - Parameters:
  ///   - words: its path, or a name to be looked up on the PATH, and its arguments.
  ///   - files: the descriptors that become its 0, 1, 2 and so on, at most eight; a negative one stands for
  ///     `/dev/null`. It inherits no others.
  /// - Returns: the number of its process.
  /// - Throws: `Command.Failure.notStarted`.
  package static func start(_ words: [String], files: [Int32]) throws(Command.Failure) -> pid_t {
    var arguments = words.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var process = pid_t()
    let code = child_detach(&arguments, files, Int32(files.count), &process)
    guard code == 0 else {
      if process > 0 { waitpid(process, nil, 0) }
      throw .notStarted(program: words.first ?? "", errno: code)
    }
    return process
  }
}
