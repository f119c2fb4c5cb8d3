import Dispatch
import Foundation
import ScalarText
import Synchronization

/// Writes lines to standard output and standard error, each line whole, and all in order.
package final class Output: Sendable {
  /// The descriptor that results go to.
  package let results: Int32
  /// The descriptor that everything else goes to.
  package let errors: Int32

  /// Output that is not written yet, and whether to collect more before writing it.
  private struct Waiting {
    var isOn = false
    var bytes: [UInt8] = []
    var file: Int32 = -1
    var isInBackground = false
    /// How many bytes the background queue has not written yet.
    var unwritten = 0
  }

  private let waiting = Mutex(Waiting())
  private let background = DispatchQueue(label: "hoist.output", qos: .userInitiated)
  /// Why a line was lost, as a value of `errno`; 0 if none was.
  private let failure = Atomic<Int32>(0)

  static let standard = Output(results: STDOUT_FILENO, errors: STDERR_FILENO)

  package init(results: Int32, errors: Int32) { (self.results, self.errors) = (results, errors) }

  /// Why a line was lost, in the system's words. Output for a reader that has gone does not count as lost.
  package var lostLines: String? {
    let reason = failure.load(ordering: .relaxed)
    return reason == 0 ? nil : String(cString: strerror(reason))
  }

  /// Whether results go to a terminal, where a person may be looking.
  package var isTerminal: Bool { isatty(results) == 1 }

  /// Whether everything else goes to a terminal, where a person may be looking.
  package var errorsAreTerminal: Bool { isatty(errors) == 1 }

  /// Writes a line to standard output. Returns false if its reader has gone.
  @discardableResult
  package func line(_ text: String) -> Bool { write(text, to: results) }

  /// Writes a line to standard error.
  package func error(_ text: String) { write(text, to: errors) }

  /// Writes text to standard error without adding a line break.
  package func errorBytes(_ text: String) { write(text, to: errors, end: "") }

  /// Writes everything that `body` outputs, in order and with as few system calls as possible, since there may be
  /// thousands of lines a second.
  package func together(_ body: () -> Void) {
    waiting.withLock { $0.isOn = true }
    body()
    waiting.withLock { waiting in
      waiting.isOn = false
      write(&waiting)
    }
  }

  /// Has output written in the background until `endBackground`, so that callers need not wait for it to be read.
  package func beginBackground() { waiting.withLock { $0.isInBackground = true } }

  /// Returns once everything has been written, or its readers have been abandoned.
  package func endBackground() {
    background.sync {}
    waiting.withLock { $0.isInBackground = false }
  }

  /// Whether more output waits for a reader than fits into a pipe.
  package var isBehind: Bool { waiting.withLock { $0.unwritten > 64 << 10 } }

  @discardableResult
  private func write(_ text: String, to file: Int32, end: String = "\n") -> Bool {
    waiting.withLock { waiting in
      if waiting.file != file { write(&waiting) }
      waiting.file = file
      // Names that are not UTF-8 are bytes only for the system and for servers.
      waiting.bytes += (text.hasRawBytes ? text.readable : text).utf8
      waiting.bytes += end.utf8
      return waiting.isOn || write(&waiting)
    }
  }

  /// Writes all pending output, or has the background queue write it.
  @discardableResult
  private func write(_ waiting: inout Waiting) -> Bool {
    let (text, file) = (waiting.bytes, waiting.file)
    waiting.bytes = []
    guard waiting.isInBackground, !text.isEmpty else { return write(text, to: file) }
    waiting.unwritten += text.count
    background.async { [self] in
      write(text, to: file)
      self.waiting.withLock { $0.unwritten -= text.count }
    }
    return true
  }

  @discardableResult
  private func write(_ bytes: [UInt8], to file: Int32) -> Bool {
    let reason = bytes.isEmpty ? 0 : InterruptibleWrite.write(bytes, to: file)
    if reason != 0, reason != EPIPE { failure.store(reason, ordering: .relaxed) }
    return reason == 0
  }
}
