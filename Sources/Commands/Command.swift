import Foundation
import ScalarText

/// Another program, run to its end without a shell: its arguments are passed on as they are.
package struct Command: Hashable, Sendable {
  /// Why a program did not do what was asked of it.
  package enum Failure: Error, Hashable, CustomStringConvertible {
    /// It could not be started, with this `errno`.
    case notStarted(program: String, errno: Int32)
    /// It ended with another status than 0; what it said on standard error, without any word that it
    /// printed as well: that may be a secret.
    case status(program: String, Int32, errors: String)
    /// A signal ended it; what it said before.
    case signal(program: String, Int32, errors: String)
    /// It took longer than this many seconds, and was ended.
    case timeout(program: String, Double, errors: String)
    /// It printed more than this many bytes, and was ended.
    case tooMuchOutput(program: String, Int)
    /// Nobody wants it any more.
    case cancelled(program: String)

    /// One sentence without its full stop; the program's own words at its end.
    package var description: String {
      switch self {
      case .notStarted(let program, let code):
        "\(program) cannot be started: \(String(cString: strerror(code)))"
      case .status(let program, let status, let errors):
        "\(program) ended with status \(status)\(Self.said(errors))"
      case .signal(let program, let signal, let errors):
        "\(program) was ended by signal \(signal)\(Self.said(errors))"
      case .timeout(let program, let seconds, let errors):
        "\(program) was not done after \(seconds.formatted(.number.locale(Locale(identifier: "C")))) s"
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

  /// The program's path, or its name to be looked up on the PATH, and its arguments.
  package var words: [String]
  /// Seconds until it is ended.
  package var timeout: Double
  /// The most bytes that it may print.
  package var mostOutput: Int

  /// The most bytes that are kept of what it says on standard error.
  static let mostErrors = 4096

  /// A command. `words` has the program at least.
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

  /// Runs it and gives what it printed. Blocks: not for the engine's queue.
  ///
  /// - Parameter isCancelled: asked several times a second whether it is still wanted.
  /// - Throws: `Failure` if it cannot be started, fails, takes too long or is cancelled.
  package func run(isCancelled: () -> Bool = { false }) throws(Failure) -> Data {
    // On this thread, which stays until it has ended: see `Child`.
    var child = try Child(starting: words, program: program)
    defer { child.close() }
    // Not the time of day, which can be set while it runs.
    let end = ContinuousClock.now + .seconds(timeout)
    while true {
      if isCancelled() {
        child.kill()
        throw .cancelled(program: name)
      }
      let left = (end - ContinuousClock.now) / .seconds(1)
      guard left > 0 else {
        child.kill()
        throw .timeout(program: name, timeout, errors: child.complaint)
      }
      child.read(seconds: min(left, 0.1))
      guard child.output.count <= mostOutput else {
        child.kill()
        throw .tooMuchOutput(program: name, mostOutput)
      }
      // A grandchild may keep the pipes open; the program's own end is what counts.
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

  /// Runs it on a thread of its own and gives what it printed. It is ended with the task.
  ///
  /// - Throws: `Failure` if it cannot be started, fails, takes too long or is cancelled.
  package func output() async throws(Failure) -> Data {
    let isCancelled = AtomicFlag()
    let result: Result<Data, Failure> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(
            returning: Result { () throws(Failure) in
              try run { isCancelled.isSet }
            })
        }
      }
    } onCancel: {
      isCancelled.set()
    }
    return try result.get()
  }
}
