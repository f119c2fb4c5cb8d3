import Dispatch

/// Where files that were sent are moved or deleted, one after another. That may take long, since a file may be compared
/// with what was sent, and neither results nor the history wait for it.
package final class DisposalQueue: Sendable {
  private let queue = DispatchQueue(label: "hoist.after", qos: .utility)

  package init() {}

  package func add(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

  /// Waits for what was added so far.
  func finish() { queue.sync {} }
}
