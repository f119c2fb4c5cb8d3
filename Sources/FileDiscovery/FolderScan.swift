import Foundation
import MultipartForm
import ScalarText

/// The files below a folder, one at a time and always in the same order: sorted by the bytes of their names,
/// with the contents of a folder at the place of the folder's name.
///
/// Keeps only the names in the folders on the current path, so scanning starts at once in a tree of any size. Links to
/// files count as files. Links to folders are entered only if the rules say so, and never if they lead to a folder that
/// contains them. FIFOs, sockets and devices are skipped.
package struct FolderScan: Sequence, IteratorProtocol {
  package enum Entry: Hashable {
    case file(FileLocation)
    /// A folder that cannot be listed.
    case unreadable(FileLocation, reason: String)
  }

  /// Patterns of an ignore file, which apply to its folder and everything below.
  private struct Ignoring {
    var patterns: [PathPattern]
    /// The number of names between the root of the scan and the folder.
    var depth: Int
  }

  /// A folder that is being scanned.
  private struct Level {
    /// Its `names` are the remaining ones in reverse order.
    var directory: Directory
    var isIncluded: Bool
    var ignoring: [Ignoring]
  }

  private let rules: FolderRules
  private let willEnter: (FileLocation) -> Void
  private var levels: [Level] = []
  /// The names from the root of the scan to the current folder.
  private var trail: [String] = []
  /// The error for the root, until it is returned.
  private var pending: Entry?

  /// A scan of the folder at `root`, which may itself be a link. Calls `willEnter` with each folder before listing it.
  package init(
    _ root: FileLocation, rules: FolderRules = FolderRules(),
    willEnter: @escaping (FileLocation) -> Void = { _ in }
  ) {
    self.rules = rules
    self.willEnter = willEnter
    pending = enter(root, ignoring: [], isIncluded: rules.includes.isEmpty)
  }

  /// The next file or unreadable folder; nil at the end.
  package mutating func next() -> Entry? {
    if let entry = pending.take() { return entry }
    while let level = levels.indices.last {
      guard let name = levels[level].directory.names.popLast() else {
        levels.removeLast()
        if !trail.isEmpty { trail.removeLast() }
        continue
      }
      if let entry = look(at: name, in: levels[level]) { return entry }
    }
    return nil
  }

  /// Returns the file with this name if it is included. If the name is that of a folder, enters it.
  private mutating func look(at name: [UInt8], in level: Level) -> Entry? {
    if !rules.includesHidden, name.first == UInt8(ascii: ".") { return nil }
    guard let entry = level.directory.entry(name), entry.kind != .other else { return nil }
    let (location, isFolder) = (level.directory.location(of: name), entry.kind == .folder)
    let shown = String(decoding: name, as: UTF8.self)
    let names = trail + [shown]
    if isExcluded(names, isFolder: isFolder, level.ignoring) { return nil }
    let isIncluded =
      level.isIncluded || rules.includes.contains { $0.matches(names, isFolder: isFolder) }
    guard isFolder else { return isIncluded ? .file(location) : nil }
    guard rules.isRecursive else { return nil }
    if entry.isLink {
      let isInside = levels.contains { $0.directory.place == entry.place }
      guard rules.followsLinks, !isInside else { return nil }
    }
    trail.append(shown)
    let failure = enter(location, ignoring: level.ignoring, isIncluded: isIncluded)
    if failure != nil { trail.removeLast() }
    return failure
  }

  private func isExcluded(_ names: [String], isFolder: Bool, _ ignoring: [Ignoring]) -> Bool {
    // The user's own patterns take precedence, then those of the deepest folder; within each, the last match wins.
    if let answer = rules.excludes.leavesOut(names, isFolder: isFolder) { return answer }
    for folder in ignoring.reversed() {
      let inside = names.dropFirst(folder.depth)
      if let answer = folder.patterns.leavesOut(inside, isFolder: isFolder) { return answer }
    }
    return false
  }

  /// Lists a folder. Returns an entry if that fails.
  private mutating func enter(
    _ folder: FileLocation, ignoring: [Ignoring], isIncluded: Bool
  ) -> Entry? {
    willEnter(folder)
    var directory: Directory
    do throws(InputError) { directory = try Directory(folder) } catch {
      return .unreadable(folder, reason: error.description)
    }
    var ignoring = ignoring
    if let file = rules.ignoreFile, let patterns = Self.patterns(in: directory, file) {
      ignoring.append(Ignoring(patterns: patterns, depth: trail.count))
    }
    // In reverse, since names are taken from the end.
    directory.names.sort { $1.lexicographicallyPrecedes($0) }
    levels.append(Level(directory: directory, isIncluded: isIncluded, ignoring: ignoring))
    return nil
  }

  private static func patterns(in folder: Directory, _ name: String) -> [PathPattern]? {
    let path = folder.location(of: Array(name.utf8)).description
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return String(decoding: data, as: UTF8.self).textLines
      .filter { !$0.hasPrefix(scalars: "#") }.compactMap { PathPattern($0) }
  }
}
