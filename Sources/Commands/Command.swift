import Foundation
import ScalarText
import Synchronization

/// Another program, run to its end without a shell, so that its arguments are passed on unchanged.
package struct Command: Hashable, Sendable {
  /// Why a program did not do what it was asked to do.
  package enum Failure: Error, Hashable, CustomStringConvertible {
    case notStarted(program: String, errno: Int32)
    /// The program exited with a non-zero status. `errors` is its standard error, without the words that also appear in
    /// its standard output, which may be secrets.
    case status(program: String, Int32, errors: String)
    /// A signal ended the program. `errors` is its standard error up to then.
    case signal(program: String, Int32, errors: String)
    /// The program ran for longer than this many seconds and was killed.
    case timeout(program: String, Double, errors: String)
    /// The program printed more than this many bytes and was killed.
    case tooMuchOutput(program: String, Int)
    case cancelled(program: String)

    /// One sentence without its full stop, ending in the program's own words.
    package var description: String {
      switch self {
      case .notStarted(let program, let code):
        "\(program) cannot be started: \(String(cString: strerror(code)))"
      case .status(let program, let status, let errors):
        "\(program) ended with status \(status)\(Self.said(errors))"
      case .signal(let program, let signal, let errors):
        "\(program) was ended by signal \(signal)\(Self.said(errors))"
      case .timeout(let program, let seconds, let errors):
        "\(program) did not finish within \(String(format: "%g", seconds)) s"
          + Self.said(errors)
      case .tooMuchOutput(let program, let bytes): "\(program) printed more than \(bytes) bytes"
      case .cancelled(let program): "\(program) was stopped"
      }
    }

    private static func said(_ errors: String) -> String {
      let words = errors.split(whereSeparator: \.isNewline)
        .map { $0.trimming(\.isWhiteSpace) }.filter { !$0.isEmpty }
        .joined(separator: "; ")
      return words.isEmpty ? "" : ": \(words)"
    }
  }

  /// The program's path, or a name to look up on the PATH, followed by its arguments.
  package var words: [String]
  /// How long the program may run, in seconds.
  package var timeout: Double
  /// The most bytes that the program may print.
  package var mostOutput: Int

  /// The most bytes of standard error that are kept.
  static let mostErrors = 4096

  /// A command. `words` must contain at least the program.
  package init(_ words: [String], timeout: Double = 10, mostOutput: Int = 64 * 1024) {
    self.words = words
    self.timeout = timeout
    self.mostOutput = mostOutput
  }

  var program: String { words.first ?? "" }

  /// The program's name, for messages.
  package var name: String {
    program.split(scalar: "/", omittingEmptySubsequences: true).last ?? program
  }

  /// Runs the program and returns what it printed. Blocks, so do not call this on the engine's queue. `isCancelled` is
  /// asked several times a second whether to stop.
  package func run(isCancelled: () -> Bool = { false }) throws(Failure) -> Data {
    // The child must be started on the thread that waits for it: see `Child`.
    var child = try Child(starting: words, program: program)
    defer { child.stop() }
    // A monotonic clock, since the time of day can be set while the program runs.
    let end = ContinuousClock.now + .seconds(timeout)
    while true {
      if isCancelled() { throw .cancelled(program: name) }
      let left = (end - ContinuousClock.now) / .seconds(1)
      guard left > 0 else { throw .timeout(program: name, timeout, errors: child.complaint) }
      child.read(seconds: min(left, 0.1))
      if child.output.count > mostOutput { throw .tooMuchOutput(program: name, mostOutput) }
      // A grandchild may keep the pipes open; only the program's own exit counts.
      guard let state = child.ended() else { continue }
      child.read(seconds: 0)
      // wait(2): the low seven bits are the signal's number, the next eight the exit status.
      let signal = state & 0x7F
      if signal != 0 { throw .signal(program: name, signal, errors: child.complaint) }
      let status = (state >> 8) & 0xFF
      if status != 0 { throw .status(program: name, status, errors: child.complaint) }
      return child.output
    }
  }

  /// Does the same as `run`, but on a thread of its own. Cancelling the task kills the program.
  package func output() async throws(Failure) -> Data {
    let isCancelled = Atomic(false)
    let result: Result<Data, Failure> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(
            returning: Result { () throws(Failure) in
              try run { isCancelled.load(ordering: .relaxed) }
            })
        }
      }
    } onCancel: {
      isCancelled.store(true, ordering: .relaxed)
    }
    return try result.get()
  }
}
