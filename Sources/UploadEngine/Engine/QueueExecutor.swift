import Dispatch
import Synchronization

/// Runs an actor on a serial Dispatch queue, in turns.
///
/// A turn is one block on the queue: it runs everything that was put on the queue before it, jobs of the actor and
/// closures alike, in order, and then `turnEnded` once. What follows from several events is thus done once for all of
/// them. (`DispatchSerialQueue`, which is an executor itself, exists only on Apple's systems.)
final class QueueExecutor: SerialExecutor {
  let queue: DispatchQueue

  private enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private struct Line {
    var work: [Work] = []
    var turnEnded: @Sendable () -> Void = {}
  }

  private let line = Mutex(Line())

  init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

  /// Sets what is called on the queue at the end of each turn.
  func whenTurnEnds(_ turnEnded: @escaping @Sendable () -> Void) {
    line.withLock { $0.turnEnded = turnEnded }
  }

  func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

  /// Runs a closure in the next turn.
  func async(_ closure: @escaping @Sendable () -> Void) { add(.closure(closure)) }

  /// Runs a closure in a turn that begins now. The caller is on the queue, but not in a turn, as a timer is.
  func turn(_ closure: @escaping @Sendable () -> Void) {
    line.withLock { $0.work.append(.closure(closure)) }
    turn()
  }

  private func add(_ work: Work) {
    let isFirst = line.withLock { line in
      defer { line.work.append(work) }
      return line.work.isEmpty
    }
    if isFirst { queue.async { self.turn() } }
  }

  private func turn() {
    let (work, turnEnded) = line.withLock { line in
      defer { line.work = [] }
      return (line.work, line.turnEnded)
    }
    guard !work.isEmpty else { return }
    let executor = asUnownedSerialExecutor()
    for work in work {
      switch work {
      case .job(let job): job.runSynchronously(on: executor)
      case .closure(let closure): closure()
      }
    }
    // The closures keep the actor alive until its turn has ended.
    withExtendedLifetime(work) { turnEnded() }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
