import Foundation
import ProcessContext
import Synchronization

/// The destination of log lines: a file opened for appending, or standard error. A line consists of the time in UTC,
/// the level, the event, and `key=value` pairs; values with spaces are quoted.
package final class LogFile: Sendable {
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  private let lost = Mutex<Int32?>(nil)

  /// Writes lines to a descriptor, which stays open.
  package init(_ descriptor: Int32) {
    self.descriptor = descriptor
    ownsDescriptor = false
  }

  /// Opens a file for appending. A new file can be read only by its owner.
  package init(_ path: String) throws(UserError) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    ownsDescriptor = true
    guard descriptor >= 0 else {
      throw UserError("--log \(path): cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  deinit { if ownsDescriptor { close(descriptor) } }

  /// Why a line was lost, in the system's words.
  var lostLines: String? { lost.withLock { $0 }.map { String(cString: strerror($0)) } }

  /// Appends a line with a single write, so that several programs can share a file.
  func add(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    lost.withLock { lost in
      let reason = InterruptibleWrite.write(bytes, to: descriptor)
      if reason != 0, lost == nil { lost = reason }
    }
  }
}
