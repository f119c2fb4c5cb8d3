import ArgumentParser
import FileDiscovery

/// The options that say which files of a folder are meant.
struct FolderOptions: ParsableArguments {
  @Flag(name: .long, help: "Of folders, take files whose names begin with a dot too.")
  var hidden = false

  @Flag(name: .long, help: "Of folders, enter those that links lead to too.")
  var followLinks = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Of folders, leave out what matches, as .gitignore has it: \"*.tmp\", \"build/\".",
      valueName: "pattern"))
  var exclude: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp("Of folders, take only what matches.", valueName: "pattern"))
  var include: [String] = []

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Of folders, files of this name hold patterns to leave out, such as .gitignore.",
      valueName: "name"))
  var ignoreFile: String?

  /// What is taken of folders.
  func rules() throws -> FolderRules {
    func patterns(_ option: String, _ texts: [String]) throws -> [PathPattern] {
      try texts.map { text in
        guard let pattern = PathPattern(text) else {
          throw UserError("\(option) \"\(text)\": is no pattern; an example is \"*.tmp\"")
        }
        return pattern
      }
    }
    var rules = FolderRules()
    rules.includesHidden = hidden
    rules.followsLinks = followLinks
    rules.excludes = try patterns("--exclude", exclude)
    rules.includes = try patterns("--include", include)
    if let ignoreFile {
      guard !ignoreFile.isEmpty, !ignoreFile.utf8.contains(UInt8(ascii: "/")) else {
        throw UserError("--ignore-file \(ignoreFile): expected a name such as .gitignore, no path")
      }
      rules.ignoreFile = ignoreFile
    }
    return rules
  }
}
