import ArgumentParser

/// `hoist FILE…`.
struct ScreenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "screen", abstract: "Queue files on a screen and watch them go. The default.")

  @Argument(help: ArgumentHelp("Files to queue.", valueName: "file"), completion: .file())
  var files: [String] = []

  @OptionGroup var options: TargetOptions

  func run() async throws {}
}
