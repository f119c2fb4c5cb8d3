import Dispatch
import Foundation
import MultipartForm
import Synchronization
import UploadEngine
import UploadModel

/// Uploads a queue from beginning to end and reports on it.
struct Push {
  /// What is sent, gone through on a thread of its own while the first files are on their way.
  let inputs: PushInputs
  let target: Target
  var reporter: any PushReporter
  /// Whether the first failure ends everything.
  var failsFast = false
  /// Whether files are awaited until somebody stops it: then stopping is no interruption.
  var isWatching = false
  /// Whether the summary lists every file, for a report.
  var keepsResults = false
  var history: PushHistory?

  private enum Event: Sendable {
    case added([UploadItem])
    case skipped([UploadItem])
    case allAdded
    case changes([(ItemID, ItemState)])
    case tick
    case interrupt
  }

  /// Returns when everything is sent or has failed. A first interrupt stops the uploads and still
  /// gives the summary; a second one ends the program at once.
  mutating func run() async -> PushSummary {
    let time = TimeSource.system
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let secrets = target.secrets
    let engine = UploadEngine(
      lanes: target.concurrency, time: time, mediaType: FileIntake.mediaType
    ) { changes in
      continuation.yield(.changes(changes.map { ($0.0, secrets.hidden(in: $0.1)) }))
    }
    engine.setLimit(target.rateLimit)
    let signals = Signals([SIGINT, SIGTERM, SIGHUP])
    let interrupts = signals.stream
    let listener = Task {
      for await _ in interrupts { continuation.yield(.interrupt) }
    }
    let clock = reporter.tickInterval.map { Self.clock(every: $0) { continuation.yield(.tick) } }
    let isStopped = Flag()
    walk(isStopped) { continuation.yield($0) }
    defer {
      listener.cancel()
      clock?.cancel()
      isStopped.set()
    }

    var course = PushCourse(start: time.now(), keepsResults: keepsResults)
    /// Stops what can be stopped; its failures arrive as changes.
    func stop() {
      isStopped.set()
      course.isComplete = true
      engine.cancel(course.openItems)
    }

    /// How many had failed when it was stopped.
    var failedBefore = 0
    var iterator = events.makeAsyncIterator()
    while !course.isOver, let event = await iterator.next() {
      let now = time.now()
      switch event {
      case .added where isStopped.isSet: break
      case .added(let items):
        if isWatching { engine.remove(course.replaced(by: items)) }
        for item in items {
          course.add(item)
          reporter.queued(item)
          if item.state.isFinished { reporter.changed(item, at: now) }
        }
        let sendable = items.filter { !$0.state.isFinished }
        engine.submit(sendable.map { UploadJob(item: $0, target: target) })
      case .skipped(let items):
        course.summary.skipped += items.count
        for item in items { reporter.skipped(item) }
      case .allAdded:
        course.isComplete = true
        reporter.allQueued()
      case .changes(let changes):
        // What is over needs no place in the engine, and there may be very many.
        engine.remove(changes.filter { $0.1.isFinished }.map(\.0))
        for (id, state) in changes {
          guard let item = course.note(state, of: id) else { continue }
          history?.note(item)
          reporter.changed(item, at: now)
        }
      case .tick: reporter.tick(at: now)
      case .interrupt where course.summary.isInterrupted:
        exit(ExitStatus.interrupted.rawValue)
      case .interrupt:
        course.summary.isInterrupted = true
        failedBefore = course.summary.failed.count
        stop()
      }
      if failsFast, !course.summary.failed.isEmpty, !isStopped.isSet {
        course.summary.isCutShort = true
        stop()
      }
    }
    history?.close()
    var summary = course.end(at: time.now())
    // A watch is over when it is stopped; it is interrupted only where that cut a file off.
    if isWatching, summary.failed.count == failedBefore { summary.isInterrupted = false }
    reporter.summary(summary)
    await engine.shutDown()
    return summary
  }

  /// Goes through the inputs and tells of them in portions, the first of them soon.
  private func walk(_ isStopped: Flag, _ tell: @escaping @Sendable (Event) -> Void) {
    let (inputs, intake, history) = (inputs, FileIntake(for: target), history)
    // A thread of its own: it may wait for a pipe or a folder for as long as the program runs.
    Thread.detachNewThread {
      let portion = Portion { items in
        guard let known = history?.look(at: items) else { return tell(.added(items)) }
        if !known.skipped.isEmpty { tell(.skipped(known.skipped)) }
        if !known.items.isEmpty { tell(.added(known.items)) }
      }
      // The next item may be a long time coming.
      let timer = Self.clock(every: 0.05) { portion.handOver() }
      inputs.walk(intake) { item in
        portion.add(item)
        return !isStopped.isSet
      }
      timer.cancel()
      portion.handOver()
      tell(.allAdded)
    }
  }

  private static func clock(
    every seconds: Double, _ handler: @escaping @Sendable () -> Void
  ) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + seconds, repeating: seconds, leeway: .milliseconds(10))
    timer.setEventHandler(handler: handler)
    timer.activate()
    return timer
  }
}

/// Something that is said once, from any thread.
private final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}

/// Items that were found and not handed over yet.
private final class Portion: Sendable {
  private static let size = 256
  private let items = Mutex<[UploadItem]>([])
  private let take: @Sendable ([UploadItem]) -> Void

  init(_ take: @escaping @Sendable ([UploadItem]) -> Void) { self.take = take }

  func add(_ item: UploadItem) {
    let isFull = items.withLock { items in
      items.append(item)
      return items.count >= Self.size
    }
    if isFull { handOver() }
  }

  /// Under the lock, or two threads would turn the order round.
  func handOver() {
    items.withLock { items in
      guard !items.isEmpty else { return }
      take(items)
      items = []
    }
  }
}
