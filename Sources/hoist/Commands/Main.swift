import ArgumentParser
import Foundation
import ScalarText
import Settings
import UploadModel
import UploadStore

@main
enum Main {
  /// Runs the command that the arguments name and ends with the status that `hoist --help` states.
  @MainActor
  static func main() async {
    // Whoever reads our output may leave: that is an error of a write, not the end of the program.
    signal(SIGPIPE, SIG_IGN)
    // A limit on the size of files is as good as a full disk: an error of a write as well.
    signal(SIGXFSZ, SIG_IGN)
    // Closed, their numbers would go to the next files that are opened, and our lines into those.
    for descriptor in 0...2 where fcntl(Int32(descriptor), F_GETFD) < 0 {
      _ = open("/dev/null", O_RDWR)
    }
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if let mistake = Usage.mistypedVerb(arguments) { throw mistake }
      var command = try Hoist.parseAsRoot(ArgumentRuns.folded(arguments))
      try ProgramFolder.check()
      try OpenFiles.raiseLimit()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as ConfigError {
      complain("\(error)")
      exit(ExitStatus.usage.rawValue)
    } catch let error as StoreError {
      complain("\(error)")
      exit(ExitStatus.someFailed.rawValue)
    } catch let error as UserError {
      complain("\(error)")
      exit(error.status.rawValue)
    } catch {
      switch Hoist.exitCode(for: error) {
      case .success where !asksForHelp:
        // "-dash.txt" has an "h" in it, and a script must not take the help for success.
        complain("an argument that begins with \"-\" is no option; write ./NAME, or -- before it")
        exit(ExitStatus.usage.rawValue)
      case .success: Hoist.exit(withError: error)
      case .validationFailure:
        complain(Usage.usageError(Hoist.message(for: error), arguments).description)
        exit(ExitStatus.usage.rawValue)
      case let code:
        if !(error is ExitCode) { complain(Hoist.message(for: error)) }
        exit(code.rawValue)
      }
    }
  }

  private static var asksForHelp: Bool {
    CommandLine.arguments.dropFirst().contains {
      ["-h", "--help", "-help", "help", "--help-hidden", "--version", "---completion"].contains($0)
        || $0.hasPrefix(scalars: "--generate-completion-script")
        || $0.hasPrefix(scalars: "--experimental")
    }
  }

  private static func complain(_ text: String) { Output.error("hoist: \(safe(text))") }

  /// Arguments come from outside as well: `hoist *` takes what the folder holds.
  private static func safe(_ text: String) -> String {
    SafeText.lines(text).joined(separator: "\n")
  }
}
