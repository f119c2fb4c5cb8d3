import Dispatch
import Foundation
import Synchronization

/// Lines to standard output and standard error, whole and in order.
enum Output {
  /// What is to be written next, and whether it waits for more.
  private struct Waiting {
    var isOn = false
    var bytes: [UInt8] = []
    var file: Int32 = -1
    var isInBackground = false
    /// How many bytes the background has still to write.
    var unwritten = 0

    @discardableResult
    mutating func write() -> Bool {
      let (text, file) = (bytes, file)
      bytes = []
      guard isInBackground, !text.isEmpty else { return Output.write(text, to: file) }
      unwritten += text.count
      Output.background.async {
        Output.write(text, to: file)
        Output.waiting.withLock { $0.unwritten -= text.count }
      }
      return true
    }
  }

  private static let waiting = Mutex(Waiting())
  private static let background = DispatchQueue(label: "hoist.output", qos: .userInitiated)
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

  /// Writes what `body` has to say with as few calls of the system as its order allows: there may be thousands of lines
  /// a second.
  static func together(_ body: () -> Void) {
    waiting.withLock { $0.isOn = true }
    body()
    waiting.withLock { waiting in
      waiting.isOn = false
      waiting.write()
    }
  }

  /// Until `endBackground`, whoever says something goes on at once, even if nobody reads it yet.
  static func beginBackground() { waiting.withLock { $0.isInBackground = true } }

  /// Returns once all that was said is written, or its readers are given up.
  static func endBackground() {
    background.sync {}
    waiting.withLock { $0.isInBackground = false }
  }

  /// Whether more waits for a reader than a pipe holds.
  static var isBehind: Bool { waiting.withLock { $0.unwritten > 64 << 10 } }

  @discardableResult
  private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
    let reason = bytes.isEmpty ? 0 : InterruptibleWrite.write(bytes, to: file)
    if reason != 0, reason != EPIPE { failure.withLock { $0 = reason } }
    return reason == 0
  }

  @discardableResult
  private static func write(_ text: String, to file: Int32, end: String = "\n") -> Bool {
    waiting.withLock { waiting in
      if waiting.file != file { waiting.write() }
      waiting.file = file
      waiting.bytes += text.utf8
      waiting.bytes += end.utf8
      return waiting.isOn || waiting.write()
    }
  }
}
