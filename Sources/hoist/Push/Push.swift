import Dispatch
import FileDiscovery
import Foundation
import UploadEngine
import UploadModel

/// Uploads files from beginning to end and reports on them.
struct Push {
  /// What to send. It is enumerated on a thread of its own while the first files are uploaded.
  let inputs: PushInputs
  @Boxed private(set) var target: Target
  var reporter: any PushReporter
  let context: Context
  /// Where events are logged.
  var journal: Journal?
  /// Whether the first failure ends everything.
  var failsFast = false
  /// Whether the summary lists every file, for a report.
  var keepsResults = false
  var history: PushHistory?
  /// The run that the files belong to, if an earlier push left it open.
  var openRun: RunPoint?

  /// Whether the push runs until it is stopped, so that stopping it is not an interruption.
  private var isWatching: Bool { inputs.watch != nil }

  private enum Event: Sendable {
    case walk(PushInputReader.News)
    case changes([(ItemID, ItemState)])
    case kept(ItemID, ResumePoint)
    case disposed(UploadItem, FileDisposal.Outcome)
    case run(RunNews)
    case tick
    case interrupt
  }

  /// How many files may wait in the engine's line, in addition to two for each file that can be under way. That is
  /// enough to fill requests even if the news that some files have begun arrives late.
  private static let mostInLine = 512

