import Foundation
import UploadEngine

/// What a command needs from the outside world. It is passed down from `Main`, so that tests can run each command
/// inside the test process.
package struct Context: Sendable {
  /// The arguments after the program's name.
  package var arguments: [String] = []
  /// Where results and messages go.
  package var output: Output
  package var input: Input
  package var environment: [String: String]
  /// The clocks and the randomness that everything uses.
  package var time: TimeSource
  /// Intercepts signals for as long as the returned object lives.
  package var signals: @Sendable ([Int32]) -> Signals
  /// Ends the program at once.
  package var exit: @Sendable (ExitStatus) -> Never

  package static let process = Context(
    output: .standard, input: .standard, environment: ProcessInfo.processInfo.environment,
    time: .system, signals: { Signals($0) }, exit: { quit($0.rawValue) })

  /// Ends the program without exit(3), in which libraries only free memory, OpenSSL even while another thread is using
  /// it. Nothing is lost, since all output is written without stdio's buffers.
  package static func quit(_ status: Int32) -> Never { quick_exit(status) }

  /// The user's home folder; empty if `$HOME` is not set.
  package var home: String { environment["HOME"] ?? "" }
}
