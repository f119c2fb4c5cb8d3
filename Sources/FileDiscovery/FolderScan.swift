import Foundation
import MultipartForm
import ScalarText

/// The files below a folder, one at a time and always in the same order: by the bytes of their names,
/// a folder's files where its name stands.
///
/// It holds the names of the folders on the way and no more, so it can begin at once with a tree of
/// any size. Links to files are files. Links to folders are entered only where asked for, and never
/// into a folder that they lie in. FIFOs, sockets and devices are passed over.
package struct FolderScan: Sequence, IteratorProtocol {
  /// What the scan comes across.
  package enum Entry: Hashable {
    /// A file.
    case file(FileLocation)
    /// A folder that cannot be listed, with the value of `errno`.
    case unreadable(FileLocation, code: Int32)
  }

  /// Patterns that hold in a folder and below.
  private struct Ignoring {
    var patterns: [PathPattern]
    /// How many names of a path lie above the folder.
    var depth: Int
  }

  /// A folder that is being gone through.
  private struct Level {
    /// Its names are those that are left, the next one last.
    var directory: Directory
    var isIncluded: Bool
    var ignoring: [Ignoring]
  }

  private let rules: FolderRules
  private let willEnter: (FileLocation) -> Void
  private var levels: [Level] = []
  /// The names from the folder that the scan began at to the current one.
  private var trail: [String] = []
  private var pending: Entry?

  /// A scan of the folder at `root`, which may itself be a link.
  /// - Parameter willEnter: is told of each folder before it is listed.
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
      if let entry = pending {
        pending = nil
        return entry
      }
      guard let level = levels.indices.last else { return nil }
      guard let name = levels[level].directory.names.popLast() else {
        levels.removeLast()
        if !trail.isEmpty { trail.removeLast() }
        continue
      }
      if let file = look(at: name, in: levels[level]) { return .file(file) }
    }
  }

  /// The file of this name, if it is one that is taken; folders are entered.
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
    // The last pattern that matches decides: the user's own, then the deepest folder's.
    if let answer = rules.isExcluded(names, isFolder: isFolder) { return answer }
    for folder in ignoring.reversed() {
      let inside = names.dropFirst(folder.depth)
      if let last = folder.patterns.last(where: { $0.matches(inside, isFolder: isFolder) }) {
        return !last.isNegated
      }
    }
    return false
  }

  /// Lists a folder; false if that fails, which is then the next entry.
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
    // The last is taken first.
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
