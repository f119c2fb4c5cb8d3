import ArgumentParser
import FileDiscovery
import Foundation
import HTTPTransport
import MediaTypes
import MultipartForm
import ProcessContext
import Sessions
import Settings
import UploadEngine
import UploadModel
import UploadStore

struct PushCommand: HoistCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "push", _superCommandName: "hoist",
      abstract: "Upload files without a screen, for scripts.",
      usage: "hoist push [options] [FILE…]",
      discussion: HelpPage.isWhole ? wholeDiscussion : discussion)
  }

  private static let discussion = """
    EXAMPLES:
      hoist push *.log --to https://host/upload
      hoist push -r photos --to nas --report sent.json
      hoist push --retry-failed sent.json
    """

  private static let wholeDiscussion = """
    The URL of each result, where the server names one, goes to standard output and everything \
    else to standard error: progress bars on a terminal, otherwise one line for each file. The first ^c stops \
    sending but still prints the summary; the second one exits at once.

    hoist gives up on a server that cannot be reached after as many tries as --attempts says; the files \
    that were still to go there are not tried. (The screen waits for the server instead.)

    With --json, standard output has one object per line instead. Its "event" is queued, started, \
    progress, sent, retrying, finished, failed, not_tried, summary or another one.

    A file can be followed by its own type, name and form field, as in curl:
    'a.jpg;type=image/webp;name=b.jpg;field=photo'. This name is sent as it is, without placeholders.

    EXAMPLES:
      hoist push *.log --to https://host/upload
      hoist push -r photos --exclude '*.tmp' --report sent.json
      hoist push --retry-failed sent.json
      find . -newer last -type f -print0 | hoist push --from-file - -0
      pg_dump shop | hoist push - --name shop.sql
      hoist push --watch ~/Scans
      hoist push -q pic.png | xclip
    """

  @Argument(
    help: .usual(
      "Files, folders with -r, or - for standard input.",
      detail: "Patterns that the shell did not expand work too, and so does <(command).",
      valueName: "file"),
    completion: .file())
  var files: [String] = []

  @OptionGroup(title: "What is sent") var selection: SelectionOptions
  @OptionGroup(title: "What is sent") var folders: FolderOptions
  @OptionGroup(title: "What is sent") var sent: SentOptions
  @OptionGroup(title: "Output") var preview: PreviewOptions
  @OptionGroup(title: "Output") var reporting: ReportingOptions
  @OptionGroup(title: "Where it goes") var destination: DestinationOptions
  @OptionGroup(title: "Where it goes") var config: ConfigOption
  @OptionGroup(title: "Where it goes") var options: TargetOptions
  @OptionGroup(title: "Logging") var logging: LogOptions
  @OptionGroup(title: "Queue and history") var queue: QueueOptions

  @Flag(help: .rare("Keep nothing in the history."))
  var noHistory = false

  @Flag(help: .rare("Stop everything at the first failure."))
  var failFast = false

  func validate() throws {
    guard !noHistory || !sent.skipSent && !sent.checksum else {
      throw ValidationError(
        "--no-history: --skip-sent and --checksum need the history to know what was sent before")
    }
  }

  /// Reads the media type tables and sets up the transport while the arguments are parsed.
  static func prepare() {
    OpenFiles.countInherited()
    SpooledInput.noteInherited()
    Thread.detachNewThread {
      _ = MediaTypeGuesser.system
      // Foundation looks into the program's folder. If that is not allowed, it crashes; the error comes later.
      if (try? ProgramFolder.check()) != nil { _ = UploadSession.shared }
    }
  }

  func run(in context: Context) async throws {
    // The history is opened while the configuration is read. A power failure may cost it its latest entries. That is
    // acceptable, so uploads need not wait until they are on disk.
    var store: Task<UploadStore, any Error>?
    if !noHistory, !preview.isAskedFor {
      store = Task.detached { [queue] in try queue.store(in: context, durability: .crash) }
    }
    let again = try selection.retryFailed.map(PushReport.read)
    let (destination, target) = try target(of: again, in: context)
    let format = try reporting.reportFormat()
    let name = options.name(of: target, to: destination, storesUsual: true)
    if let path = selection.retryFailed { try again?.check(name, in: path) }
    var inputs = try selection.inputs(
      ArgumentLists.unfolded(files), in: folders, again: again, in: context)
    inputs.usual = options.usual(for: target, to: destination)
    if let watch = inputs.watch { try check(target, for: watch) }
    if let status = try preview.show(inputs, to: target, json: reporting.json, in: context) {
      return try status.exitUnlessSuccess()
    }
    // Only a report in JSON can be read again with `--retry-failed`.
    let hint = (format == .json ? reporting.report : nil).map {
      RetryHint(
        report: $0, target: destination.to, options: name.options,
        files: [("--config", config.config), ("--queue", queue.path)].compactMap { option, path in
          path.map { (option, $0) }
        })
    }
    let journal = try logging.journal(of: target, mayUseErrors: true, in: context)
    let style = reporting.style(
      in: context, isVerbose: logging.verbose, mayDraw: !logging.verbose || logging.log != nil)
    var push = Push(
      inputs: inputs, target: target, style: style, retry: hint, context: context,
      journal: journal, failsFast: failFast, keepsResults: reporting.report != nil)
    if target.run.isOn, let again, let path = selection.retryFailed {
      push.openRun = try again.runToContinue(in: path)
    }
    if let store {
      push.history = try await history(
        of: name, placesFiles: target.placesFiles, store, since: again?.time, in: context)
    }
    let summary = await push.run()
    if let trouble = push.history?.trouble {
      context.output.error(
        "hoist: the history is incomplete, so --skip-sent may send some files again: \(trouble)")
    }
    if let path = reporting.report, let format {
      try write(summary, to: path, as: format, of: name, in: context)
    }
    try summary.status.exitUnlessSuccess()
    if let reason = context.output.lostLines ?? journal?.lostLines {
      throw UserError(
        "everything was sent, but the output could not be written: \(reason)", status: .someFailed)
    }
    // The next run with --skip-sent relies on the history.
    if sent.skipSent, push.history?.trouble != nil {
      try ExitStatus.someFailed.exitUnlessSuccess()
    }
  }

  /// Where the files go: where the user says or, if that is open, where the report says whose files are sent again.
  private func target(
    of again: PushReport?, in context: Context
  ) throws -> (destination: DestinationOptions, target: Target) {
    var destination = destination
    let guide = destination.to == nil ? selection.retryFailed : nil
    if let guide { destination.to = try again?.address(in: guide) }
    do {
      let settings = try config.loadAndWarn(in: context)
      return (destination, try options.target(of: settings, to: destination, context.environment))
    } catch let error as ConfigError {
      guard let guide, error.keyPath == "--to" else { throw error }
      throw UserError("--retry-failed \(guide): \(error.problem)")
    }
  }

  /// Refuses a target whose files a watch would send again, or cannot send as the target says.
  private func check(_ target: Target, for watch: FolderWatch) throws(UserError) {
    if case .move(let folder)? = target.after.way, finds(folder, watch) {
      throw UserError(
        "--watch: the watch would find the files that the target moves to \(folder) and send them again; in \"after\", "
          + "name a folder elsewhere, or one that begins with a dot")
    }
    if target.run.close != nil {
      throw UserError(
        "--watch: the target's \"close\" is sent after the last file, and a watch has no last file; push without --watch"
      )
    }
    if !target.companions.isEmpty {
      throw UserError(
        "--watch: the target's \"companions\" may arrive before their files or after them, so hoist cannot tell which go "
          + "together; push without --watch")
    }
  }

  /// Whether a watch looks into a folder that files are moved to.
  private func finds(_ folder: String, _ watch: FolderWatch) -> Bool {
    guard folder.hasPrefix(scalars: "/") else {
      // A relative one is beside each file.
      return folders.hidden || !folder.hasPrefix(scalars: ".")
    }
    let root = watch.root.absolute(in: FileManager.default.currentDirectoryPath).bytes
    return "\(folder)/".utf8.starts(with: root + "/".utf8)
  }

  /// Writes the report that was asked for.
  private func write(
    _ summary: PushSummary, to path: String, as format: PushReport.Format, of target: TargetName,
    in context: Context
  ) throws(UserError) {
    let report = PushReport(
      summary, target: target, folder: FileManager.default.currentDirectoryPath,
      time: context.time.date())
    do { try AtomicFile.write(report.written(as: format), to: path) } catch {
      throw UserError(
        "the report was not written: \(error); \(summary.counts.sentInAll) of "
          + "\(HumanReadable.count(summary.counts.all, "file")) were sent anyway",
        status: .someFailed)
    }
  }

  /// The history; nil if none can be kept. A push works even without a home directory.
  private func history(
    of target: TargetName, placesFiles: Bool, _ store: Task<UploadStore, any Error>,
    since report: Date?, in context: Context
  ) async throws -> PushHistory? {
    do {
      return PushHistory(
        intake: QueueIntake(store: try await store.value, sent.rules) { _ in placesFiles },
        target: target, time: context.time, since: report)
    } catch let error as UserError {
      if sent.skipSent { throw error }
      context.output.error("hoist: no history is kept: \(error)")
      return nil
    }
  }
}
