import ScalarText

/// Which files of a folder are taken.
package struct FolderRules: Sendable {
  /// Whether folders inside the folder are entered.
  package var isRecursive = true
  /// Whether names that begin with a dot are taken.
  package var includesHidden = false
  /// Whether links to folders are entered.
  package var followsLinks = false
  /// Files and folders to leave out.
  package var excludes: [PathPattern] = []
  /// Where there are any, only files that one of them means, or a folder above, are taken.
  package var includes: [PathPattern] = []
  /// The name of files with further patterns to leave out, such as ".gitignore".
  package var ignoreFile: String?

  /// The rules that hold where none are given.
  package init() {}

  /// Whether the file with this path, from the folder on, is taken as far as its names tell.
  package func accepts(_ names: [String]) -> Bool {
    if !isRecursive, names.count > 1 { return false }
    if !includesHidden, names.contains(where: { $0.hasPrefix(scalars: ".") }) { return false }
    var isIncluded = includes.isEmpty
    for end in names.indices {
      let (path, isFolder) = (names[...end], end < names.count - 1)
      if isExcluded(path, isFolder: isFolder) == true { return false }
      isIncluded = isIncluded || includes.contains { $0.matches(path, isFolder: isFolder) }
    }
    return isIncluded
  }

  /// What the last pattern that means it says; nil if none does.
  func isExcluded(_ names: some Collection<String>, isFolder: Bool) -> Bool? {
    excludes.last { $0.matches(names, isFolder: isFolder) }.map { !$0.isNegated }
  }
}
