import ArgumentParser
import Foundation
import ProcessContext
import Queue
import Scheduling
import Sessions
import UploadModel
import UploadStore

/// The command that `hoist FILE…` runs.
struct ScreenCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "screen",
    abstract: "Queue files on a screen and watch them being sent.",
    usage: "hoist [options] [FILE…]",
    discussion: """
      This is what hoist does without a command. Press ? on the screen for its keys. Files that were \
      queued but not sent are there again the next time. A second hoist shows the same queue and can add to it; \
      only one of them sends.
      """)

  @Argument(
    help: ArgumentHelp("Files and folders to queue.", valueName: "file"), completion: .file())
  var files: [String] = []

  @OptionGroup(title: "Where it goes") var destination: DestinationOptions
  @OptionGroup(title: "Where it goes") var config: ConfigOption
  @OptionGroup(title: "Where it goes") var options: TargetOptions
  @OptionGroup(title: "What is sent") var folders: FolderOptions
  @OptionGroup(title: "What is sent") var sent: SentOptions
  @OptionGroup(title: "Logging") var logging: LogOptions
  @OptionGroup(title: "Queue and history") var queue: QueueOptions

  @Flag(help: "Start with an empty screen. Files in the queue stay there for the next time.")
  var fresh = false

  @Flag(help: "Draw with ASCII characters only.")
  var ascii = false

  @Flag(
    help: ArgumentHelp(
      "Print changes as lines instead of drawing a screen, and read commands from standard input.",
      discussion: "For screen readers, and for terminals that cannot move their cursor."))
  var plain = false

  @MainActor
  func run(in context: Context) async throws {
    let store = try queue.store(in: context)
    var destination = destination
    var choices = ScreenSession.Options()
    if try needsTarget(store, in: context) {
      let (source, isWithFiles) = (config.source(in: context), !files.isEmpty)
      let session = try SetupSession(
        config: source, preferences: ScreenPreferences(source.load()), isASCII: ascii,
        waiting: named, context: context
      ) {
        if let settings = try? source.load(), settings.defaultTarget != nil { return true }
        return !isWithFiles && (try? store.lastTarget()) != nil
      }
      let end = await session.run()
      if case .left = end {
        guard isWithFiles else { return }
        throw UserError(
          "\(named): not queued, since there is no target yet; start hoist with the same files again and say where they go",
          status: .someFailed)
      }
      if case .made(let name) = end { destination.to = name }
      choices.setup = end
    }
    let settings = try config.loadAndWarn(in: context)
    let catalog = try options.catalog(
      of: settings, from: config, to: destination, in: context,
      usually: files.isEmpty ? try store.lastTarget() : nil)
    var preferences = try ScreenPreferences(settings)
    preferences.isPlain = plain
    let files = try ArgumentLists.unfolded(files).map { try FileArgument($0) }
    try files.forEach { try $0.checkIsLasting() }
    (choices.isASCII, choices.isFresh, choices.arguments) = (ascii, fresh, context.arguments)
    choices.settings = SenderSettings(limit: options.speed)
    choices.keepsLimit = options.limit == nil
    (choices.sent, choices.rules) = (sent.rules, try folders.rules())
    choices.journal = try logging.journal(of: catalog.current, mayUseErrors: false, in: context)
    choices.preferences = preferences
    let session = try ScreenSession(
      book: catalog, keeper: QueueRecorder(store, in: context), context: context,
      options: choices)
    try await session.run(files: files).exitUnlessSuccess()
  }

  /// What the command line names, in short.
  private var named: String {
    let files = ArgumentLists.unfolded(files)
    let others = files.count > 1 ? " and \(HumanReadable.grouped(files.count - 1)) more" : ""
    return (files.first.map { SafeText.line($0) } ?? "") + others
  }

  /// Whether no target has been chosen yet, and a user is there to be asked.
  private func needsTarget(_ store: UploadStore, in context: Context) throws -> Bool {
    guard destination.to == nil, !plain, context.input.isTerminal, context.output.isTerminal
    else { return false }
    let settings = try config.load(in: context)
    guard settings.defaultTarget == nil, settings.targetNames.isEmpty else { return false }
    return try !files.isEmpty || store.lastTarget() == nil
  }
}
