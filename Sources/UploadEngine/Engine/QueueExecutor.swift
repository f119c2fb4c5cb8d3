import Dispatch
import Synchronization

/// Runs an actor on a serial Dispatch queue, in turns.
///
/// A turn runs everything that has been put on the queue, jobs of the actor and closures alike, in order, and whatever
/// these add. Then it calls `turnEnded` once. So what follows from several events is done once for all of them, even if
/// tasks have to be resumed for that.
///
/// It is also a task executor: a continuation is resumed on its task's preferred executor, not on its actor's. Without
/// this preference, each reply would take a detour over the global pool.
///
/// (`DispatchSerialQueue`, which is an executor itself, exists only on Apple's systems.)
final class QueueExecutor: SerialExecutor, TaskExecutor {
  let queue: DispatchQueue

  private enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private struct Line {
    var work: [Work] = []
    /// Whether a turn is under way or about to begin, which will run whatever is added.
    var hasTurn = false
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
    line.withLock { line in
      line.work.append(.closure(closure))
      line.hasTurn = true
    }
    runTurns()
  }

  private func add(_ work: Work) {
    let needsTurn = line.withLock { line in
      defer { line.hasTurn = true }
      line.work.append(work)
      return !line.hasTurn
    }
    if needsTurn { queue.async { self.runTurns() } }
  }

  /// Runs turns until nothing is left. What the end of a turn adds belongs to the next one.
  private func runTurns() {
    while hasWork() {
      // The closures keep the actor alive until its turn has ended.
      var done: [[Work]] = []
      while let work = takeWork() {
        for work in work { run(work) }
        done.append(work)
      }
      withExtendedLifetime(done) { line.withLock { $0.turnEnded }() }
    }
  }

  /// Whether there is work. If not, whatever comes next needs another block on the queue.
  private func hasWork() -> Bool {
    line.withLock { line in
      line.hasTurn = !line.work.isEmpty
      return line.hasTurn
    }
  }

  private func takeWork() -> [Work]? {
    line.withLock { line in
      guard !line.work.isEmpty else { return nil }
      defer { line.work = [] }
      return line.work
    }
  }

  private func run(_ work: Work) {
    switch work {
    case .job(let job):
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    case .closure(let closure): closure()
    }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
