import Foundation
import UploadStore

/// A process that sends a queue, or would, but was stopped, as `^z` and SIGSTOP do. It still holds the right to send, so
/// nobody else can go on until it does.
package struct StoppedSender: Hashable, Sendable {
  package let process: Int32

  /// Nil if the process is not stopped, not known, or does not have the queue at this path open: the number may be an
  /// old one, or one of another container's, and that of a process here that has nothing to do with the queue.
  package init?(_ process: Int32?, queue path: String) {
    guard let process,
      let data = FileManager.default.contents(atPath: "/proc/\(process)/stat"),
      Self.state(in: data) == UInt8(ascii: "T"), Self.hasOpen(path, process)
    else { return nil }
    self.process = process
  }

  /// The stopped process that sends the queue at a path.
  package init?(queue path: String) {
    guard SenderLock.isTaken(queue: path) else { return nil }
    self.init(SenderLock.holder(queue: path), queue: path)
  }

  /// The state of a process (proc_pid_stat(5)), which follows the program's name. That may contain anything.
  private static func state(in stat: Data) -> UInt8? {
    guard let end = stat.lastIndex(of: UInt8(ascii: ")")), end + 2 < stat.endIndex else {
      return nil
    }
    return stat[end + 2]
  }

  /// Whether a process has a file open (proc_pid_fd(5)).
  private static func hasOpen(_ path: String, _ process: Int32) -> Bool {
    var file = stat()
    guard stat(path, &file) == 0 else { return false }
    let folder = "/proc/\(process)/fd"
    let open = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return open.contains { number in
      var other = stat()
      return stat("\(folder)/\(number)", &other) == 0 && other.st_dev == file.st_dev
        && other.st_ino == file.st_ino
    }
  }

  package var words: String {
    "process \(process) is stopped; its uploads stand still (fg, or kill -CONT \(process))"
  }
}
