import Foundation
import Logging
import ScalarText
import Synchronization
import UploadModel
import UploadStore

/// Where log lines go: a file that is only ever added to, or standard error.
///
/// A line is the time in UTC, the level, what happened, and `key=value` for everything there is to say
/// about it; values with spaces stand in quotes.
final class LogFile: Sendable {
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  private let lost = Mutex<Int32?>(nil)

  /// Lines to standard error.
  static let standardError = LogFile(STDERR_FILENO)

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
    ownsDescriptor = false
  }

  /// Opens a file to add to. A new one may be read by its owner only.
  /// - Throws: `UserError` where it cannot be written.
  init(_ path: String) throws(UserError) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    ownsDescriptor = true
    guard descriptor >= 0 else {
      throw UserError("--log \(path): cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  deinit { if ownsDescriptor { close(descriptor) } }

  /// Why a line was lost, in the system's words.
  var lostLines: String? { lost.withLock { $0 }.map { String(cString: strerror($0)) } }

  /// Adds a line in one piece, so that several programs can share a file.
  func add(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    lost.withLock { lost in
      let reason = InterruptibleWrite.write(bytes, to: descriptor)
      if reason != 0, lost == nil { lost = reason }
    }
  }
}
