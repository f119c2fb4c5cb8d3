import ArgumentParser
import ScalarText

/// The two pages of help that a command has: `hoist push --help` has what most people need, `hoist help push all`
/// everything. The manual page and the completions are made of the second one.
///
/// Both come from the same declarations: options are declared with `usual` or `rare` help.
enum HelpPage {
  /// Whether the page that is being made has everything. Options and commands look at this when they are declared.
  @TaskLocal static var isWhole = false

  /// Runs `body` so that whatever it prints about commands has everything.
  static func whole<Value>(_ body: () throws -> Value) rethrows -> Value {
    try $isWhole.withValue(true, operation: body)
  }

  /// The arguments without the word that asks for the whole page; nil if they do not ask for it.
  static func askingForWhole(_ arguments: [String]) -> [String]? {
    if arguments.count > 1, arguments.first == "help", arguments.last == "all" {  // not text
      return arguments.dropLast()
    }
    // What other programs read.
    return arguments.contains { $0.hasPrefix(scalars: "--experimental-dump-help") }
      || arguments.contains { $0.hasPrefix(scalars: "--generate-completion-script") }
      ? arguments : nil
  }

  /// The page that ArgumentParser makes of a request for help, with a line that names the other page.
  static func text(_ page: () -> String, for arguments: [String]) -> String {
    let text = page()
    let more = isWhole || text == whole(page) ? "" : "\n\(pointer(for: arguments))"
    return text.replacing(scalars: " SUBCOMMANDS:", with: ":")
      .replacing(scalars: "help <subcommand>'", with: "help COMMAND'") + more
  }

  private static func pointer(for arguments: [String]) -> String {
    var (words, command) = (["hoist", "help"], Hoist.configuration)
    for word in arguments {
      guard let next = command.subcommand(word) else { continue }
      (words, command) = (words + [word], next.configuration)
    }
    return "'\(words.joined(separator: " ")) all' has every option."
  }
}

extension ArgumentHelp {
  /// Help that both pages have; `detail` is only on the whole one.
  static func usual(
    _ abstract: String, detail: String = "", valueName: String? = nil
  ) -> ArgumentHelp {
    ArgumentHelp(
      HelpPage.isWhole && !detail.isEmpty ? "\(abstract) \(detail)" : "\(abstract)",
      valueName: valueName)
  }

  /// Help that only the whole page has.
  static func rare(_ abstract: String, valueName: String? = nil) -> ArgumentHelp {
    ArgumentHelp(
      "\(abstract)", valueName: valueName, visibility: HelpPage.isWhole ? .default : .hidden)
  }
}
