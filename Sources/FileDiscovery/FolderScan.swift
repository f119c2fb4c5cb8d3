import Foundation
import MultipartForm
import ScalarText

/// The files below a folder, one at a time and always in the same order: sorted by the bytes of their names,
/// with the contents of a folder at the place of the folder's name.
///
/// Keeps only the names in the folders on the current path, so scanning starts at once in a tree of any size and depth.
/// Links to files count as files. Links to folders are entered only if the rules say so, and never if they lead to a
/// folder that contains them. FIFOs, sockets and devices are skipped. Nothing else is left out without an entry.
package struct FolderScan: Sequence, IteratorProtocol {
  package enum Entry: Hashable {
    case file(FileLocation)
    /// A folder that cannot be listed, or something in a folder that cannot be looked at.
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
    /// Nil while it is closed.
    var folder: OpenFolder?
    let place: FilePlace
    /// The remaining names in reverse order.
    var names: [[UInt8]]
    /// The length of `path` in this folder.
    let pathLength: Int
    let isIncluded: Bool
    let ignoring: [Ignoring]
  }

  /// How many folders are open at most. The others are opened again when the scan returns to them.
  private static let mostOpen = 8

  private let rules: FolderRules
  private let willList: (FileLocation, _ descriptor: Int32) -> Void
  private var levels: [Level] = []
  /// The names from the root of the scan to the current folder.
  private var trail: [String] = []
  /// The path of the current folder, with a slash at its end.
  private var path: [UInt8]
  /// The error for the root, until it is returned.
  private var pending: Entry?

  /// A scan of the folder at `root`, which may itself be a link. Calls `willList` with the path and the descriptor of
  /// each folder before listing it.
  package init(
    _ root: FileLocation, rules: FolderRules = FolderRules(),
    willList: @escaping (FileLocation, _ descriptor: Int32) -> Void = { _, _ in }
  ) {
    self.rules = rules
    self.willList = willList
    let root = root.withoutTrailingSlashes
    path = root.beginning
    do throws(InputError) {
      pending = try list(
        OpenFolder(root), at: root, ignoring: [], isIncluded: rules.includes.isEmpty)
    } catch {
      pending = .unreadable(root, reason: error.description)
    }
  }

  /// The next entry; nil at the end.
  package mutating func next() -> Entry? {
    if let entry = pending.take() { return entry }
    while let level = levels.indices.last {
      path.removeLast(path.count - levels[level].pathLength)
      guard let name = levels[level].names.popLast() else {
        levels.removeLast()
        if !trail.isEmpty { trail.removeLast() }
        continue
      }
      if let entry = look(at: name, level) { return entry }
    }
    return nil
  }

  /// Returns an entry for this name if there is one. If the name is that of a folder, lists it.
  private mutating func look(at name: [UInt8], _ number: Int) -> Entry? {
    if !rules.includesHidden, name.first == UInt8(ascii: ".") { return nil }
    let (level, location) = (levels[number], FileLocation(bytes: path + name))
    let shown = String(decoding: name, as: UTF8.self)
    let names = trail + [shown]
    let folder: OpenFolder
    do throws(InputError) { folder = try open(number) } catch {
      levels[number].names = []
      return .unreadable(
        FileLocation(bytes: path).withoutTrailingSlashes, reason: error.description)
    }
    do throws(InputError) {
      guard let entry = try folder.entry(name), entry.kind != .other else { return nil }
      let isFolder = entry.kind == .folder
      if isExcluded(names, isFolder: isFolder, level.ignoring) { return nil }
      let isIncluded =
        level.isIncluded || rules.includes.contains { $0.matches(names, isFolder: isFolder) }
      guard isFolder else { return isIncluded ? .file(location) : nil }
      guard rules.isRecursive else { return nil }
      if entry.isLink {
        let isInside = levels.contains { $0.place == entry.place }
        guard rules.followsLinks, !isInside else { return nil }
      }
      let inner = try OpenFolder(
        FileLocation(bytes: name), in: folder, followsLink: entry.isLink)
      path = location.beginning
      trail.append(shown)
      return list(inner, at: location, ignoring: level.ignoring, isIncluded: isIncluded)
    } catch {
      // It may be a file or a folder.
      let isExcluded = [false, true].contains {
        self.isExcluded(names, isFolder: $0, level.ignoring)
      }
      return isExcluded ? nil : .unreadable(location, reason: error.description)
    }
  }

  /// The folder of a level, which is opened again if it was closed in the meantime. It must be the current folder.
  private mutating func open(_ number: Int) throws(InputError) -> OpenFolder {
    if let folder = levels[number].folder { return folder }
    let folder = try OpenFolder(FileLocation(bytes: path))
    guard folder.place == levels[number].place else {
      throw InputError(description: "another folder took its place while it was being read")
    }
    levels[number].folder = folder
    return folder
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

  /// Lists the current folder, at `location`. Returns an entry if some of its contents may be missing.
  private mutating func list(
    _ folder: OpenFolder, at location: FileLocation, ignoring: [Ignoring], isIncluded: Bool
  ) -> Entry? {
    willList(location, folder.descriptor)
    var ignoring = ignoring
    var (names, trouble) = folder.names()
    do throws(InputError) {
      if let file = rules.ignoreFile, let patterns = try Self.patterns(in: folder, file) {
        ignoring.append(Ignoring(patterns: patterns, depth: trail.count))
      }
    } catch {
      // What it leaves out must not be sent.
      names = []
      trouble = InputError(description: "\(rules.ignoreFile ?? "") in it: \(error)")
    }
    // In reverse, since names are taken from the end.
    names.sort { $1.lexicographicallyPrecedes($0) }
    levels.append(
      Level(
        folder: folder, place: folder.place, names: names, pathLength: path.count,
        isIncluded: isIncluded, ignoring: ignoring))
    let closed = levels.count - 1 - Self.mostOpen
    if levels.indices.contains(closed) { levels[closed].folder = nil }
    return trouble.map { .unreadable(location, reason: $0.description) }
  }

  private static func patterns(
    in folder: OpenFolder, _ name: String
  ) throws(InputError) -> [PathPattern]? {
    guard let content = try folder.content(of: Array(name.utf8)) else { return nil }
    return String(decoding: FileList.withoutMark(content[...]), as: UTF8.self).textLines
      .filter { !$0.hasPrefix(scalars: "#") }.compactMap { PathPattern($0) }
  }
}
