import CChild
import Foundation

/// A program that outlives hoist.
package enum DetachedProgram {
  /// Starts a program in its own session, without a terminal, and returns its process ID. `words` are like those of a
  /// `Command`. `files` become the program's descriptors 0, 1, 2 and so on, at most eight; a negative one stands for
  /// `/dev/null`. The program inherits no others.
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
