import ArgumentParser
import Foundation
import MultipartForm
import ScalarText
import UploadModel
import UploadStore

/// `hoist add`.
struct AddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Put files into the queue, for the hoist that runs or the next one.",
    discussion: """
      The files appear in the screen that shows this queue, in whichever terminal. Only the name of \
      the target is kept: for extra form fields and headers give it a table in the configuration.
      """)

  @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file())
  var files: [String]

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Where the files go: a URL, or the name of a target in the configuration.",
      discussion: "Without it, the configuration's default_target.", valueName: "target-or-url"),
    completion: ConfigOption.targetNames)
  var to: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "The form field that carries the file. Usually the target's own.", valueName: "name"))
  var field: String?

  @Flag(name: [.customShort("r"), .long], help: "Add the files in folders, and in their folders.")
  var recursive = false

  @OptionGroup(title: "Folders") var folders: FolderOptions

  @OptionGroup(title: "What was sent before") var sent: SentOptions

  @OptionGroup var queue: QueueOptions

  @OptionGroup var config: ConfigOption

  func run() throws {
    let environment = ProcessInfo.processInfo.environment
    var options = try TargetOptions.parse([])
    (options.to, options.config) = (to, config.config)
    let target = try options.book(environment: environment).current
    guard !target.name.hasSuffix(scalars: TargetCatalog.optionsMark) else {
      throw UserError(
        "--to: the part of a URL after \"?\" is not kept, for it may be a secret; give the target a "
          + "name in the configuration")
    }
    if field?.isEmpty == true { throw UserError("--field: the name is empty") }
    let rules = recursive ? try folders.rules() : nil
    let added = try add(
      to: QueueIntake(store: try queue.store(environment: environment), sent), target, rules,
      home: environment["HOME"] ?? "")
    for item in added.items {
      let name = SafeText.line(item.location.description)
      if let failure = item.state.failure {
        Output.error("✗ \(name): \(failure.headline)")
      } else if let note = item.note {
        Output.error("· \(name): \(note)")
      }
    }
    let bad = added.items.count(where: \.state.isFinished)
    let skipped =
      added.skipped.isEmpty ? "" : ", \(added.skipped.count) skipped as sent before"
    Output.error(
      "\(HumanReadable.count(added.items.count - bad, "file")) queued for \(target.name)\(skipped)")
    if bad > 0 {
      let folders = added.items.contains { $0.state.failure?.cause == .notAFile(kind: "a folder") }
      throw UserError(
        "\(HumanReadable.count(bad, "file")) cannot be sent as things are; "
          + (folders
            ? "hoist add -r takes the files in a folder" : "hoist queue retry looks again"),
        status: .someFailed)
    }
  }

  private func add(
    to queue: QueueIntake, _ target: Target, _ rules: FolderScan.Rules?, home: String
  ) throws -> QueueIntake.Added {
    let (intake, folder) = (FileIntake(for: target), FileManager.default.currentDirectoryPath)
    var portion: [UploadItem] = []
    var total = QueueIntake.Added()
    for file in ArgumentRuns.unfolded(files).lazy.flatMap({ Arguments.files($0, home: home) }) {
      // Whoever sends it may work in another folder.
      _ = intake.each(of: file.absolute(in: folder), in: rules) { item in
        portion.append(item)
        let last = portion.count - 1
        (portion[last].target, portion[last].field) = (target.name, field)
        return true
      }
      guard portion.count >= 2_000 else { continue }
      total.merge(try queue.add(portion))
      portion = []
    }
    total.merge(try queue.add(portion))
    return total
  }
}
