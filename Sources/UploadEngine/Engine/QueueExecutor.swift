import Dispatch

/// Runs an actor on a serial Dispatch queue, so that work put on that queue is already inside the actor.
/// (`DispatchSerialQueue`, which is an executor itself, exists only on Apple's systems.)
final class QueueExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
