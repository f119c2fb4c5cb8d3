import Dispatch

/// Runs `body` on the main queue, after everything put there earlier. A `Task` would not keep that order.
package func onMain(_ body: @escaping @MainActor @Sendable () -> Void) {
  DispatchQueue.main.async { MainActor.assumeIsolated(body) }
}
