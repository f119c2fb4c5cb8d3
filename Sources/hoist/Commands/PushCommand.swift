import ArgumentParser
import Foundation
import MediaTypes
import MultipartForm
import Settings
import UploadModel
import UploadStore

/// `hoist push`.
struct PushCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Upload files without a screen, for scripts.",
    discussion: """
      The URL of each result, where the server names one, goes to standard output and everything \
      else to standard error: bars on a terminal, otherwise one line for each file. A first ^c stops \
      and still gives the summary, a second one ends at once.

      A server that cannot be reached is given up once it was tried as often as --attempts says; what \
      was still to go there fails with it. (The screen waits for it instead.)

      With --json, one object a line on standard output instead: "event" is queued, skipped, \
      started, progress, sent, retrying, finished, failed or summary.

      EXAMPLES:
        hoist push *.log --to https://host/upload
        hoist push -r photos --exclude '*.tmp' --report sent.json
        hoist push --retry-failed sent.json
        find . -newer last -type f -print0 | hoist push --from-file - -0
        pg_dump shop | hoist push - --name shop.sql
        hoist push --watch ~/Scans
        hoist push -q pic.png | xclip
      """)

  @Argument(
    help: ArgumentHelp(
      "Files, patterns, folders with -r, or - for standard input.", valueName: "file"),
    completion: .file())
  var files: [String] = []

  @OptionGroup(title: "What is sent") var selection: SelectionOptions

  @OptionGroup(title: "What was sent before") var sent: SentOptions

  @OptionGroup(title: "What is only shown") var preview: PreviewOptions

  @OptionGroup(title: "What is said") var telling: TellingOptions

  @OptionGroup(title: "Where it goes") var options: TargetOptions

  @OptionGroup(title: "What is written down") var logging: LogOptions

  @OptionGroup(title: "What is written down") var queue: QueueOptions

  @Flag(name: .long, help: "Keep nothing in the history.")
  var noHistory = false

  @Flag(name: .long, help: "Stop everything at the first failure.")
  var failFast = false

  func run() async throws {
    // The first file needs the tables of types. They are read while the configuration and the history are.
    Thread.detachNewThread { _ = MediaTypeGuesser.system }
    let environment = ProcessInfo.processInfo.environment
    let again = try selection.retryFailed.map { (path) throws(UserError) in
      try PushReport.read(path)
    }
    var options = options
    if options.to == nil, let again, let path = selection.retryFailed {
      options.to = try again.address(in: path)
    }
    let target: Target
    do {
      target = try options.target(environment: environment)
    } catch let error as ConfigError where again != nil && self.options.to == nil {
      guard error.keyPath == "--to", let path = selection.retryFailed else { throw error }
      throw UserError("--retry-failed \(path): \(error.problem)")
    }
    let format = try telling.reportFormat()
    let inputs = try selection.inputs(
      ArgumentRuns.unfolded(files), again: again, environment: environment)
    if let status = try preview.show(inputs, to: target, json: telling.json) {
      return try status.exitUnlessSuccess()
    }
    let hint = RetryHint(
      report: format == .json ? telling.report : nil, target: options.to,
      needsOptions: options.isMoreThanItsName(target))
    let journal = try logging.journal(of: target, mayUseErrors: true)
    var reporter = telling.reporter(
      hint, environment: environment, mayDraw: !logging.verbose || logging.log != nil)
    if let journal { reporter = JournalReporter(journal: journal, inner: reporter) }
    var push = Push(inputs: inputs, target: target, reporter: reporter)
    push.failsFast = failFast
    push.isWatching = inputs.watch != nil
    push.keepsResults = telling.report != nil
    push.history = try history(of: target, environment)
    let summary = await push.run()
    if let trouble = push.history?.trouble {
      Output.error("hoist: not all is in the history: \(trouble)")
    }

    if let path = telling.report, let format {
      let report = PushReport(
        summary, target: target.name, needsOptions: options.isMoreThanItsName(target),
        folder: FileManager.default.currentDirectoryPath, time: Date())
      do {
        try AtomicFile.write(report.written(as: format), to: path)
      } catch {
        throw UserError(
          "the report was not written: \(error); \(summary.sent) of "
            + "\(Wording.count(summary.total, "file")) were sent all the same",
          status: .someFailed)
      }
    }
    if summary.status == .success, let reason = Output.lostLines ?? journal?.lostLines {
      throw UserError(
        "everything was sent, but what there was to say could not be written: \(reason)",
        status: .someFailed)
    }
    try summary.status.exitUnlessSuccess()
  }

  /// The history, unless there is none to be kept. A machine without a home can push all the same.
  private func history(of target: Target, _ environment: [String: String]) throws -> PushHistory? {
    if noHistory {
      guard !sent.skipSent, !sent.checksum else {
        throw UserError("--no-history: what was sent before is only known by the history")
      }
      return nil
    }
    do {
      // Nothing waits for what it says, so the uploads do not wait for the disk.
      let store = try queue.store(environment: environment, durability: .crash)
      let intake = QueueIntake(store: store, sent)
      return PushHistory(intake: intake, target: target)
    } catch let error as UserError {
      if sent.skipSent { throw error }
      Output.error("hoist: no history is kept: \(error)")
      return nil
    }
  }
}

/// The options that say which files a push sends.
struct SelectionOptions: ParsableArguments {
  @Flag(name: [.customShort("r"), .long], help: "Send the files in folders, and in their folders.")
  var recursive = false

