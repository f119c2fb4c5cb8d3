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

  private struct Obstacle: Error { var words: String }

  /// Deletes or moves the file at an absolute path, unless it is no longer the one that was sent.
  func perform(_ disposal: Disposal, at place: FileLocation, _ identity: FileIdentity?) -> Outcome {
    do throws(Obstacle) {
      guard let found = try look(at: place) else { return .gone }
      // Modification times can be set back; change times cannot.
      guard let identity, found.identity == identity, found.changed < disposal.began else {
        throw Obstacle(words: "it has changed since it was sent")
      }
      guard FileIdentity.isOpenForWriting(place) != true else {
        throw Obstacle(words: "another program has it open for writing")
      }
      switch disposal.way {
      case .move(let folder):
        return .moved(to: try take(place, identity, into: self.folder(folder, beside: place)))
      case .delete:
        if let trash = trash(for: place, on: identity.device) {
          try discard(place, identity, into: trash)
          return .trashed
        }
        // Rename the file first, so that the file that is deleted is the one that was checked.
        let taken = try take(
          place, identity, into: place.folder, as: Array(".\(UUID().uuidString).hoist".utf8))
        guard taken.withCString({ unlink($0) }) == 0 else {
          let words = Self.reason
          _ = Self.rename(taken, place)
          throw Obstacle(words: words)
        }
        return .deleted
      }
    } catch {
      return .kept(error.words)
    }
  }

  /// The identity and the change time of the file at a path; nil if nothing is there.
  private func look(
    at place: FileLocation
  ) throws(Obstacle) -> (identity: FileIdentity, changed: Date)? {
    var status = stat()
    guard place.isUsable, place.withCString({ lstat($0, &status) }) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw Obstacle(words: Self.reason)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Obstacle(words: "it is not a regular file")
    }
    let changed = Double(status.st_ctim.tv_sec) + Double(status.st_ctim.tv_nsec) / 1e9
    do throws(FileError) {
      return (try FileIdentity(of: place), Date(timeIntervalSince1970: changed))
    } catch {
      throw Obstacle(words: "it cannot be examined")
    }
  }

  private static var reason: String { String(cString: strerror(errno)) }

  // MARK: Moving

  /// Moves a file into a folder by renaming it: to `name`, or else to its own name, with a number if that is taken. If
  /// it turns out not to be the file that was sent, moves it back.
  private func take(
    _ place: FileLocation, _ identity: FileIdentity, into folder: FileLocation,
    as name: [UInt8]? = nil
  ) throws(Obstacle) -> FileLocation {
    for number in name == nil ? 1...1000 : 1...1 {
      let target = folder.appending(name ?? Self.numbered(place.split.name, number))
      switch Self.rename(place, target) {
      case 0: break
      case EEXIST: continue
      case EXDEV: throw Obstacle(words: "\(folder) is on another file system")
      case let code:
        throw Obstacle(words: "it cannot be moved to \(folder): \(String(cString: strerror(code)))")
      }
      guard (try? FileIdentity(of: target)) == identity else {
        _ = Self.rename(target, place)
        throw Obstacle(words: "it has changed since it was sent")
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

  private func folder(
    _ path: String, beside place: FileLocation
  ) throws(Obstacle) -> FileLocation {
    let folder =
      path.hasPrefix(scalars: "/") ? FileLocation(path) : place.folder.appending(Array(path.utf8))
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
    _ place: FileLocation, _ identity: FileIdentity, into trash: Trash
  ) throws(Obstacle) {
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
        _ = try take(place, identity, into: files, as: name)
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
