import CChild
import Foundation

/// A program that outlives hoist.
package enum DetachedProgram {
  /// Starts a program in its own session, without a terminal.
  ///
  /// - Parameters:
  ///   - words: the program's path, or a name to look up on the PATH, followed by its arguments.
  ///   - files: the descriptors that become the program's 0, 1, 2 and so on, at most eight; a negative one stands for
  ///     `/dev/null`. The program inherits no others.
  /// - Returns: the process ID.
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
