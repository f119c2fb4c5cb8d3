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
    // If a reader of our output exits, the write must fail with an error and not kill the program.
    signal(SIGPIPE, SIG_IGN)
    // Exceeding the file size limit must be a write error too, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    // If a standard descriptor is closed, the next file opened gets its number, and our output would go into
    // that file.
    for descriptor in 0...2 where fcntl(Int32(descriptor), F_GETFD) < 0 {
      _ = open("/dev/null", O_RDWR)
    }
    var context = Context.process
    context.arguments = Array(CommandLine.arguments.dropFirst())
    exit(await run(in: context))
  }

  /// Runs the command that the arguments name. Returns the exit status.
  @MainActor
  static func run(in context: Context) async -> Int32 {
    let arguments = context.arguments
    do {
      try AddressSpace.check()
      // The root would examine all commands first, which takes longer than everything else.
      if arguments == ["--version"] { return say(VersionText.text, in: context) }
      if arguments.first == PushCommand.configuration.commandName { PushCommand.prepare() }
      if let mistake = Usage.mistypedVerb(arguments) { throw mistake }
      var command = try parse(ArgumentRuns.folded(arguments))
      try ProgramFolder.check()
      try OpenFiles.raiseLimit()
      if var command = command as? any HoistCommand {
        try await command.run(in: context)
      } else {
        try command.run()
      }
      if let reason = context.output.lostLines {
        throw UserError("the output could not be written: \(reason)", status: .someFailed)
      }
      return ExitStatus.success.rawValue
    } catch {
      let (status, words) = end(of: arguments, with: error)
      switch words {
      case .help(let text): return say(text, in: context)
      // Arguments are untrusted as well: with `hoist *`, they are whatever names are in the folder.
      case .complaint(let text):
        context.output.error("hoist: \(SafeText.lines(text).joined(separator: "\n"))")
      case nil: break
      }
      return status
    }
  }

  /// Prints a text that was asked for, and returns the exit status.
  private static func say(_ text: String, in context: Context) -> Int32 {
    context.output.line(text)
    guard let reason = context.output.lostLines else { return ExitStatus.success.rawValue }
    context.output.error("hoist: the output could not be written: \(reason)")
    return ExitStatus.someFailed.rawValue
  }

  private enum Words {
    case help(String)
    case complaint(String)
  }

  /// The exit status of a command that throws, and its last message.
  private static func end(
    of arguments: [String], with error: any Error
  ) -> (status: Int32, words: Words?) {
    switch error {
    case let error as ConfigError: return complaint(UserError("\(error)"))
    case let error as StoreError: return complaint(UserError("\(error)", status: .someFailed))
    case let error as UserError: return complaint(error)
    case let error as ExitCode: return (error.rawValue, nil)
    default: break
    }
    switch Hoist.exitCode(for: error) {
    case .success where asksForHelp(arguments):
      return (ExitStatus.success.rawValue, .help(Hoist.fullMessage(for: error)))
    case .success where arguments.contains(where: { $0.hasPrefix(scalars: "-") }):
      // "-dash.txt" contains "-h", and a script must not mistake the help for success.
      return complaint(
        UserError(
          "an argument begins with \"-\" but is not an option; for a file, write ./NAME or put -- before it"
        ))
    case .success:
      let command = (["hoist"] + arguments).joined(separator: " ")
      return complaint(UserError("\(command) needs a command; see \(command) --help"))
    case .validationFailure:
      return complaint(Usage.usageError(Hoist.message(for: error), arguments))
    case let code: return (code.rawValue, .complaint(Hoist.message(for: error)))
    }
  }

  private static func complaint(_ error: UserError) -> (status: Int32, words: Words?) {
    (error.status.rawValue, .complaint(error.description))
  }

  /// The command that the arguments ask for.
  ///
  /// The root examines all commands and their options first, which takes a fifth of the startup time. So the intended
  /// command parses its arguments alone. If that fails, the root parses them again, so that the error comes with the
  /// whole usage.
  private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    if !asksForHelp(arguments), let (verb, rest) = verb(of: arguments),
      let command = try? verb.parseAsRoot(Array(rest))
    {
      return command
    }
    return try Hoist.parseAsRoot(arguments)
  }

  /// The innermost command that the arguments name, or the default where they name none, and the arguments after it.
  private static func verb(
    of arguments: [String]
  ) -> ((any ParsableCommand.Type), rest: ArraySlice<String>)? {
    var (command, rest): (any ParsableCommand.Type, _) = (Hoist.self, arguments[...])
    while !command.configuration.subcommands.isEmpty {
      let named = command.configuration.subcommands.first {
        $0.configuration.commandName == rest.first
      }
      guard let next = named ?? command.configuration.defaultSubcommand else { return nil }
      if named != nil { rest = rest.dropFirst() }
      command = next
    }
    return (command, rest)
  }

  private static func asksForHelp(_ arguments: [String]) -> Bool {
    arguments.contains {
      ["-h", "--help", "-help", "help", "--help-hidden", "--version", "---completion"].contains($0)
        || $0.hasPrefix(scalars: "--generate-completion-script")
        || $0.hasPrefix(scalars: "--experimental")
    }
  }
}
