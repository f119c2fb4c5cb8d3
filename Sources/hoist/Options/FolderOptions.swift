import ArgumentParser
import FileDiscovery
import ProcessContext
import UploadModel

/// The options that say which files in a folder are added.
struct FolderOptions: ParsableArguments {
  @Flag(help: .rare("In folders, include files whose names begin with a dot."))
  var hidden = false

  @Flag(help: .rare("In folders, follow links to other folders."))
  var followLinks = false

  @Option(
    help: .usual(
      "In folders, leave out what matches: '*.tmp', 'build/'.",
      detail: "The syntax is that of .gitignore.", valueName: "pattern"))
  var exclude: [String] = []

  @Option(help: .rare("In folders, include only what matches.", valueName: "pattern"))
  var include: [String] = []

  @Option(
    help: .rare(
      "In folders, leave out what is matched by the patterns in files of this name, such as .gitignore.",
      valueName: "name"))
  var ignoreFile: String?

  /// What to look at if nothing was found in a folder; empty without `--include`.
  var includeWords: String {
    guard let pattern = include.first else { return "" }
    let hasBraces = pattern.utf8.contains(UInt8(ascii: "{"))
    return " that --include \"\(SafeText.line(pattern))\" takes"
      + (hasBraces ? "; its patterns know no braces, but --include can be repeated" : "")
  }

  func rules() throws -> FolderRules {
    func patterns(_ option: String, _ texts: [String]) throws -> [PathPattern] {
      try texts.map { text in
        guard let pattern = PathPattern(text) else {
          throw UserError("\(option) \"\(text)\": is not a pattern; an example is \"*.tmp\"")
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
        throw UserError(
          "--ignore-file \(ignoreFile): expected a name such as .gitignore, not a path")
      }
      rules.ignoreFile = ignoreFile
    }
    return rules
  }
}
