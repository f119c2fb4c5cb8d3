import Dispatch
import Foundation
import Synchronization

/// Brings URLSession's callbacks to a Dispatch queue, those that come together in one go.
///
/// URLSession wants an `OperationQueue` and hands it closures. Foundation's own makes an operation of
/// each, with locks, state and a wake-up of a thread; for small uploads that is a good part of the
/// whole cost. In order, one at a time, as they came: nothing more is asked of it here.
final class CallbackQueue: OperationQueue, @unchecked Sendable {
  // Unchecked, for its superclass is: OperationQueue may be used from any thread by its documentation,
  // and what is added here is a constant DispatchQueue and a Mutex, both Sendable by themselves.
  private struct Callback {
    let run: @Sendable () -> Void
  }

  private let queue: DispatchQueue
  private let waiting = Mutex<[Callback]>([])

  init(_ queue: DispatchQueue) {
    self.queue = queue
    super.init()
    maxConcurrentOperationCount = 1
    underlyingQueue = queue
  }

  override func addOperation(_ block: @escaping @Sendable () -> Void) {
    let isFirst = waiting.withLock { waiting in
      waiting.append(Callback(run: block))
      return waiting.count == 1
    }
    if isFirst { queue.async { self.runAll() } }
  }

  private func runAll() {
    let callbacks = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for callback in callbacks { callback.run() }
  }
}
