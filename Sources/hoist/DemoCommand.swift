import ArgumentParser

/// `hoist demo`.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Show hoist at work against its own receiver.")

  func run() async throws {}
}
