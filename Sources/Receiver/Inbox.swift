import Foundation

/// The one folder that files are stored in.
///
/// Everything goes through a descriptor of the folder, so that no name can lead out of it.
final class Inbox: Sendable {
  /// A file that is there.
  struct Entry: Hashable, Encodable {
    var name: String
    /// In bytes.
    var size: Int64
    var modified: Date
    var url: String = ""
  }

  /// The file system refused something.
  struct Failure: Error, Hashable {
    var doing: String
    var code: Int32
  }

  private static let temporaryPrefix = ".hoist-"
  private static let temporarySuffix = ".part"

  let path: String
  private let descriptor: Int32

  /// Makes the folder if it is missing, and removes what a killed receiver left in it.
  init(path: String) throws(ReceiverError) {
    let problem = Self.makeFolders(along: path)
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .folder(path: path, code: errno == ENOENT ? problem ?? ENOENT : errno)
    }
    self.path = path
    do throws(Failure) {
      try makeTemporary().discard()
    } catch {
      throw .folderNotWritable(path: path, code: error.code)
    }
    removeLeftovers()
  }

  deinit { close(descriptor) }

  /// A new file without a name of its own yet.
  func makeTemporary() throws(Failure) -> TemporaryFile {
    while true {
      let name =
        Self.temporaryPrefix + String(UInt64.random(in: .min ... .max), radix: 16)
        + Self.temporarySuffix
      let file = openat(
        descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
      if file >= 0 {
        // Tells another receiver on the same folder that this one is not a leftover.
        flock(file, LOCK_EX | LOCK_NB)
        return TemporaryFile(inbox: self, name: name, descriptor: file)
      }
      guard errno == EEXIST || errno == EINTR else {
        throw Failure(doing: "make a file", code: errno)
      }
    }
  }

  /// Gives a temporary file its final name, without ever replacing another file, and returns it.
  ///
  /// A name that is taken gets ` (2)`, ` (3)` and so on. Who comes first is decided by the file system.
  func publish(_ temporary: String, as name: SafeFileName) throws(Failure) -> String {
    var number = 1
    for _ in 1...10_000 {
      let candidate = Self.candidate(name, number)
      let code = move(temporary, to: candidate)
      if code == 0 { return candidate }
      guard code == EEXIST else { throw Failure(doing: "name the file", code: code) }
      // Each round means that somebody else got a name, so this ends.
      number = nextFree(name, after: number)
    }
    throw Failure(doing: "name the file", code: EEXIST)
  }

  /// A number whose name was free a moment ago, found in as many steps as it has bits: the thousandth
  /// file of one name does not look at the 999 before it.
  private func nextFree(_ name: SafeFileName, after number: Int) -> Int {
    var taken = number
    var free = taken * 2
    while exists(Self.candidate(name, free)), free < Int.max / 2 {
      (taken, free) = (free, free * 2)
    }
    while free - taken > 1 {
      let middle = taken + (free - taken) / 2
      if exists(Self.candidate(name, middle)) { taken = middle } else { free = middle }
    }
    return free
  }

  private static func candidate(_ name: SafeFileName, _ number: Int) -> String {
    name.candidate(number == 1 ? nil : String(number))
  }

  private func exists(_ name: String) -> Bool {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
  }

  /// Takes a file away again.
  func remove(_ name: String) { unlinkat(descriptor, name, 0) }

  /// Flushes the folder itself, which is what makes a new name last.
  func sync() throws(Failure) {
    guard fsync(descriptor) == 0 else { throw Failure(doing: "flush the folder", code: errno) }
  }

  /// How many bytes a user without privileges can still write.
  var freeBytes: Int64? {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(
      by: UInt64(status.f_frsize))
    return overflow ? .max : Int64(clamping: bytes)
  }

  /// The files, newest first.
  func list() -> [Entry] {
    names().filter { !$0.hasPrefix(".") }.compactMap { name in
      var status = stat()
      guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { return nil }
      return Entry(
        name: name, size: Int64(status.st_size),
        modified: Date(timeIntervalSince1970: Double(status.modificationTime.tv_sec)))
    }.sorted { ($1.modified, $0.name) < ($0.modified, $1.name) }
  }

  /// Opens a file for reading; nil if there is none of that name that may be shown.
  func read(_ name: String) -> StoredContent? {
    guard !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(0),
      !name.utf8.contains(UInt8(ascii: "/"))
    else { return nil }
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      return nil
    }
    return StoredContent(descriptor: file, size: Int64(status.st_size))
  }

  /// Zero, or the value of `errno`: EEXIST if the name is taken.
  private func move(_ temporary: String, to name: String) -> Int32 {
    if linkat(descriptor, temporary, descriptor, name, 0) == 0 {
      remove(temporary)
      return 0
    }
    guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { return errno }
    // A file system without hard links (FAT): take the name with an empty file, then replace that.
    let claim = openat(
      descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard claim >= 0 else { return errno }
    close(claim)
    guard renameat(descriptor, temporary, descriptor, name) == 0 else {
      let code = errno
      remove(name)
      return code
    }
    return 0
  }

  private func removeLeftovers() {
    for name in names()
    where name.hasPrefix(Self.temporaryPrefix) && name.hasSuffix(Self.temporarySuffix) {
      let file = openat(descriptor, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
      guard file >= 0 else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { remove(name) }
      close(file)
    }
  }

  /// Makes what is missing of a path; nil, or the `errno` of what could not be made.
  private static func makeFolders(along path: String) -> Int32? {
    var problem: Int32?
    for end in path.indices.dropFirst() where path[end] == "/" {
      if mkdir(String(path[..<end]), 0o777) != 0, errno != EEXIST { problem = errno }
    }
    if mkdir(path, 0o777) != 0, errno != EEXIST { problem = errno }
    return problem
  }

  private func names() -> [String] {
    // fdopendir takes its descriptor over, and reading moves a shared offset: use one of its own.
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { return [] }
    guard let stream = fdopendir(copy) else {
      close(copy)
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      // Names that are not UTF-8 were not made here and can not be asked for by URL.
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let name { names.append(name) }
    }
    return names
  }
}

extension stat {
  fileprivate var modificationTime: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }
}
