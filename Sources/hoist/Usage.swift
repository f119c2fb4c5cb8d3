import ArgumentParser
import Foundation
import ProcessContext
import ScalarText
import Settings
import UploadModel

/// Reports mistakes in the command line like other errors: as one line that says what to do.
enum Usage {
  /// Detects a mistyped command: a first word that names no file and resembles a command.
  static func mistypedVerb(_ arguments: [String]) -> UserError? {
    guard let word = arguments.first, !word.hasPrefix(scalars: "-"),
      Hoist.configuration.subcommand(word) == nil, word != "help",
      !word.utf8.contains(where: { "/.*?[~".utf8.contains($0) }), access(word, F_OK) != 0,
      let verb = NearestName.of(word, among: Hoist.configuration.verbs)
    else { return nil }
    return UserError(
      "there is no command and no file \"\(word)\"; did you mean hoist \(verb)? "
        + "For a file, write ./\(word)")
  }

  /// An unknown command after `help`. ArgumentParser would show the help of the command before it.
  static func unknownTopic(_ arguments: [String]) -> UserError? {
    guard let verb = arguments.first, verb == "help" else { return nil }
    return unknownCommand(arguments.dropFirst().filter { $0 != verb && $0 != "--" })
  }

  /// The error for the first word that should name a command but does not. Each word is looked up among the commands of
  /// the one before.
  private static func unknownCommand(_ words: some Sequence<String>) -> UserError? {
    var (known, command) = ([String](), Hoist.configuration)
    for word in words {
      guard !word.hasPrefix(scalars: "-"), !command.subcommands.isEmpty else { return nil }
      guard let next = command.subcommand(word) else {
        let path = (["hoist"] + known).joined(separator: " ")
        let near = NearestName.of(word, among: command.verbs).map { "did you mean \(path) \($0)?" }
        let lack =
          known.isEmpty ? "there is no command" : "\(known.joined(separator: " ")) has no command"
        return UserError("\(lack) \"\(word)\"; \(near ?? "see \(path) --help")")
      }
      (known, command) = (known + [word], next.configuration)
    }
    return nil
  }

  /// ArgumentParser's error as one line in hoist's format.
  static func usageError(_ message: String, _ arguments: [String]) -> UserError {
    let text = message.split(whereSeparator: \.isNewline).map { $0.trimming(\.isWhiteSpace) }
      .joined(separator: " ")
    var words = text.prefix(1).lowercased() + text.dropFirst()
    let verb = arguments.first.flatMap(Hoist.configuration.subcommand)?.configuration.commandName
    // Without a command, the first word is a file.
    if words.contains(scalars: "unexpected argument"), verb != nil,
      let mistake = unknownCommand(arguments)
    {
      return mistake
    }
    if arguments.first == ReceiveCommand.configuration.commandName,
      words.hasPrefix(scalars: "unexpected argument '")
    {
      let folder = String(words.unicodeScalars.dropFirst(21).dropLast())
      words += "; did you mean --dir \(folder)?"
    }
    let end =
      words.unicodeScalars.last.map { ".?!".unicodeScalars.contains($0) } == true ? " See" : "; see"
    return UserError("\(words)\(end) hoist\(verb.map { " \($0)" } ?? "") --help")
  }
}

extension CommandConfiguration {
  /// The names of the commands below this one.
  var verbs: [String] { subcommands.compactMap { $0.configuration.commandName } }

  /// The command of this name. Unlike `verbs`, this does not load the help texts of all commands.
  func subcommand(_ name: String) -> (any ParsableCommand.Type)? {
    subcommands.first { $0.configuration.commandName == name }
  }
}
