import ArgumentParser
import FileDiscovery
import Foundation
import MultipartForm
import ProcessContext
import Sessions
import UploadModel

/// The options that say which files a push sends.
struct SelectionOptions: ParsableArguments {
  @Flag(name: [.customShort("r"), .long], help: .usual("Send the files in folders, recursively."))
  var recursive = false

  @Option(
    help: .usual("A list of paths, one per line; - for standard input.", valueName: "list"),
    completion: .file())
  var fromFile: String?

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: .rare("The paths in the list are separated by NULs."))
  var null = false

  @Option(help: .usual("The name of standard input, or of <(command)."))
  var name: String?

  @Option(
    help: .usual(
      "Send again what failed in an earlier push.",
      detail: "Its report in JSON says what failed, and where it was to go.", valueName: "report"),
    completion: .file(extensions: ["json"]))
  var retryFailed: String?

  @Flag(
    help: .rare(
      "With --retry-failed, also send files that may have arrived; the server may then store them twice."
    ))
  var evenArrived = false

  @Option(
    help: .usual(
      "Send each file that appears in this folder, until ^c.",
      detail:
        "It appears when it has been written or moved there. With -r, also in folders below it.",
      valueName: "folder"), completion: .directory)
  var watch: String?

  @Flag(help: .rare("With --watch, first send the files that are there already."))
  var existing = false

  /// Everything to send, with the failed files of an earlier report. Mistakes are found here, before anything is sent.
  func inputs(
    _ files: [String], in folders: FolderOptions, again: PushReport?, in context: Context
  ) throws -> PushInputs {
    var wishes = try files.map { try FileArgument($0) }
    var inputs = PushInputs(arguments: wishes)
    (inputs.isRecursive, inputs.rules) = (recursive, try folders.rules())
    (inputs.home, inputs.standardInput) = (context.home, context.input.descriptor)
    if let folder = context.environment["TMPDIR"], !folder.isEmpty {
      inputs.temporaryFolder = folder
    }
    if let again {
      inputs.again = again.failures.filter { evenArrived || $0.arrival == nil }.map { entry in
        var entry = entry
        entry.record.target = ""
        return entry
      }
      inputs.sent = again.addresses ?? SentAddresses()
      inputs.leftOut = again.failures.filter { !evenArrived && $0.arrival != nil }
      if !inputs.leftOut.isEmpty {
        let verb = inputs.leftOut.count == 1 ? "is" : "are"
        context.output.error(
          "hoist: \(HumanReadable.count(inputs.leftOut.count, "file")) may have arrived and \(verb) "
            + "left out: check the server, then add --even-arrived")
      }
    }
    // Standard input is that of the report, which need not be named again, but may be.
    if inputs.again.contains(where: { $0.path == SpooledInput.argument }) {
      wishes.removeAll { (try? FileArgument("-")) == $0 }
      inputs.arguments = wishes
    }
    inputs.named = try nameOfInput(among: wishes, inputs.again)
    try checkCombinations()
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

  /// Checks the inputs that can be read only once, and returns which of them has the name that was given.
  private func nameOfInput(
    among wishes: [FileArgument], _ again: [PushReport.Entry]
  ) throws -> (descriptor: Int32, name: String)? {
    let inputs =
      wishes.map { Arguments.location($0.path) } + again.map(\.path)
    let sent = inputs.compactMap { SpooledInput.descriptor(of: $0) }
    let list = fromFile.flatMap { SpooledInput.descriptor(of: Arguments.location($0)) }
    for (descriptor, uses) in Dictionary(grouping: sent + [list].compactMap(\.self), by: \.self)
    where uses.count > 1 {
      let what = descriptor == STDIN_FILENO ? "standard input" : "/dev/fd/\(descriptor)"
      throw UserError("\(what) is given \(uses.count) times, but it can be read only once")
    }
    let isNamed = !(name?.isEmpty ?? true)
    if !isNamed, wishes.contains(where: { $0.path == "-" && $0.name == nil }) {
      throw UserError("-: standard input needs a name for the server; add --name NAME")
    }
    guard let name else { return nil }
    guard let first = sent.first else {
      throw UserError(
        "--name \(name): is for an input such as standard input, but no file is \"-\" or <(command)"
      )
    }
    guard isNamed else { throw UserError("--name: has no value") }
    if sent.contains(STDIN_FILENO) { return (STDIN_FILENO, name) }
    guard sent.count == 1 else {
      throw UserError(
        "--name \(name): \(sent.count) inputs could have this name; name each of them, as in <(command)';name=\(name)'"
      )
    }
    return (first, name)
  }

  private func checkCombinations() throws {
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