  /// Returns when everything is sent or has failed. A first interrupt stops the uploads and still prints the summary,
  /// including all files that were not sent. A second one ends the program at once.
  mutating func run() async -> PushSummary {
    // Reports trigger the supply of new files, so a blocked reader of the output would stop the uploads.
    let (output, time) = (context.output, context.time)
    output.beginBackground()
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let secrets = target.secrets
    let destination = Boxed(target)
    let queue = DispatchQueue(label: "hoist.changes", qos: .userInitiated)
    let news = ChangeBuffer(
      everyMilliseconds: 4, microsecondsEach: 250, on: queue, isMerging: false
    ) { changes in
      continuation.yield(.changes(secrets.hidden(in: changes)))
    }
    var hooks = EngineHooks()
    hooks.mediaType = FileIntake.mediaType
    hooks.keeping = { id, point in if let point { continuation.yield(.kept(id, point)) } }
    hooks.runReport = { _, news in continuation.yield(.run(news)) }
    let engine = UploadEngine(
      lanes: OpenFiles.lanes(atMost: UploadEngine.mostLanes), time: time, hooks: hooks,
      memory: history?.memory, digests: history?.memory, sent: inputs.sent, preparesAhead: true
    ) { news.put($0) }
    Thread.detachNewThread { TemporaryFolder.clearLeftovers() }
    let signals = context.signals([SIGINT, SIGTERM, SIGHUP])
    let interrupts = signals.stream
    let listener = Task { for await _ in interrupts { continuation.yield(.interrupt) } }
    let clock = reporter.tickInterval.map { Self.clock(every: $0) { continuation.yield(.tick) } }
    let walk = PushInputReader(history: history, time: time) { continuation.yield(.walk($0)) }
    walk.start(inputs, FileIntake(for: target, as: inputs.usual))
    defer {
      listener.cancel()
      clock?.cancel()
      walk.abandon()
    }

    var course = PushProgress(
      keepsResults: keepsResults, isWatching: isWatching,
      mostInLine: Self.mostInLine + 2 * target.concurrency
        * max(target.batch?.maxFiles ?? 1, target.exists?.most ?? 1))
    let disposal = FileDisposal(environment: context.environment)
    let disposals = DispatchQueue(label: "hoist.after", qos: .utility)
    let folder = FileManager.default.currentDirectoryPath
    var disposing = 0
    var (repeated, perhapsRepeated) = (0, 0)
    /// Moves or deletes a file that was sent, once the history has a record of it.
    func dispose(of item: UploadItem, _ due: Disposal) {
      disposing += 1
      disposals.async { [history] in
        let outcome =
          history?.flush() == false
          ? .kept("the history does not show yet that it was sent")
          : history?.hasYetToSend(item) == true
            ? .kept("the queue has yet to send it")
            : disposal.perform(due, at: item.location.absolute(in: folder), item.identity)
        continuation.yield(.disposed(item, outcome))
      }
    }
    func record(_ state: ItemState, of id: ItemID, at now: Instant) {
      guard let item = course.record(state, of: id) else { return }
      defer {
        if let due = state.receipt?.disposal, !item.isSpooled { dispose(of: item, due) }
      }
      history?.record(item)
      journal?.record(item)
      // Drop progress if the reader is slow, since unread output takes memory.
      if case .sending = state, output.isBehind { return }
      reporter.changed(item, at: now)
    }
    /// Gives the engine more to do.
    func submit() {
      let items = course.handOver()
      if items.isEmpty { return }
      engine.submit(items.map { UploadJob(item: $0, destination: destination) })
    }
    /// Stops whatever can be stopped. Failures that result are reported as changes.
    func stop() {
      walk.stop()
      output.together {
        for item in course.handOver(all: true) {
          record(.failed(Failure(.cancelled)), of: item.id, at: time.now())
        }
      }
      engine.cancel(course.openItems)
    }

    /// How many files had failed when the push was stopped.
    var failedBefore = 0
    var isLastRound = false
    /// Whether the target has a run that has not ended, and whether the engine knows that no more files come.
    var (hasRun, isEndingRun) = (target.run.isOn, false)
    // The time until another file is found counts.
    engine.setAwaitsMore(true)
    if let openRun { engine.adopt(openRun, failed: [], of: target.name, destination) }
    var iterator = events.makeAsyncIterator()
    while true {
      if course.isOver, hasRun, !isEndingRun {
        isEndingRun = true
        engine.endRun(
          of: target.name, hasFailed: !course.summary.failed.isEmpty,
          wasStopped: course.summary.isInterrupted)
      }
      guard !course.isOver || disposing > 0 || hasRun, let event = await iterator.next() else {
        break
      }
      let now = time.now()
      switch event {
      case .walk(.found(let found, let known, let perhapsKnown)):
        repeated += known
        perhapsRepeated += perhapsKnown
        // Items found after a stop fail as cancelled, unless they have already failed.
        let items =
          walk.isStopped
          ? found.map { $0.state.isFinished ? $0 : $0.with(.failed(Failure(.cancelled))) } : found
        if isWatching, !walk.isStopped {
          let replaced = course.replaced(by: items)
          engine.remove(replaced.unsent)
          engine.cancel(replaced.sending)
        }
        output.together {
          for item in items {
            course.add(item)
            journal?.record(item)
            reporter.queued(item)
            if item.state.isFinished { reporter.changed(item, at: now) }
          }
        }
        submit()
      case .walk(.omitted(let items, let why)):
        if why == .skipped { course.summary.skipped += items.count }
        output.together { for item in items { reporter.omitted(item, why) } }
      case .walk(.over(let isWhole)):
        course.isComplete = true
        course.summary.isIncomplete = !isWhole
        reporter.allQueued(repeated: repeated, perhapsRepeated: perhapsRepeated)
      case .changes(let changes):
        // Finished items need no place in the engine, and there may be very many of them.
        engine.remove(changes.filter { $0.1.isFinished }.map(\.0))
        output.together {
          for (id, state) in changes {
            if course.isGivenUp(id, in: state) { engine.cancel([id]) }
            record(state, of: id, at: now)
          }
          for (id, state) in course.givenUp() { record(state, of: id, at: now) }
        }
        submit()
      case .kept(let id, let point):
        guard let item = course.open(id) else { continue }
        // Only the first point of an attempt says how the attempt begins; later points just say how far it has come.
        if point.isAtStart, point.words != nil {
          journal?.record("resumed", ["path": "\(item.path)", "offset": "\(point.start)"])
          reporter.resumed(item, at: point)
        }
        if let pieces = point.pieceCount, pieces.sent > 0, !output.isBehind {
          reporter.advanced(item, to: pieces)
        }
      case .disposed(let item, let outcome):
        disposing -= 1
        reporter.disposed(item, outcome)
      case .run(let news):
        if isEndingRun {
          hasRun = false
          course.summary.run = news
        }
        let told = secrets.hidden(in: news)
        // If a secret had to be removed, the values no longer identify the run.
        if isEndingRun, news.takesMore, told == news { course.summary.openRun = news.point }
        if isEndingRun, news.kind != .none { history?.record(told) }
        journal?.record(told, of: target.name)
        reporter.run(of: target.name, told)
      case .tick: if !output.isBehind { reporter.tick(at: now) }
      case .interrupt where course.summary.isInterrupted:
        output.endBackground()
        context.exit(.interrupted)
      case .interrupt:
        course.summary.isInterrupted = true
        failedBefore = course.summary.failed.count
        stop()
      }
      if course.isLastRound, !isLastRound {
        // Work ahead, so that little is left to do after the last reply.
        news.endPauses()
        history?.writeSoon()
      }
      isLastRound = course.isLastRound
      if failsFast, !course.summary.failed.isEmpty, !walk.isStopped {
        course.summary.isCutShort = true
        stop()
      }
    }
    history?.close()
    var summary = course.end(await engine.figures)
    // A watch ends by being stopped. That is an interruption only if a file was cut off.
    if isWatching, summary.failed.count == failedBefore { summary.isInterrupted = false }
    summary.leftOut = inputs.leftOut
    summary.addresses = await engine.sentAddresses
    journal?.record(summary)
    reporter.summary(summary)
    output.endBackground()
    await engine.shutDown()
    return summary
  }

  /// Calls `handler` on a global queue, again and again, until the timer is cancelled.
  static func clock(
    every seconds: Double, _ handler: @escaping @Sendable () -> Void
  ) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + seconds, repeating: seconds, leeway: .milliseconds(10))
    timer.setEventHandler(handler: handler)
    timer.activate()
    return timer
  }
}
