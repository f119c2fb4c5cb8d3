import Dispatch

/// Runs `body` on the main queue, after everything put there earlier. A `Task` would not keep that order.
package func onMain(_ body: @escaping @MainActor @Sendable () -> Void) {
  DispatchQueue.main.async(execute: block(body))
}

/// Runs `body` on the main queue, after everything put there earlier, and waits for what it returns.
package func waitForMain<Value: Sendable>(_ body: @MainActor @Sendable () -> Value) -> Value {
  DispatchQueue.main.sync { MainActor.assumeIsolated(body) }
}

/// Runs `body` on the main queue once this moment has come.
func onMain(at moment: DispatchTime, _ body: @escaping @MainActor @Sendable () -> Void) {
  if moment <= .now() { return onMain(body) }
  DispatchQueue.main.asyncAfter(deadline: moment, execute: block(body))
}

/// Runs `body` on the main queue after a while.
package func onMain(after seconds: Double, _ body: @escaping @MainActor @Sendable () -> Void) {
  onMain(at: .now() + seconds, body)
}

extension DispatchSourceProtocol {
  /// Has `body` handle the events of this source, whose queue is the main queue.
  package func handleOnMain(_ body: @escaping @MainActor @Sendable () -> Void) {
    setEventHandler(handler: block(body))
  }
}

/// Dispatch does not say that what runs on the main queue is on the main actor.
private func block(_ body: @escaping @MainActor @Sendable () -> Void) -> @Sendable () -> Void {
  { MainActor.assumeIsolated(body) }
}
