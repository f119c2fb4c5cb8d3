import Foundation
import TestSupport
import Testing

/// Runs strict copies of the endpoints for as long as the suite lasts.
struct StrictCopies: SuiteTrait, TestScoping {
  @TaskLocal static var port: Int?

  private let script: String

  /// - Parameter script: its name in `Tests/EndToEndTests/Peers`.
  init(_ script: String) { self.script = script }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing tests: @Sendable () async throws -> Void
  ) async throws {
    let person = try Person()
    let python = Person.repository.appendingPathComponent(".build/peers/bin/python3").path
    let path = Person.repository.appendingPathComponent(
      "Tests/EndToEndTests/Peers/\(script)"
    ).path
    let program = try Program(
      python, [path], environment: person.environment, directory: person.folder.path)
    let port = try await wait(for: "the endpoints", otherwise: { program.errors }) {
      program.output.firstMatch(of: /port (\d+)/).flatMap { Int($0.1) }
    }
    try await Self.$port.withValue(port) { try await tests() }
    withExtendedLifetime(program) {}
  }
}
