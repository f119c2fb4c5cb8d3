import Foundation
import Synchronization

/// Lines to standard output and standard error, whole and in order.
enum Output {
  private static let lock = Mutex(())
  private static let failure = Mutex<Int32?>(nil)

  /// Why a line was lost, in the system's words. A reader that has gone does not count: it wanted no more.
  static var lostLines: String? {
    failure.withLock { $0 }.map { String(cString: strerror($0)) }
  }

  /// Writes a line to standard output. Returns false if nobody reads it any more.
  @discardableResult
  static func line(_ text: String) -> Bool { write(text, to: STDOUT_FILENO) }

  /// Writes a line to standard error.
  static func error(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Writes text to standard error without adding a line break.
  static func errorBytes(_ text: String) { write(text, to: STDERR_FILENO, end: "") }

  @discardableResult
  private static func write(_ text: String, to file: Int32, end: String = "\n") -> Bool {
    let bytes = Array((text + end).utf8)
    return lock.withLock { _ in
      let reason = InterruptibleWrite.write(bytes, to: file)
      if reason != 0, reason != EPIPE { failure.withLock { $0 = reason } }
      return reason == 0
    }
  }
}
