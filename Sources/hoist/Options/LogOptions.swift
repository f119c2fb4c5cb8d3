import ArgumentParser
import ProcessContext
import Sessions
import Settings
import UploadModel

struct LogOptions: ParsableArguments {
  @Option(
    help: .rare(
      "Append a line for each event of a file. Secrets are left out.", valueName: "file"),
    completion: .file())
  var log: String?

  @Flag(
    name: [.short, .long],
    help: .rare(
      "Log each attempt and its delays as well. Without --log, push logs to standard error."))
  var verbose = false

  /// The journal that was asked for, if any. It goes to standard error only with `mayUseErrors`.
  func journal(of target: Target, mayUseErrors: Bool, in context: Context) throws -> Journal? {
    guard log != nil || verbose else { return nil }
    guard log != nil || mayUseErrors else {
      throw UserError("-v: the screen leaves no room for a log; add --log FILE")
    }
    let file =
      try log.map { path throws(UserError) in try LogFile(path) } ?? LogFile(context.output.errors)
    let journal = Journal(file, isVerbose: verbose)
    journal.recordStart(to: target)
    return journal
  }
}
