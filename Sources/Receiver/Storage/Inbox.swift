import Foundation
import ScalarText
import Synchronization

/// A file's number in the file system, independent of its name (inode).
typealias FileNumber = UInt64

/// The one folder in which files are stored.
///
/// All access goes through a descriptor of the folder and an ``EntryName``, so no name can lead out of the folder.
/// Symbolic links in the folder are not followed.
final class Inbox: Sendable {
  /// A stored file.
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

  /// The prefix of the names of the receiver's own files.
  static let ownPrefix = ".hoist-"
  /// The suffix of the names of arriving files.
  static let temporarySuffix = ".part"

  /// The folder itself.
  private let descriptor: Int32
  /// Held while one of the receiver's own files is changed, since `flock` does not keep callers in one process apart.
  let lock = NSLock()
  /// How many files may arrive at once, so that descriptors are left for connections, for downloads and for
  /// the files of endpoints.
  let mostTemporaries: Int
  private let temporaries = Atomic(0)

  /// Creates the folder if it does not exist, and removes temporary files that a killed receiver left in it.
  init(
    path: String, mostTemporaries: Int = max(1, Descriptors.limit / 8 * 3)
  ) throws(ReceiverError) {
    let problem = Self.makeFolders(along: path)
    descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .folder(path: path, code: errno == ENOENT ? problem ?? ENOENT : errno)
    }
    self.mostTemporaries = mostTemporaries
    do throws(Failure) {
      try makeTemporary().discard()
      try removeLeftovers()
    } catch {
      throw .folderNotWritable(path: path, code: error.code)
    }
  }

  deinit { Foundation.close(descriptor) }

  /// Creates a file, which gets its final name later.
  func makeTemporary() throws(Failure) -> TemporaryFile {
    let count = temporaries.add(1, ordering: .relaxed).newValue
    do throws(Failure) {
      guard count <= mostTemporaries else { throw Failure(doing: "make a file", code: EMFILE) }
      return try openTemporary()
    } catch {
      temporaries.subtract(1, ordering: .relaxed)
      throw error
    }
  }

  /// Closes a descriptor that ``makeTemporary()`` has opened.
  func close(temporary: Int32) {
    Foundation.close(temporary)
    temporaries.subtract(1, ordering: .relaxed)
  }

  private func openTemporary() throws(Failure) -> TemporaryFile {
    while true {
      let number = String(UInt64.random(in: .min ... .max), radix: 16)
      let name = EntryName(own: number + Self.temporarySuffix)
      let file = open(name, O_WRONLY | O_CREAT | O_EXCL)
      if file >= 0 {
        // Tells another receiver on the same folder that this file is in use.
        flock(file, LOCK_EX | LOCK_NB)
        return TemporaryFile(inbox: self, name: name, descriptor: file)
      }
      guard errno == EEXIST || errno == EINTR else {
        throw Failure(doing: "make a file", code: errno)
      }
    }
  }

  /// Deletes a file if it exists.
  func remove(_ name: EntryName) { unlinkat(descriptor, name.text, 0) }

  /// Opens or creates a file directly in the folder. A symbolic link is an error, and opening a pipe does not block.
  func open(_ name: EntryName, _ flags: Int32) -> Int32 {
    openat(descriptor, name.text, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o666)
  }

  /// Writes all bytes at an offset, and moves the offset past them.
  static func write(
    _ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: inout Int64, doing: String
  ) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let whole = UnsafeRawBufferPointer(rebasing: rest)
      let count = pwrite(file, whole.baseAddress, whole.count, off_t(offset))
      if count > 0 {
        rest = rest.dropFirst(count)
        offset += Int64(count)
      } else if errno != EINTR {
        throw Failure(doing: doing, code: count == 0 ? EIO : errno)
      }
    }
  }

  /// The result of a system call. Throws the value of `errno` if it is negative.
  @discardableResult
  static func check(_ result: Int32, _ doing: String) throws(Failure) -> Int32 {
    guard result >= 0 else { throw Failure(doing: doing, code: errno) }
    return result
  }

  /// Flushes the folder itself, so that new names survive a power failure.
  func sync() throws(Failure) { try Self.check(fsync(descriptor), "flush the folder") }

  /// The number of bytes that an unprivileged user can still write.
  var freeBytes: Int64? {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(
      by: UInt64(status.f_frsize))
    return overflow ? .max : Int64(clamping: bytes)
  }

  /// The files, newest first.
  func list() throws(Failure) -> [Entry] {
    try names().filter { !$0.isHidden }.compactMap { name in
      guard let status = status(of: name), status.st_mode & S_IFMT == S_IFREG else { return nil }
      return Entry(
        name: name.text, size: Int64(status.st_size),
        modified: Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec)))
    }.sorted { ($1.modified, $0.name) < ($0.modified, $1.name) }
  }

  /// What the folder says about a name, not following a link; nil if there is nothing.
  private func status(of name: EntryName) -> stat? {
    var status = stat()
    return fstatat(descriptor, name.text, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Opens a file for reading; nil if no visible file has that name. Throws if it may exist but cannot be opened, for
  /// example because too many files are open.
  func read(_ name: String) throws(Failure) -> StoredContent? {
    guard let name = EntryName(name), !name.isHidden else { return nil }
    do throws(Failure) {
      return try openFile(name, doing: "open the file")
    } catch {
      // A link gives ELOOP, a socket ENXIO, and anything else that is not a regular file EINVAL.
      guard [ENOENT, ELOOP, ENXIO, EINVAL, EACCES, EPERM].contains(error.code) else { throw error }
      return nil
    }
  }

  /// Deletes a file; false if no visible file has that name.
  func delete(_ name: String) throws(Failure) -> Bool {
    guard try read(name) != nil, let entry = EntryName(name) else { return false }
    if unlinkat(descriptor, entry.text, 0) == 0 { return true }
    // Another client was faster.
    if errno == ENOENT { return false }
    throw Failure(doing: "delete the file", code: errno)
  }

  /// Opens a regular file directly in the folder.
  func openFile(_ name: EntryName, doing: String) throws(Failure) -> StoredContent {
    let file = try Self.check(open(name, O_RDONLY), doing)
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      Foundation.close(file)
      throw Failure(doing: doing, code: EINVAL)
    }
    return StoredContent(descriptor: file, size: Int64(status.st_size))
  }

  private func removeLeftovers() throws(Failure) {
    for name in try ownNames() where name.text.hasSuffix(scalars: Self.temporarySuffix) {
      let file = open(name, O_WRONLY)
      guard file >= 0 else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { remove(name) }
      Foundation.close(file)
    }
  }

  /// Creates the missing folders of a path. Returns nil, or the `errno` of a folder that could not be created.
  private static func makeFolders(along path: String) -> Int32? {
    let scalars = path.unicodeScalars
    let slashes = scalars.indices.dropFirst().filter { scalars[$0] == "/" }
    var problem: Int32?
    for folder in slashes.map({ String(scalars[..<$0]) }) + [path] {
      if mkdir(folder, 0o777) != 0, errno != EEXIST { problem = errno }
    }
    return problem
  }

  private func names() throws(Failure) -> [EntryName] {
    // fdopendir takes ownership of its descriptor, and reading moves an offset that duplicates share. So open the
    // folder again.
    let copy = try Self.check(
      openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "list the folder")
    guard let stream = fdopendir(copy) else {
      let code = errno
      Foundation.close(copy)
      throw Failure(doing: "list the folder", code: code)
    }
    defer { closedir(stream) }
    var names: [EntryName] = []
    while let entry = readdir(stream) {
      // Names that are not UTF-8 were not created here, and no URL can name them.
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let name = name.flatMap({ EntryName($0) }) { names.append(name) }
    }
    return names
  }

  // MARK: Final names

  /// Gives a temporary file its final name, without ever replacing another file, and returns the name.
  ///
  /// A name that is taken gets ` (2)`, ` (3)` and so on. The file system decides who comes first.
  func publish(_ temporary: EntryName, as name: SafeFileName) throws(Failure) -> EntryName {
    var number = 1
    for _ in 1...10_000 {
      guard let candidate = Self.candidate(name, number) else {
        throw Failure(doing: "name the file", code: EINVAL)
      }
      let code = move(temporary, to: candidate)
      if code == 0 { return candidate }
      guard code == EEXIST else { throw Failure(doing: "name the file", code: code) }
      // Each round means that another upload got a name, so the loop ends.
      number = nextFree(name, after: number)
    }
    throw Failure(doing: "name the file", code: EEXIST)
  }

  /// The final name of a file that was published as `name`, found by its number; nil if it was not published.
  func find(_ number: FileNumber, named name: SafeFileName) -> EntryName? {
    for count in 1...10_000 {
      guard let candidate = Self.candidate(name, count), let status = status(of: candidate) else {
        return nil
      }
      if FileNumber(status.st_ino) == number { return candidate }
    }
    return nil
  }

  /// A number whose name was free a moment ago. The number of steps is logarithmic, so that the thousandth file with
  /// one name does not check the 999 before it.
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

  private static func candidate(_ name: SafeFileName, _ number: Int) -> EntryName? {
    EntryName(name.candidate(number == 1 ? nil : String(number)))
  }

  private func exists(_ name: EntryName?) -> Bool { name.flatMap(status(of:)) != nil }

  /// Gives a temporary file its final name. Returns zero, or the value of `errno`, which is EEXIST if the name is
  /// taken.
  private func move(_ temporary: EntryName, to name: EntryName) -> Int32 {
    if linkat(descriptor, temporary.text, descriptor, name.text, 0) == 0 {
      remove(temporary)
      return 0
    }
    guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { return errno }
    // A file system without hard links (FAT): take the name with an empty file, then replace that.
    let claim = open(name, O_WRONLY | O_CREAT | O_EXCL)
    guard claim >= 0 else { return errno }
    Foundation.close(claim)
    if renameat(descriptor, temporary.text, descriptor, name.text) == 0 { return 0 }
    let code = errno
    remove(name)
    return code
  }

  // MARK: The receiver's own files, which are neither listed nor fetched

  /// The bytes of one of the receiver's own files; nil if it does not exist. Throws if it is longer than `limit`.
  func contents(of name: EntryName, atMost limit: Int) throws(Failure) -> [UInt8]? {
    let file: StoredContent
    do throws(Failure) {
      file = try openFile(name, doing: "read \(name)")
    } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
    guard file.size <= limit else { throw Failure(doing: "read \(name)", code: EFBIG) }
    var bytes: [UInt8] = []
    while bytes.count < file.size {
      guard let piece = file.read(atMost: file.size - Int64(bytes.count)) else {
        throw Failure(doing: "read \(name)", code: EIO)
      }
      bytes += piece.readableBytesView
    }
    return bytes
  }

  /// Replaces one of the receiver's own files as a whole, and waits until the new one is on disk.
  func replace(_ name: EntryName, with bytes: [UInt8]) throws(Failure) {
    let file = try makeTemporary()
    try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
      try file.append(UnsafeRawBufferPointer(bytes))
    }
    _ = try file.finish(syncing: true)
    try file.replace(name)
    try sync()
  }

  /// Gives a temporary file this name, and replaces any file that already has it.
  func replace(_ name: EntryName, by temporary: EntryName) throws(Failure) {
    try Self.check(renameat(descriptor, temporary.text, descriptor, name.text), "write \(name)")
  }

  /// Whether a file exists, how many bytes it has, and when it was last written to.
  func look(at name: EntryName) -> (found: Bool, size: Int64, changed: Date) {
    guard let status = status(of: name) else { return (false, 0, .distantPast) }
    let time = status.st_mtim
    let changed = Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    return (true, Int64(status.st_size), changed)
  }

  /// The names of the receiver's own files that start with `prefix`.
  func ownNames(withPrefix prefix: String = ownPrefix) throws(Failure) -> [EntryName] {
    try names().filter { $0.text.utf8.starts(with: prefix.utf8) }
  }

  /// Calls `work` under a lock that excludes other calls in this and other processes. The lock is the system's lock on
  /// the file called `name`, and ends with the process that holds it.
  func locked<Result>(
    _ name: EntryName, patience: Duration = .seconds(5), _ work: () throws -> Result
  ) throws -> Result {
    let file = try Self.check(open(name, O_RDWR | O_CREAT), "open \(name)")
    defer { Foundation.close(file) }
    let deadline = ContinuousClock.now + patience
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR, ContinuousClock.now < deadline else {
        throw Failure(doing: "lock \(name)", code: code)
      }
      usleep(5_000)
    }
    return try work()
  }
}
