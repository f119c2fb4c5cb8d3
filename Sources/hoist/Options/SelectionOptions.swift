import ArgumentParser
import FileDiscovery
import MultipartForm
import UploadModel

/// The options that say which files a push sends.
struct SelectionOptions: ParsableArguments {
  @Flag(name: [.customShort("r"), .long], help: "Send the files in folders, recursively.")
  var recursive = false

  @Option(
    help: ArgumentHelp(
      "A file with one path on each line; - for standard input.", valueName: "list"),
    completion: .file())
  var fromFile: String?

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "The paths in the list are separated by NULs.")
  var null = false

  @Option(help: "The name under which standard input is sent.")
  var name: String?

  @Option(
    help: ArgumentHelp(
      "Send again, to the same target, what failed in an earlier push according to its report.",
      valueName: "report.json"),
    completion: .file(extensions: ["json"]))
  var retryFailed: String?

  @Flag(
    help:
      "With --retry-failed, also send files that may have arrived; the server may then store them twice."
  )
  var evenArrived = false

  @Option(
    help: ArgumentHelp(
      "Send each file that is written to this folder or moved into it, until ^c. With -r, also in folders below it.",
      valueName: "folder"), completion: .directory)
  var watch: String?

  @Flag(help: "With --watch, first send the files that are there already.")
  var existing = false

  /// Everything to send, with the failed files of an earlier report. Mistakes are found here, before anything is sent.
  func inputs(
    _ files: [String], in folders: FolderOptions, again: PushReport?, in context: Context
  ) throws -> PushInputs {
    let wishes = try files.map { try FileArgument($0) }
    let files = wishes.map(\.path)
    var inputs = PushInputs(
      arguments: wishes, inputName: name, isRecursive: recursive, rules: try folders.rules(),
      home: context.home, standardInput: context.input.descriptor,
      temporaryFolder: context.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp")
    if let again {
      inputs.again = again.failures.filter { evenArrived || $0.arrival == nil }
      inputs.leftOut = again.failures.filter { !evenArrived && $0.arrival != nil }
      if !inputs.leftOut.isEmpty {
        let verb = inputs.leftOut.count == 1 ? "is" : "are"
        context.output.error(
          "hoist: \(HumanReadable.count(inputs.leftOut.count, "file")) may have arrived and \(verb) "
            + "left out: look on the server, then add --even-arrived")
      }
      inputs.inputName = name ?? inputs.again.first { $0.path == SpooledInput.argument }.map(\.name)
    }
    try checkStandardInput(files, inputs)
    guard !files.isEmpty || fromFile != nil || retryFailed != nil || watch != nil else {
      throw UserError(
        "there is nothing to send; name files, or see --from-file and --watch in "
          + "hoist push --help")
    }
    if let fromFile {
      inputs.list = try UserError.about("--from-file \(fromFile)") {
        try FileList(
          fromFile == "-" ? nil : Arguments.location(fromFile), isNULSeparated: null,
          standardInput: context.input.descriptor)
      }
    }
    if let watch { inputs.watch = try watching(watch, inputs.rules) }
    return inputs
  }

  private func checkStandardInput(_ files: [String], _ inputs: PushInputs) throws {
    let uses =
      files.count { $0 == "-" } + (fromFile == "-" ? 1 : 0)
      + inputs.again.count { $0.path == SpooledInput.argument }
    guard uses <= 1 else {
      throw UserError("\"-\" is given \(uses) times, but standard input can be read only once")
    }
    let isSent = uses == 1 && fromFile != "-"
    if isSent, inputs.inputName?.isEmpty ?? true {
      throw UserError("-: standard input needs a name for the server; add --name NAME")
    }
    if let name, !isSent {
      throw UserError("--name \(name): is for standard input, but no file is \"-\"")
    }
    if null, fromFile == nil {
      throw UserError("-0: works only with --from-file, since it says how that list is read")
    }
    if existing, watch == nil { throw UserError("--existing: works only with --watch") }
    if evenArrived, retryFailed == nil {
      throw UserError("--even-arrived: works only with --retry-failed")
    }
  }

  private func watching(_ folder: String, _ rules: FolderRules) throws -> FolderWatch {
    guard rules.ignoreFile == nil else {
      throw UserError("--ignore-file: does not work with --watch; use --exclude")
    }
    var rules = rules
    rules.isRecursive = recursive
    rules.followsLinks = false
    // Watching begins now, before the first file is sent.
    return try UserError.about("--watch \(folder)") {
      try FolderWatch(Arguments.location(folder), rules: rules, takesExisting: existing)
    }
  }
}