  @OptionGroup var folders: FolderOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A file with one path on each line; - for standard input.", valueName: "list"),
    completion: .file())
  var fromFile: String?

  @Flag(
    name: [.customShort("0"), .customLong("null")], help: "The list has NULs between the paths.")
  var null = false

  @Option(
    name: .long,
    help: ArgumentHelp("The name that standard input is sent under.", valueName: "name"))
  var name: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Send what failed in an earlier push, by its report, to where it was to go.",
      valueName: "report.json"),
    completion: .file(extensions: ["json"]))
  var retryFailed: String?

  @Flag(
    name: .long,
    help: "With --retry-failed, send again what may have arrived, too: it may be stored twice.")
  var evenArrived = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Send each file that is written to this folder or moved into it, until ^c. With -r, its folders too.",
      valueName: "folder"), completion: .directory)
  var watch: String?

  @Flag(name: .long, help: "With --watch, send the files that are there already first.")
  var existing = false

  /// Everything that is to be sent. Mistakes are found here, before anything is.
  ///
  /// - Parameter again: the report of what failed.
  func inputs(
    _ files: [String], again: PushReport?, environment: [String: String]
  ) throws -> PushInputs {
    var inputs = PushInputs(arguments: files)
    inputs.home = environment["HOME"] ?? ""
    inputs.temporaryFolder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    inputs.isRecursive = recursive
    inputs.rules = try folders.rules()
    inputs.inputName = name
    if let again {
      inputs.again = again.failures.filter { evenArrived || !$0.mayHaveArrived }
      inputs.leftOut = again.failures.filter { !evenArrived && $0.mayHaveArrived }
      if !inputs.leftOut.isEmpty {
        let verb = inputs.leftOut.count == 1 ? "is" : "are"
        Output.error(
          "hoist: \(Wording.count(inputs.leftOut.count, "file")) may have arrived and \(verb) "
            + "left out: look on the server, then add --even-arrived")
      }
      inputs.inputName =
        name ?? inputs.again.first { $0.path == SpooledInput.argument }.map(\.name)
    }
    try checkStandardInput(files, inputs)
    guard !files.isEmpty || fromFile != nil || retryFailed != nil || watch != nil else {
      throw UserError(
        "there is nothing to send; name files, or see --from-file and --watch in "
          + "hoist push --help")
    }
    if let fromFile { inputs.list = try FileList(fromFile, isNULSeparated: null) }
    if let watch { inputs.watch = try watching(watch, inputs.rules) }
    return inputs
  }

  private func checkStandardInput(_ files: [String], _ inputs: PushInputs) throws {
    let uses =
      files.count { $0 == "-" } + (fromFile == "-" ? 1 : 0)
      + inputs.again.count { $0.path == SpooledInput.argument }
    guard uses <= 1 else {
      throw UserError("standard input can be read once; \"-\" stands for it \(uses) times")
    }
    let isSent = uses == 1 && fromFile != "-"
    if isSent, inputs.inputName?.isEmpty ?? true {
      throw UserError("-: what comes in on standard input needs a name; add --name NAME")
    }
    if let name, !isSent {
      throw UserError("--name \(name): is for standard input, and no file is \"-\"")
    }
    if null, fromFile == nil {
      throw UserError("-0: says how a list is read; name it with --from-file")
    }
    if existing, watch == nil { throw UserError("--existing: goes with --watch") }
    if evenArrived, retryFailed == nil {
      throw UserError("--even-arrived: goes with --retry-failed")
    }
  }

  #if os(Linux)
    private func watching(
      _ folder: String, _ rules: FolderScan.Rules
    ) throws -> @Sendable (_ stop: StopSign, _ take: (FileLocation) -> Bool) -> String? {
      guard rules.ignoreFile == nil else {
        throw UserError("--ignore-file: does not go with --watch; use --exclude")
      }
      var rules = rules
      rules.isRecursive = recursive
      rules.followsLinks = false
      // Watching begins now, before the first file is sent.
      let watch = try FolderWatch(folder, rules: rules, takesExisting: existing)
      return { watch.run(until: $0, $1) }
    }
  #else
    private func watching(
      _ folder: String, _ rules: FolderScan.Rules
    ) throws -> @Sendable (_ stop: StopSign, _ take: (FileLocation) -> Bool) -> String? {
      throw UserError("--watch: works on Linux only; use --from-file with a list from elsewhere")
    }
  #endif
}

/// The options that say what a push tells, and where.
struct TellingOptions: ParsableArguments {
  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  @Flag(name: [.short, .long], help: "Say nothing but results and failures.")
  var quiet = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Write what became of each file to a file that ends in .json or .csv.", valueName: "file"),
    completion: .file(extensions: ["json", "csv"]))
  var report: String?

  /// The form of the report, which can be written as far as one can tell; nil without one.
  func reportFormat() throws -> PushReport.Format? {
    guard let report else { return nil }
    let format = try PushReport.Format(of: report)
    do {
      try AtomicFile.check(report)
    } catch {
      throw UserError("--report: \(error); name another place")
    }
    return format
  }

  /// - Parameter mayDraw: whether nothing else is written where the bars would be.
  func reporter(
    _ retry: RetryHint, environment: [String: String], mayDraw: Bool
  ) -> any PushReporter {
    if json { return JSONReporter() }
    if quiet { return LineReporter(isQuiet: true, retry: retry) }
    let terminal = environment["TERM"] ?? "dumb"
    guard mayDraw, isatty(STDERR_FILENO) == 1, terminal != "dumb" else {
      return LineReporter(retry: retry)
    }
    // https://no-color.org
    let wantsNoColour = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    setlocale(LC_CTYPE, "")
    let isUTF8 = nl_langinfo(nl_item(CODESET)).map { String(cString: $0) } == "UTF-8"
    return ProgressReporter(ascii: !isUTF8, hasColours: !wantsNoColour, retry: retry)
  }
}
