import ArgumentParser

/// A command that takes all that it needs from the outside world from a context.
protocol HoistCommand: AsyncParsableCommand {
  /// Does what the arguments ask for.
  mutating func run(in context: Context) async throws
}

extension HoistCommand {
  mutating func run() async throws { try await run(in: .process) }
}
