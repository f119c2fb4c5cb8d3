import Foundation
import UploadModel

/// A folder that is removed with its contents on deinit. If the process is killed before that, a later process removes
/// the folder, since its lock is then free (flock(2)).
package final class TemporaryFolder: Sendable {
  let path: String
  private let lock: Int32

  private static let prefix = "hoist-prepared-"

  init() throws(Failure.Cause) {
    while true {
      var name = Array("\(Self.parent)/\(Self.prefix)XXXXXX".utf8CString)
      guard mkdtemp(&name) != nil else { throw Self.trouble(errno) }
      let path = String(
        decoding: name.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
      guard let lock = Self.lock(path, waiting: true) else {
        let code = errno
        // Another process took the folder for a leftover before it was locked, and removed it.
        if code == ENOENT { continue }
        rmdir(path)
        throw Self.trouble(code)
      }
      self.path = path
      self.lock = lock
      return
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    close(lock)
  }

  /// Removes folders of processes that were killed. This can take a long time.
  package static func clearLeftovers() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.utf8.starts(with: prefix.utf8) {
      let path = "\(parent)/\(name)"
      guard let lock = lock(path, waiting: false) else { continue }
      try? FileManager.default.removeItem(atPath: path)
      close(lock)
    }
  }

  private static var parent: String { FileManager.default.temporaryDirectory.path }

  /// Locks a folder of this user; nil with `errno` if it does not exist or another process has the lock.
  private static func lock(_ path: String, waiting: Bool) -> Int32? {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    var (locked, there) = (stat(), stat())
    while flock(folder, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      return refused(folder, errno)
    }
    guard fstat(folder, &locked) == 0, locked.st_uid == geteuid(), lstat(path, &there) == 0,
      (there.st_dev, there.st_ino) == (locked.st_dev, locked.st_ino)
    else { return refused(folder, ENOENT) }
    return folder
  }

  private static func refused(_ folder: Int32, _ code: Int32) -> Int32? {
    close(folder)
    errno = code
    return nil
  }

  private static func trouble(_ code: Int32) -> Failure.Cause {
    let why = String(cString: strerror(code))
    if Failure.Cause.isShortage(code) { return .shortage(why) }
    return .unsendable("cannot make a folder in \(parent) for the prepared file: \(why)")
  }
}
