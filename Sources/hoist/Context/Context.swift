import Foundation
import UploadEngine

/// What a command has of the world around it. It is handed down from `Main`, so that tests can run each command within
/// their own process.
struct Context: Sendable {
  /// The words behind the program's name.
  var arguments: [String] = []
  /// Where results and words for the person go.
  var output: Output
  /// Standard input.
  var input: Input
  /// The variables of the environment.
  var environment: [String: String]
  /// The clocks and the randomness that everything goes by.
  var time: TimeSource
  /// Intercepts signals for as long as what it returns lives.
  var signals: @Sendable ([Int32]) -> Signals
  /// Ends the program at once.
  var exit: @Sendable (ExitStatus) -> Never

  /// The process's own.
  static let process = Context(
    output: .standard, input: .standard, environment: ProcessInfo.processInfo.environment,
    time: .system, signals: { Signals($0) }, exit: { Foundation.exit($0.rawValue) })

  /// The person's home folder; empty where there is none.
  var home: String { environment["HOME"] ?? "" }
}
