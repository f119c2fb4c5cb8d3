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
    // A reader of our output that exits causes a write error; it must not kill the program.
    signal(SIGPIPE, SIG_IGN)
    // Exceeding the file size limit must be a write error too, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    // If a standard descriptor is closed, the next file opened gets its number, and our output would go into
    // that file.
    for descriptor in 0...2 where fcntl(Int32(descriptor), F_GETFD) < 0 {
      _ = open("/dev/null", O_RDWR)
    }
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      try AddressSpace.check()
      if arguments.first == PushCommand.configuration.commandName { PushCommand.prepare() }
      if let mistake = Usage.mistypedVerb(arguments) { throw mistake }
      var command = try parse(ArgumentRuns.folded(arguments))
      try ProgramFolder.check()
      try OpenFiles.raiseLimit()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      if let reason = Output.lostLines {
        throw UserError(
          "the output could not be written: \(reason)", status: .someFailed)
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
        // "-dash.txt" contains "-h", and a script must not mistake the help for success.
        complain(
          "an argument that begins with \"-\" is not an option; for a file write ./NAME, or -- before it"
        )
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

  /// The command that the arguments ask for.
  ///
  /// The root looks at all commands and their options first, which takes a fifth of the time to start. So a command
  /// that is named is asked alone. Where it refuses, the root repeats the error with the whole usage.
  private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    if let word = arguments.first,
      let verb = Hoist.configuration.subcommands.first(where: {
        $0.configuration.commandName == word && $0.configuration.subcommands.isEmpty
      }),
      let command = try? verb.parseAsRoot(Array(arguments.dropFirst()))
    {
      return command
    }
    return try Hoist.parseAsRoot(arguments)
  }

  private static var asksForHelp: Bool {
    CommandLine.arguments.dropFirst().contains {
      ["-h", "--help", "-help", "help", "--help-hidden", "--version", "---completion"].contains($0)
        || $0.hasPrefix(scalars: "--generate-completion-script")
        || $0.hasPrefix(scalars: "--experimental")
    }
  }

  private static func complain(_ text: String) { Output.error("hoist: \(safe(text))") }

  /// Arguments are untrusted as well: with `hoist *` they are whatever names the folder holds.
  private static func safe(_ text: String) -> String {
    SafeText.lines(text).joined(separator: "\n")
  }
}
