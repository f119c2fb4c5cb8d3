import ScalarText

/// Which files of a folder are taken.
public struct FolderRules: Sendable {
  /// Whether folders inside the folder are entered.
  public var isRecursive = true
  /// Whether names that begin with a dot are taken.
  public var includesHidden = false
  /// Whether links to folders are entered.
  public var followsLinks = false
  /// Files and folders to leave out.
  public var excludes: [PathPattern] = []
  /// Where there are any, only files that one of them means, or a folder above, are taken.
  public var includes: [PathPattern] = []
  /// The name of files with further patterns to leave out, such as ".gitignore".
  public var ignoreFile: String?

  /// The rules that hold where none are given.
  public init() {}

  /// Whether the file with this path, from the folder on, is taken as far as its names tell.
  public func accepts(_ names: [String]) -> Bool {
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
