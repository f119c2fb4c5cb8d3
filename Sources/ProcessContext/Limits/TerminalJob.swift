import Dispatch
import Foundation
import Synchronization

/// This process as a job of the shell that has a terminal.
package final class TerminalJob {
  private let terminal: Int32
  private let hasContinued = Flag()
  private let source = DispatchSource.makeSignalSource(signal: SIGCONT)

  private final class Flag: Sendable { let isSet = Atomic(false) }

  package init(_ terminal: Int32) {
    self.terminal = terminal
    source.setEventHandler { [hasContinued] in hasContinued.isSet.store(true, ordering: .relaxed) }
    source.activate()
  }

  deinit { source.cancel() }

  /// Whether the job is in the foreground. If not, the shell may write to the terminal at any time. If the terminal
  /// does not control this process, no shell does.
  package var isInForeground: Bool {
    let group = tcgetpgrp(terminal)
    return group < 0 || group == getpgrp()
  }

  /// Whether the job was stopped and continued since the last call.
  package func takeContinuation() -> Bool { hasContinued.isSet.exchange(false, ordering: .relaxed) }
}
