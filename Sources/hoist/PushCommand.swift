import ArgumentParser
import Foundation
import UploadModel

/// `hoist push`.
struct PushCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Upload files without a screen, for scripts.",
    discussion: """
      One line for each file on standard error and the URL of each result, where the server names \
      one, on standard output. With --json, one object a line on standard output instead: "event" \
      is queued, started, progress, sent, retrying, finished, failed or summary.
      """)

  @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file())
  var files: [String]

  @OptionGroup var options: TargetOptions

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    let target = try options.target(environment: environment)
    let intake = FileIntake()
    let home = environment["HOME"] ?? ""
    let items = files.flatMap { Arguments.files($0, home: home) }.map(intake.item)
    let reporter: any PushReporter = json ? JSONReporter() : LineReporter()
    var push = Push(items: items, target: target, reporter: reporter)
    let status = await push.run()
    if status == .success, let reason = Output.lostLines {
      throw UserError(
        "everything was sent, but what there was to say could not be written: \(reason)",
        status: .someFailed)
    }
    try status.exitUnlessSuccess()
  }
}
