import Dispatch

/// Runs `body` on the main queue, after everything put there earlier. A `Task` would not keep that order.
package func onMain(_ body: @escaping @MainActor @Sendable () -> Void) {
  DispatchQueue.main.async { MainActor.assumeIsolated(body) }
}

/// Runs `body` on the main queue after a while.
package func onMain(after seconds: Double, _ body: @escaping @MainActor @Sendable () -> Void) {
  DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { MainActor.assumeIsolated(body) }
}

extension DispatchSourceProtocol {
  /// Has `body` handle the events of this source, whose queue is the main queue.
  package func handleOnMain(_ body: @escaping @MainActor @Sendable () -> Void) {
    setEventHandler { MainActor.assumeIsolated(body) }
  }
}
