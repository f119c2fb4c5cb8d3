import Foundation
import MultipartForm
import ScalarText

/// The files below a folder, one at a time and always in the same order: by the bytes of their names,
/// a folder's files where its name stands.
///
/// It holds the names of the folders on the way and no more, so it can begin at once with a tree of
/// any size. Links to files are files. Links to folders are entered only where asked for, and never
/// into a folder that they lie in. FIFOs, sockets and devices are passed over.
struct FolderScan: Sequence, IteratorProtocol {
  /// What the scan comes across.
  enum Entry: Hashable {
    case file(FileLocation)
    /// A folder that cannot be listed, with the value of `errno`.
    case unreadable(FileLocation, code: Int32)
  }

  /// What is taken and what is not.
  struct Rules: Sendable {
    /// Whether folders inside the folder are entered.
    var isRecursive = true
    /// Whether names that begin with a dot are taken.
    var includesHidden = false
    /// Whether links to folders are entered.
    var followsLinks = false
    /// Files and folders to leave out.
    var excludes: [PathPattern] = []
    /// Where there are any, only files that one of them means, or a folder above, are taken.
    var includes: [PathPattern] = []
    /// The name of files with further patterns to leave out, such as ".gitignore".
    var ignoreFile: String?

    /// Whether the file with this path, from the folder on, is taken as far as its names tell.
    func accepts(_ names: [String]) -> Bool {
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

    /// What the last pattern that means it says; nil where none does.
    fileprivate func isExcluded(_ names: some Collection<String>, isFolder: Bool) -> Bool? {
      excludes.last { $0.matches(names, isFolder: isFolder) }.map { !$0.isNegated }
    }
  }

  /// Patterns that hold in a folder and below.
  private struct Ignoring {
    var patterns: [PathPattern]
    /// How many names of a path lie above the folder.
    var depth: Int
  }

  private struct Place: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  /// A folder that is being gone through.
  private struct Level {
    var path: [UInt8]
    var names: [[UInt8]]
    var place: Place
    var isIncluded: Bool
    var ignoring: [Ignoring]
  }

  private let rules: Rules
  private let willEnter: (FileLocation) -> Void
  private var levels: [Level] = []
  /// The names from the folder that the scan began at to the current one.
  private var trail: [String] = []
  private var pending: Entry?

  /// A scan of the folder at `root`, which may itself be a link.
  /// - Parameter willEnter: is told of each folder before it is listed.
  init(
    _ root: FileLocation, rules: Rules = Rules(),
    willEnter: @escaping (FileLocation) -> Void = { _ in }
  ) {
    self.rules = rules
    self.willEnter = willEnter
    var path = root.bytes
    while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
    enter(path, ignoring: [], isIncluded: rules.includes.isEmpty)
  }

  mutating func next() -> Entry? {
    while true {
      if let entry = pending {
        pending = nil
        return entry
      }
      guard let level = levels.indices.last else { return nil }
      guard let name = levels[level].names.popLast() else {
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
    let path = level.path + (level.path == [UInt8(ascii: "/")] ? [] : [UInt8(ascii: "/")]) + name
    let location = FileLocation(bytes: path)
    var status = stat()
    guard location.withCString({ lstat($0, &status) }) == 0 else { return nil }
    let isLink = status.st_mode & S_IFMT == S_IFLNK
    // A link that leads nowhere is a file, so that it is named as missing.
    if isLink, location.withCString({ stat($0, &status) }) != 0 { status.st_mode = S_IFREG }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    guard isFolder || status.st_mode & S_IFMT == S_IFREG else { return nil }

    let shown = String(decoding: name, as: UTF8.self)
    let names = trail + [shown]
    if isExcluded(names, isFolder: isFolder, level.ignoring) { return nil }
    let isIncluded =
      level.isIncluded || rules.includes.contains { $0.matches(names, isFolder: isFolder) }
    guard isFolder else { return isIncluded ? location : nil }
    guard rules.isRecursive else { return nil }
    let place = Place(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    if isLink, !rules.followsLinks || levels.contains(where: { $0.place == place }) { return nil }
    trail.append(shown)
    if !enter(path, ignoring: level.ignoring, isIncluded: isIncluded) { trail.removeLast() }
    return nil
  }

  private func isExcluded(_ names: [String], isFolder: Bool, _ ignoring: [Ignoring]) -> Bool {
    // The last pattern that matches decides: the person's own, then the deepest folder's.
    if let answer = rules.isExcluded(names, isFolder: isFolder) { return answer }
    for folder in ignoring.reversed() {
      let inside = names.dropFirst(folder.depth)
      if let last = folder.patterns.last(where: { $0.matches(inside, isFolder: isFolder) }) {
        return !last.isNegated
      }
    }
    return false
  }

  /// Lists a folder; false where that fails, which is then the next entry.
  @discardableResult
  private mutating func enter(_ path: [UInt8], ignoring: [Ignoring], isIncluded: Bool) -> Bool {
    let location = FileLocation(bytes: path)
    willEnter(location)
    guard let stream = location.withCString({ opendir($0) }) else {
      pending = .unreadable(location, code: errno)
      return false
    }
    defer { closedir(stream) }
    var status = stat()
    guard fstat(dirfd(stream), &status) == 0 else {
      pending = .unreadable(location, code: errno)
      return false
    }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
    }
    // The last is taken first.
    names.sort { $1.lexicographicallyPrecedes($0) }
    var ignoring = ignoring
    if let file = rules.ignoreFile, let patterns = Self.patterns(in: path, file) {
      ignoring.append(Ignoring(patterns: patterns, depth: trail.count))
    }
    levels.append(
      Level(
        path: path, names: names,
        place: Place(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
        isIncluded: isIncluded, ignoring: ignoring))
    return true
  }

  private static func patterns(in folder: [UInt8], _ name: String) -> [PathPattern]? {
    let path = String(decoding: folder + [UInt8(ascii: "/")], as: UTF8.self) + name
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    return String(decoding: data, as: UTF8.self).textLines
      .filter { !$0.hasPrefix(scalars: "#") }.compactMap { PathPattern($0) }
  }
}
