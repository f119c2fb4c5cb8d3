import CChild
import Foundation

/// Renames a file if this process ends before it says otherwise, even if it is killed.
package final class RenameGuard {
  private let process: pid_t
  private let pipe: Int32

  /// Nil if the system has no process left. The paths must be absolute.
  package init?(renaming from: UnsafePointer<CChar>, to: UnsafePointer<CChar>) {
    var (process, end) = (pid_t(), Int32())
    guard child_rename_later(from, to, &end, &process) == 0 else { return nil }
    (self.process, pipe) = (process, end)
  }

  /// Makes sure that nothing is renamed any more.
  package func end() {
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
    close(pipe)
  }
}
