import ScalarText

/// Which files in a folder are included.
package struct FolderRules: Sendable {
  /// Whether subfolders are entered.
  package var isRecursive = true
  /// Whether names that begin with a dot are included.
  package var includesHidden = false
  package var followsLinks = false
  /// Patterns of files and folders to leave out.
  package var excludes: [PathPattern] = []
  /// Patterns of files to include. If there are any, only files that match one, or that are below a folder that matches
  /// one, are included.
  package var includes: [PathPattern] = []
  /// The name of files that list further patterns to leave out, such as ".gitignore".
  package var ignoreFile: String?

  package init() {}

  /// Whether the rules include the file at this path, given as names relative to the folder. Only names are
  /// checked: links and ignore files are not read.
  package func accepts(_ names: [String]) -> Bool {
    if !isRecursive, names.count > 1 { return false }
    if !includesHidden, names.contains(where: { $0.hasPrefix(scalars: ".") }) { return false }
    var isIncluded = includes.isEmpty
    for end in names.indices {
      let (path, isFolder) = (names[...end], end < names.count - 1)
      if excludes.leavesOut(path, isFolder: isFolder) == true { return false }
      isIncluded = isIncluded || includes.contains { $0.matches(path, isFolder: isFolder) }
    }
    return isIncluded
  }
}

extension [PathPattern] {
  /// Whether the last matching pattern leaves out the path; nil if no pattern matches.
  func leavesOut(_ names: some Collection<String>, isFolder: Bool) -> Bool? {
    last { $0.matches(names, isFolder: isFolder) }.map { !$0.isNegated }
  }
}
