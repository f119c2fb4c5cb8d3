import Commands
import Foundation
import Glibc
import MultipartForm
import ScalarText
import UploadModel

/// Deletes or moves local files once the server has proved that it has their content.
struct FileDisposal: Sendable {
  /// What became of a file.
  enum Outcome: Equatable, Sendable {
    case deleted
    case trashed
    case moved(to: FileLocation)
    /// The file was no longer there.
    case gone
    /// The file was left in its place, for this reason.
    case kept(String)

    var words: String {
      switch self {
      case .deleted: "the file was deleted here"
      case .trashed: "the file was moved to the trash"
      case .moved(let place): "the file was moved to \(place)"
      case .gone: "the file was gone already"
      case .kept(let why): "the file was left in its place: \(why)"
      }
    }

    var isKept: Bool { if case .kept = self { true } else { false } }
  }

  /// `$XDG_DATA_HOME/Trash` (freedesktop.org Trash specification 1.0).
  private let homeTrash: String?

  init(environment: [String: String]) {
    let base = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix(scalars: "/") ? $0 : nil }
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : "\($0)/.local/share" }
    homeTrash = (base ?? home).map { "\($0)/Trash" }
  }

  private struct Obstacle: Error {
    var words: String
    /// Whether another program has renamed the file meanwhile.
    var isRenaming = false

    static let renamed = Obstacle(words: "another program keeps renaming it", isRenaming: true)
  }

  /// Deletes or moves the file at an absolute path, unless it is no longer the one that was sent.
  func perform(_ disposal: Disposal, at place: FileLocation, _ identity: FileIdentity?) -> Outcome {
    var last = Obstacle.renamed
    // Another hoist, or the guard of one that was killed, may rename the file at the same time.
    for _ in 0..<3 where last.isRenaming {
      do throws(Obstacle) { return try attempt(disposal, at: place, identity) } catch {
        last = error
      }
    }
    return .kept(last.words)
  }

  private func attempt(
    _ disposal: Disposal, at place: FileLocation, _ identity: FileIdentity?
  ) throws(Obstacle) -> Outcome {
    guard let identity else {
      guard try look(at: place) != nil else { return .gone }
      throw Obstacle(words: Self.changed)
    }
    let hidden = Self.hidden(place, identity)
    // A hoist that was killed before it removed the file has left it there.
    let isHidden = (try? look(at: hidden)) == identity
    if !isHidden {
      guard let found = try look(at: place) else {
        return finished(disposal.way, place, identity) ?? .gone
      }
      guard found == identity else { throw Obstacle(words: Self.changed) }
    }
    do throws(Obstacle) {
      let file: LeavingFile
      do throws(FileError) {
        file = try LeavingFile(isHidden ? hidden : place, expecting: identity)
      } catch {
        switch error.reason {
        case .vanished: throw Obstacle.renamed
        case .unreadable: throw Obstacle(words: "it cannot be read")
        default: throw Obstacle(words: Self.changed)
        }
      }
      return try remove(
        file, disposal, Passage(place: place, now: isHidden ? hidden : place, identity: identity))
    } catch {
      guard isHidden else { throw error }
      throw restored(hidden, to: place, after: error)
    }
  }

  /// A file on its way out.
  private struct Passage {
    /// Where it was when it was sent.
    let place: FileLocation
    /// Where it is now.
    let now: FileLocation
    let identity: FileIdentity
  }

  private func remove(
    _ file: LeavingFile, _ disposal: Disposal, _ passage: Passage
  ) throws(Obstacle) -> Outcome {
    switch disposal.way {
    case .move(let path):
      try check(file, disposal)
      let folder = try self.folder(path, beside: passage.place)
      return .moved(to: try take(passage, file, into: folder))
    case .delete:
      if let trash = trash(for: passage.place, on: passage.identity.device) {
        try check(file, disposal)
        try discard(passage, file, into: trash)
        return .trashed
      }
      return try delete(file, disposal, passage)
    }
  }

  /// Hides the file first, so that the file that is deleted is the one that is checked. If this process is killed
  /// meanwhile, the file gets its name back.
  private func delete(
    _ file: LeavingFile, _ disposal: Disposal, _ passage: Passage
  ) throws(Obstacle) -> Outcome {
    let hidden = Self.hidden(passage.place, passage.identity)
    if file.isWrittenTo { throw Obstacle(words: Self.written) }
    let rescue = hidden.withCString { from in
      passage.place.withCString { RenameGuard(renaming: from, to: $0) }
    }
    defer { rescue?.end() }
    if passage.now != hidden {
      switch Self.rename(passage.now, hidden) {
      case 0: break
      case ENOENT: throw Obstacle.renamed
      case let code: throw Obstacle(words: String(cString: strerror(code)))
      }
    }
    do throws(Obstacle) {
      guard (try? FileIdentity(of: hidden)) == passage.identity else {
        throw Obstacle(words: Self.changed)
      }
      try check(file, disposal)
      if file.isWrittenTo { throw Obstacle(words: Self.written) }
      guard hidden.withCString({ unlink($0) }) != 0 else { return .deleted }
      throw errno == ENOENT ? Obstacle.renamed : Obstacle(words: Self.reason)
    } catch {
      throw restored(hidden, to: passage.place, after: error)
    }
  }

  private static let changed = "it has changed since it was sent"
  private static let written = "another program has it open for writing"

  /// Makes sure that the file contains what the server has.
  private func check(_ file: LeavingFile, _ disposal: Disposal) throws(Obstacle) {
    if file.isWrittenTo { throw Obstacle(words: Self.written) }
    let content: LeavingFile.Content
    do throws(FileError) { content = try file.content(since: disposal.moment) } catch {
      throw Obstacle(words: "it cannot be read")
    }
    switch content {
    case .same: return
    case .other: throw Obstacle(words: file.isWrittenTo ? Self.written : Self.changed)
    case .unknown: throw Obstacle(words: "it may have changed since it was sent")
    }
  }

  /// The name of a file while it is being deleted. It follows from the file, so that the next hoist finds it.
  private static func hidden(_ place: FileLocation, _ identity: FileIdentity) -> FileLocation {
    let name = place.split.name.prefix(200)
    let number = String(identity.inode, radix: 36)
    return place.folder.appending(Array(".".utf8) + name + Array(".\(number).hoist".utf8))
  }

  /// Gives a file its name back, or a similar one if that is taken. Returns the obstacle, which then says so.
  private func restored(
    _ now: FileLocation, to place: FileLocation, after obstacle: Obstacle
  ) -> Obstacle {
    var obstacle = obstacle
    for number in 1...1000 {
      let target = place.folder.appending(Self.numbered(place.split.name, number))
      switch Self.rename(now, target) {
      case EEXIST: continue
      case 0 where number == 1: return obstacle
      case 0:
        obstacle.words += "; it is now called \(target), since another file has its name"
        return obstacle
      // Another process has given it its name back.
      case ENOENT: return obstacle
      default: break
      }
      break
    }
    obstacle.words += "; it is now called \(now), since it could not be renamed back"
    return obstacle
  }

  /// What an earlier process did to the file before it was killed; nil if the file is not where it would be then.
  private func finished(
    _ way: Disposal.Way, _ place: FileLocation, _ identity: FileIdentity
  ) -> Outcome? {
    func found(in folder: FileLocation) -> FileLocation? {
      for number in 1...1000 {
        let target = folder.appending(Self.numbered(place.split.name, number))
        guard let found = try? FileIdentity(of: target) else { return nil }
        if found == identity { return target }
      }
      return nil
    }
    switch way {
    case .move(let path): return found(in: Self.folder(path, beside: place)).map { .moved(to: $0) }
    case .delete:
      let trash = trash(for: place, on: identity.device)
      return trash.flatMap { found(in: FileLocation("\($0.path)/files")) }.map { _ in .trashed }
    }
  }

  /// The identity of the file at a path; nil if nothing is there.
  private func look(at place: FileLocation) throws(Obstacle) -> FileIdentity? {
    var status = stat()
    guard place.isUsable, place.withCString({ lstat($0, &status) }) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw Obstacle(words: Self.reason)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Obstacle(words: "it is not a regular file")
    }
    do throws(FileError) { return try FileIdentity(of: place) } catch {
      if error.reason == .vanished { return nil }
      throw Obstacle(words: "it cannot be examined")
    }
  }

  private static var reason: String { String(cString: strerror(errno)) }

  // MARK: Moving

  /// Moves a file into a folder by renaming it: to `name`, or else to its own name, with a number if that is taken. If
  /// it turns out not to be the file that was sent, moves it back.
  private func take(
    _ passage: Passage, _ file: LeavingFile, into folder: FileLocation, as name: [UInt8]? = nil
  ) throws(Obstacle) -> FileLocation {
    for number in name == nil ? 1...1000 : 1...1 {
      let target = folder.appending(name ?? Self.numbered(passage.place.split.name, number))
      switch Self.rename(passage.now, target) {
      case 0: break
      case EEXIST: continue
      case ENOENT: throw Obstacle.renamed
      case EXDEV: throw Obstacle(words: "\(folder) is on another file system")
      case let code:
        throw Obstacle(words: "it cannot be moved to \(folder): \(String(cString: strerror(code)))")
      }
      guard (try? FileIdentity(of: target)) == passage.identity, !file.isWrittenTo else {
        throw restored(target, to: passage.now, after: Obstacle(words: Self.changed))
      }
      return target
    }
    throw Obstacle(words: "\(folder) has too many files of this name")
  }

  private typealias RenameAt =
    @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt

  /// renameat2(2), which Swift's module for glibc lacks.
  private static let renameAt: RenameAt? = dlsym(nil, "renameat2").map {
    unsafeBitCast($0, to: RenameAt.self)
  }

  /// Renames a file without replacing another one, and returns the system's error, or 0.
  private static func rename(_ place: FileLocation, _ target: FileLocation) -> CInt {
    place.withCString { from in
      target.withCString { to in
        let withoutReplacing: CUnsignedInt = 1  // RENAME_NOREPLACE
        if let renameAt {
          if renameAt(AT_FDCWD, from, AT_FDCWD, to, withoutReplacing) == 0 { return 0 }
          // Some network file systems do not support RENAME_NOREPLACE.
          guard errno == EINVAL || errno == ENOSYS else { return errno }
        }
        if access(to, F_OK) == 0 { return EEXIST }
        return Glibc.rename(from, to) == 0 ? 0 : errno
      }
    }
  }

  private static func folder(_ path: String, beside place: FileLocation) -> FileLocation {
    path.hasPrefix(scalars: "/") ? FileLocation(path) : place.folder.appending(Array(path.utf8))
  }

  private func folder(
    _ path: String, beside place: FileLocation
  ) throws(Obstacle) -> FileLocation {
    let folder = Self.folder(path, beside: place)
    guard let name = String(validating: folder.bytes, as: UTF8.self) else {
      throw Obstacle(words: "the name of \(folder) is not valid UTF-8")
    }
    do {
      try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: true)
    } catch {
      throw Obstacle(words: "\(folder) cannot be created")
    }
    guard folder.resolved != place.folder.resolved else {
      throw Obstacle(words: "it is in that folder already")
    }
    return folder
  }

  /// "a.jpg", "a.2.jpg", "a.3.jpg", …
  private static func numbered(_ name: [UInt8], _ number: Int) -> [UInt8] {
    guard number > 1 else { return name }
    let dot = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil } ?? name.endIndex
    return name[..<dot] + Array(".\(number)".utf8) + name[dot...]
  }

  // MARK: The trash

  /// A trash on the same file system as the file to discard.
  private struct Trash {
    let path: String
    /// The folder that the paths in `.trashinfo` files are relative to; nil if they are absolute.
    let top: String?
  }

  private func trash(for place: FileLocation, on device: UInt64) -> Trash? {
    if let homeTrash {
      try? FileManager.default.createDirectory(
        atPath: homeTrash, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      if Self.device(FileLocation(homeTrash)) == device { return Trash(path: homeTrash, top: nil) }
    }
    guard let top = Self.top(of: place.folder, device) else { return nil }
    let root = top == "/" ? "" : top
    var status = stat()
    // A shared trash must be a real folder with the sticky bit, or anyone could redirect deleted files.
    if lstat("\(root)/.Trash", &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_mode & S_ISVTX != 0, Self.isOwnFolder("\(root)/.Trash/\(getuid())", device)
    {
      return Trash(path: "\(root)/.Trash/\(getuid())", top: top)
    }
    let own = "\(root)/.Trash-\(getuid())"
    return Self.isOwnFolder(own, device) ? Trash(path: own, top: top) : nil
  }

  private static func device(_ path: FileLocation) -> UInt64? {
    var status = stat()
    return path.withCString({ stat($0, &status) }) == 0 ? UInt64(status.st_dev) : nil
  }

  private static func isOwnFolder(_ path: String, _ device: UInt64) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == getuid() && UInt64(status.st_dev) == device
  }

  /// The highest ancestor of a folder that is on the same file system.
  private static func top(of folder: FileLocation, _ device: UInt64) -> String? {
    guard var top = folder.resolved else { return nil }
    while top.bytes.count > 1, self.device(top.folder) == device { top = top.folder }
    return String(validating: top.bytes, as: UTF8.self)
  }

  private func discard(
    _ passage: Passage, _ file: LeavingFile, into trash: Trash
  ) throws(Obstacle) {
    let place = passage.place
    for name in ["files", "info"] {
      try? FileManager.default.createDirectory(
        atPath: "\(trash.path)/\(name)", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    // The path with the links in its folder resolved.
    let path = place.folder.resolved?.appending(place.split.name).bytes ?? place.bytes
    let top = trash.top.map { Array(($0 == "/" ? "/" : $0 + "/").utf8) } ?? []
    let written = path.starts(with: top) ? Array(path.dropFirst(top.count)) : path
    let info = """
      [Trash Info]
      Path=\(PercentEncoding.encode(path: written))
      DeletionDate=\(Date().local.replacing(scalars: " ", with: "T"))

      """
    let files = FileLocation("\(trash.path)/files")
    for number in 1...1000 {
      let name = Self.numbered(place.split.name, number)
      let note = FileLocation("\(trash.path)/info").appending(name + Array(".trashinfo".utf8))
      let held = note.withCString { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
      guard held >= 0 else {
        if errno == EEXIST { continue }
        throw Obstacle(words: "the trash cannot be written: \(Self.reason)")
      }
      let isWritten =
        (try? FileHandle(fileDescriptor: held).write(contentsOf: Data(info.utf8))) != nil
      close(held)
      do throws(Obstacle) {
        guard isWritten else { throw Obstacle(words: "the trash cannot be written") }
        // Do not replace a file that is in the trash but lacks a `.trashinfo` file.
        guard files.appending(name).withCString({ access($0, F_OK) }) != 0 else {
          _ = note.withCString { unlink($0) }
          continue
        }
        _ = try take(passage, file, into: files, as: name)
        return
      } catch {
        _ = note.withCString { unlink($0) }
        throw error
      }
    }
    throw Obstacle(words: "the trash has too many files of this name")
  }
}

extension FileLocation {
  fileprivate var folder: FileLocation {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return FileLocation(bytes: slash == 0 ? [UInt8(ascii: "/")] : Array(bytes[..<slash]))
  }

  fileprivate func appending(_ name: [UInt8]) -> FileLocation {
    FileLocation(bytes: bytes + (bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name)
  }

  /// The path with all links resolved; nil if it leads nowhere.
  fileprivate var resolved: FileLocation? {
    guard let path = withCString({ realpath($0, nil) }) else { return nil }
    defer { free(path) }
    return FileLocation(bytes: UnsafeRawBufferPointer(start: path, count: strlen(path)).map(\.self))
  }
}
