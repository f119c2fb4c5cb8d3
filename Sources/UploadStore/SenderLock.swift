import Foundation
import ScalarText

/// The right to send what is in a queue. One process at a time has it, and it ends with the process,
/// however that ends (flock(2)).
public final class SenderLock: Sendable {
  private let file: Int32

  /// Takes the right for the queue at `path`; nil where another process has it.
  public convenience init?(queue path: String) throws(StoreError) {
    try self.init(queue: path, waiting: false)
  }

  /// Waits, on this thread, until the right is free, and takes it.
  public static func wait(queue path: String) throws(StoreError) -> SenderLock? {
    try SenderLock(queue: path, waiting: true)
  }

  /// Who has the right to send the queue at `path`, as a process number; nil where nobody says so.
  public static func holder(queue path: String) -> Int32? {
    let text = try? String(contentsOfFile: lockPath(path), encoding: .utf8)
    return text.flatMap { Int32($0.trimming(\.isWhiteSpace)) }
  }

  /// Whether a process has the right to send the queue at `path`. Leaves no trace.
  public static func isTaken(queue path: String) -> Bool {
    let file = open(lockPath(path), O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  private init?(queue path: String, waiting: Bool) throws(StoreError) {
    let lock = Self.lockPath(path)
    file = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw StoreError("the lock \(lock) cannot be made: \(String(cString: strerror(errno)))")
    }
    while flock(file, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      let reason = errno
      close(file)
      if reason == EWOULDBLOCK { return nil }
      throw StoreError("the lock \(lock) cannot be taken: \(String(cString: strerror(reason)))")
    }
    ftruncate(file, 0)
    let text = Array("\(getpid())\n".utf8)
    _ = pwrite(file, text, text.count, 0)
  }

  deinit { close(file) }

  private static func lockPath(_ path: String) -> String { "\(path).lock" }
}
