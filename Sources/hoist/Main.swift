import ArgumentParser
import Foundation
import ProcessContext
import Receiver
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
    context.arguments = Arguments.ofProcess
    Context.quit(await run(in: context))
  }

  /// Runs the command that the arguments name. Returns the exit status.
  @MainActor
  static func run(in context: Context) async -> Int32 {
    if !HelpPage.isWhole, let arguments = HelpPage.askingForWhole(context.arguments) {
      var context = context
      context.arguments = arguments
      return await HelpPage.$isWhole.withValue(true) { await run(in: context) }
    }
    let arguments = context.arguments
    do {
      try AddressSpace.check()
      // The root would examine all commands first, which takes longer than everything else.
      if arguments == ["--version"] { return end(saying: VersionText.text, in: context) }
      // A push needs no check of its first word, and should begin soon.
      if arguments.first == PushCommand.configuration.commandName {
        PushCommand.prepare()
      } else if let mistake = Usage.mistypedVerb(arguments) ?? Usage.unknownTopic(arguments) {
        throw mistake
      }
      var command = try parse(ArgumentLists.folded(arguments))
      try ProgramFolder.check()
      try OpenFiles.raiseLimit()
      if var command = command as? any HoistCommand {
        try await command.run(in: context)
      } else {
        try command.run()
      }
      return end(in: context)
    } catch {
      return end(with: error, in: context)
    }
  }

  /// Prints a text that was asked for. Returns the exit status, as the functions below do.
  private static func end(saying text: String, in context: Context) -> Int32 {
    context.output.line(text)
    return end(in: context)
  }

  /// Ends a command that did its work. If its output was lost, it has failed all the same.
  private static func end(in context: Context) -> Int32 {
    guard let reason = context.output.lostLines else { return ExitStatus.success.rawValue }
    complain("the output could not be written: \(reason)", in: context)
    return ExitStatus.someFailed.rawValue
  }

  /// Ends a command that throws.
  private static func end(with error: any Error, in context: Context) -> Int32 {
    let mistake: UserError
    let arguments = context.arguments
    switch error {
    case let error as ConfigError: mistake = UserError("\(error)")
    case let error as ReceiverError: mistake = UserError("\(error)")
    case let error as StoreError: mistake = UserError("\(error)", status: .someFailed)
    case let error as UserError: mistake = error
    case let error as ExitCode: return error.rawValue
    default:
      switch Hoist.exitCode(for: error) {
      case .success where asksForHelp(arguments):
        let page = HelpPage.text({ Hoist.fullMessage(for: error) }, for: arguments)
        return end(saying: page, in: context)
      case .success where arguments.contains(where: { $0.hasPrefix(scalars: "-") }):
        // "-dash.txt" contains "-h", and a script must not mistake the help for success.
        mistake = UserError(
          "an argument begins with \"-\" but is not an option; for a file, write ./NAME or put -- before it"
        )
      case .success:
        let command = (["hoist"] + arguments).joined(separator: " ")
        mistake = UserError("\(command) needs a command; see \(command) --help")
      case .validationFailure:
        let message = ArgumentLists.shortened(Hoist.message(for: error))
        mistake = Usage.usageError(message, arguments)
      case let code:
        complain(Hoist.message(for: error), in: context)
        return code.rawValue
      }
    }
    complain(mistake.description, in: context)
    return mistake.status.rawValue
  }

  private static func complain(_ text: String, in context: Context) {
    // Arguments are untrusted as well: with `hoist *`, they are whatever names are in the folder.
    context.output.error("hoist: \(SafeText.lines(text).joined(separator: "\n"))")
  }

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
      let named = rest.first.flatMap(command.configuration.subcommand)
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
