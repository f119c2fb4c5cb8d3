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
  /// A result of the scan.
  package enum Entry: Hashable {
    case file(FileLocation)
    /// A folder that cannot be listed, with the value of `errno`.
    case unreadable(FileLocation, code: Int32)
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
  private var pending: Entry?

  /// A scan of the folder at `root`, which may itself be a link.
  /// - Parameter willEnter: called with each folder before the folder is listed.
  package init(
    _ root: FileLocation, rules: FolderRules = FolderRules(),
    willEnter: @escaping (FileLocation) -> Void = { _ in }
  ) {
    self.rules = rules
    self.willEnter = willEnter
    enter(root, ignoring: [], isIncluded: rules.includes.isEmpty)
  }

  /// The next file or unreadable folder; nil at the end.
  package mutating func next() -> Entry? {
    while true {
      if let entry = pending.take() { return entry }
      guard let level = levels.indices.last else { return nil }
      guard let name = levels[level].directory.names.popLast() else {
        levels.removeLast()
        if !trail.isEmpty { trail.removeLast() }
        continue
      }
      if let file = look(at: name, in: levels[level]) { return .file(file) }
    }
  }

  /// Returns the file with this name if it is included. If the name is that of a folder, enters it and returns nil.
  private mutating func look(at name: [UInt8], in level: Level) -> FileLocation? {
    if !rules.includesHidden, name.first == UInt8(ascii: ".") { return nil }
    guard let entry = level.directory.entry(name), entry.kind != .other else { return nil }
    let (location, isFolder) = (level.directory.location(of: name), entry.kind == .folder)

    let shown = String(decoding: name, as: UTF8.self)
    let names = trail + [shown]
    if isExcluded(names, isFolder: isFolder, level.ignoring) { return nil }
    let isIncluded =
      level.isIncluded || rules.includes.contains { $0.matches(names, isFolder: isFolder) }
    guard isFolder else { return isIncluded ? location : nil }
    guard rules.isRecursive else { return nil }
    if entry.isLink {
      let isInside = levels.contains { $0.directory.place == entry.place }
      guard rules.followsLinks, !isInside else { return nil }
    }
    trail.append(shown)
    if !enter(location, ignoring: level.ignoring, isIncluded: isIncluded) { trail.removeLast() }
    return nil
  }

  private func isExcluded(_ names: [String], isFolder: Bool, _ ignoring: [Ignoring]) -> Bool {
    // The user's own patterns take precedence, then those of the deepest folder; within each, the last match wins.
    if let answer = rules.isExcluded(names, isFolder: isFolder) { return answer }
    for folder in ignoring.reversed() {
      let inside = names.dropFirst(folder.depth)
      if let last = folder.patterns.last(where: { $0.matches(inside, isFolder: isFolder) }) {
        return !last.isNegated
      }
    }
    return false
  }

  /// Lists a folder. If that fails, the error becomes the next entry, and false is returned.
  @discardableResult
  private mutating func enter(
    _ folder: FileLocation, ignoring: [Ignoring], isIncluded: Bool
  ) -> Bool {
    willEnter(folder)
    var directory: Directory
    do throws(Directory.ReadError) { directory = try Directory(folder) } catch {
      pending = .unreadable(folder, code: error.code)
      return false
    }
    var ignoring = ignoring
    if let file = rules.ignoreFile, let patterns = Self.patterns(in: directory.path, file) {
      ignoring.append(Ignoring(patterns: patterns, depth: trail.count))
    }
    // In reverse, since names are taken from the end.
    directory.names.sort { $1.lexicographicallyPrecedes($0) }
    levels.append(Level(directory: directory, isIncluded: isIncluded, ignoring: ignoring))
    return true
  }

  private static func patterns(in folder: [UInt8], _ name: String) -> [PathPattern]? {
    let path = String(decoding: folder + [UInt8(ascii: "/")], as: UTF8.self) + name
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return String(decoding: data, as: UTF8.self).textLines
      .filter { !$0.hasPrefix(scalars: "#") }.compactMap { PathPattern($0) }
  }
}
