import Foundation
import UploadStore

/// A process that sends a queue, or would, but was stopped, as `^z` and SIGSTOP do. It still holds the right to send, so
/// nobody else can go on until it does.
package struct StoppedSender: Hashable, Sendable {
  package let process: Int32

  /// Nil if the process is not stopped, or not known.
  package init?(_ process: Int32?) {
    guard let process,
      let data = FileManager.default.contents(atPath: "/proc/\(process)/stat"),
      Self.state(in: data) == UInt8(ascii: "T")
    else { return nil }
    self.process = process
  }

  /// The stopped process that sends the queue at a path.
  package init?(queue path: String) {
    guard SenderLock.isTaken(queue: path) else { return nil }
    self.init(SenderLock.holder(queue: path))
  }

  /// The state of a process (proc_pid_stat(5)), which follows the program's name. That may contain anything.
  private static func state(in stat: Data) -> UInt8? {
    guard let end = stat.lastIndex(of: UInt8(ascii: ")")), end + 2 < stat.endIndex else {
      return nil
    }
    return stat[end + 2]
  }

  package var words: String {
    "process \(process) is stopped; its uploads stand still (fg, or kill -CONT \(process))"
  }
}
