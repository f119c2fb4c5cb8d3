import Foundation
import MultipartForm
import ScalarText
import Synchronization

/// The right to send the items of a queue. One process at a time holds it, and it is released when the
/// process ends, however that happens (flock(2)).
///
/// The lock is on the queue's own file, whatever path it was opened by: there is no lock file that could be removed.
/// SQLite's locks are of another kind (fcntl(2)) and do not conflict with it.
package final class SenderLock: Sendable {
  private let file: QueueFile
  /// Whether another process now holds the lock through the same descriptor.
  private let isHandedOver = Atomic(false)

  /// The process ID of the last holder of the lock; nil if unknown.
  package static func holder(queue path: String) -> Int32? {
    let text = try? String(contentsOfFile: lockFilePath(path), encoding: .utf8)
    return text.flatMap { Int32($0.trimming(\.isWhiteSpace)) }
  }

  /// Whether a process holds the lock for the queue at `path`. Changes nothing.
  package static func isTaken(queue path: String) -> Bool {
    guard let file = try? QueueFile(path) else { return false }
    defer { file.putBack() }
    return flock(file.descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Acquires the lock for the queue at `path`; nil if another process holds it, unless `waiting` blocks the thread
  /// until the lock is free.
  package init?(queue path: String, waiting: Bool = false) throws(StoreError) {
    // Assigned to `self.file` only once it is locked: an init that fails after all properties are set also runs deinit.
    let file = try QueueFile(path)
    while flock(file.descriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      let reason = errno
      file.putBack()
      if reason == EWOULDBLOCK { return nil }
      throw StoreError("the queue \(path) cannot be locked: \(String(cString: strerror(reason)))")
    }
    self.file = file
    Self.leaveNote(beside: path)
  }

  /// Takes over the lock from the process that started this one. The lock belongs to the open file that both share
  /// (flock(2)), so nobody else can acquire it in between.
  package init(queue path: String, inheriting descriptor: Int32) throws(StoreError) {
    let file = try QueueFile(path, descriptor)
    // Has no effect if the lock is already on this descriptor, as it should be.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw StoreError("the lock on the queue \(path) was not handed over")
    }
    self.file = file
    Self.leaveNote(beside: path)
  }

  /// The descriptor that another process must inherit to hold the lock as well. From then on, the lock is released only
  /// when both processes have ended.
  package func handOver() -> Int32 {
    isHandedOver.store(true, ordering: .relaxed)
    return file.descriptor
  }

  deinit { if !isHandedOver.load(ordering: .relaxed) { file.putBack() } }

  /// The file that names the holder, for people to read. Nothing depends on it.
  private static func lockFilePath(_ path: String) -> String {
    "\(UploadStore.realPath(path)).sender"
  }

  private static func leaveNote(beside path: String) {
    let file = open(
      lockFilePath(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return }
    let text = Array("\(getpid())\n".utf8)
    _ = write(file, text, text.count)
    close(file)
  }
}

/// A queue's file, opened for locking.
///
/// It is never closed but reused: closing a file releases all fcntl(2) locks that the process has on it, and
/// with them those of SQLite.
private struct QueueFile: Sendable {
  private static let unused = Mutex<[FilePlace: [Int32]]>([:])

  let descriptor: Int32
  private let place: FilePlace

  init(_ path: String) throws(StoreError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw Self.trouble(path) }
    let place = FilePlace(status)
    self.place = place
    descriptor = Self.unused.withLock { $0[place]?.popLast() } ?? open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.trouble(path) }
  }

  /// Uses the descriptor with which another process has opened the queue's file.
  init(_ path: String, _ descriptor: Int32) throws(StoreError) {
    var (named, opened) = (stat(), stat())
    guard stat(path, &named) == 0 else { throw Self.trouble(path) }
    guard fstat(descriptor, &opened) == 0, FilePlace(opened) == FilePlace(named) else {
      throw StoreError("the descriptor that was handed over is not that of the queue \(path)")
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    self.descriptor = descriptor
    place = FilePlace(named)
  }

  /// Releases the lock, if it is held, and keeps the descriptor for reuse.
  func putBack() {
    flock(descriptor, LOCK_UN)
    Self.unused.withLock { $0[place, default: []].append(descriptor) }
  }

  private static func trouble(_ path: String) -> StoreError {
    StoreError("the queue \(path) cannot be opened: \(String(cString: strerror(errno)))")
  }
}
