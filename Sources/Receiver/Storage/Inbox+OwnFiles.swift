import Foundation

/// The receiver's own files, which are neither listed nor fetched.
extension Inbox {
  /// The bytes of one of the receiver's own files; nil if there is none.
  /// - Throws: ``Failure`` if it cannot be read, is not a regular file, or is longer than `limit`.
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

  /// Gives a temporary file its name, and replaces what has that name now.
  func replace(_ name: EntryName, by temporary: EntryName) throws(Failure) {
    guard renameat(descriptor, temporary.text, descriptor, name.text) == 0 else {
      throw Failure(doing: "write \(name)", code: errno)
    }
  }

  /// Whether a file exists, how many bytes it has, and when it was last written to.
  func look(at name: EntryName) -> (found: Bool, size: Int64, changed: Date) {
    var status = stat()
    guard fstatat(descriptor, name.text, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      return (false, 0, .distantPast)
    }
    let time = status.st_mtim
    let changed = Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    return (true, Int64(status.st_size), changed)
  }

  /// The names of the receiver's own files that begin with these bytes.
  func ownNames(withPrefix prefix: String) throws(Failure) -> [EntryName] {
    try names().filter { $0.text.utf8.starts(with: prefix.utf8) }
  }

  /// Calls `work` exclusively, in this process and others. The lock is the system's, on a file of this
  /// name, and ends with the process that holds it.
  func locked<Result>(
    _ name: EntryName, patience: Duration = .seconds(5), _ work: () throws -> Result
  ) throws -> Result {
    let file = open(name, O_RDWR | O_CREAT)
    guard file >= 0 else { throw Failure(doing: "open \(name)", code: errno) }
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
