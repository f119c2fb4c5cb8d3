import ArgumentParser
import Foundation
import UploadModel

/// `hoist FILE…`.
struct ScreenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "screen",
    abstract: "Queue files on a screen and watch them go. This is what hoist does by itself.",
    discussion: "Press ? on the screen for its keys.")

  @Argument(help: ArgumentHelp("Files to queue.", valueName: "file"), completion: .file())
  var files: [String] = []

  @OptionGroup var options: TargetOptions

  @Flag(name: .long, help: "Draw with ASCII characters only.")
  var ascii = false

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    let target = try options.target(environment: environment)
    let session = try await ScreenSession(
      target: target, home: environment["HOME"] ?? "", isASCII: ascii)
    try await session.run(files: files).exitUnlessSuccess()
  }
}
