import ArgumentParser
import ProcessContext

/// A command that gets everything it needs from the outside world through a context.
protocol HoistCommand: AsyncParsableCommand {
  mutating func run(in context: Context) async throws
}

extension HoistCommand {
  mutating func run() async throws { try await run(in: .process) }
}
