import Dispatch
import Foundation
import ProcessContext
import Queue
import Scheduling
import Settings
import UploadEngine
import UploadModel

/// What a push does about each event: finds files, has the conductor send them, and tells the history and the reporter.
/// It owns the files under way and what is counted of them, but does not know what the states of a file mean.
@MainActor
final class PushLoop: QueueObserver {
  enum Event: Sendable {
    case walk(PushInputReader.News)
    case queue([QueueNews])
    case disposed(UploadItem, FileDisposal.Outcome)
    case tick
    case interrupt
  }

  private let push: Push
  private let store: MemoryStore
  private let conductor: Conductor
  private lazy var walk = PushInputReader(history: push.history, time: time) { [weak self] news in
    onMain { self?.handle(.walk(news)) }
  }
  private var reporter: any PushReporter
  private var course: PushProgress

  private let disposal: FileDisposal
  /// The folder that relative paths start from.
  private let folder = FileManager.default.currentDirectoryPath
  private let disposals = DisposalQueue()
  /// How many files are being moved or deleted.
  private var disposing = 0
  /// The files that were sent before, and those that may have arrived before.
  private var repeated = 0
  private var perhapsRepeated = 0
  /// How many files had failed when the push was stopped.
  private var failedBefore = 0
  private var isLastRound = false
  /// Whether the target has a run that has not ended.
  private var hasRun: Bool
  /// Whether the engine knows that no more files come for the run.
  private var isEndingRun = false
  /// Continues `run` once everything is over; nil before and after that.
  private var over: CheckedContinuation<Void, Never>?

  /// How many files may wait in the engine's line, in addition to two for each file that can be under way. That is
  /// enough to fill requests even if the news that some files have begun arrives late.
  private static let mostInLine = 512

  init(_ push: Push) {
    self.push = push
    reporter = push.reporter
    disposal = FileDisposal(environment: push.context.environment)
    let target = push.target
    hasRun = target.run.isOn
    let filesOfRequest = max(target.batch?.maxFiles ?? 1, target.exists?.most ?? 1)
    course = PushProgress(
      keepsResults: push.keepsResults, isWatching: push.isWatching,
      mostInLine: Self.mostInLine + 2 * target.concurrency.most * filesOfRequest)
    store = MemoryStore(
      memory: push.history?.memory, addresses: push.inputs.sent,
      runs: push.openRun.map { [target.name: $0] } ?? [:])
    var options = Conductor.Options()
    options.lanes = OpenFiles.lanes(atMost: UploadEngine.mostLanes)
    (options.waitsForServers, options.waitsForPerson) = (false, false)
    options.reportsEach = true
    conductor = Conductor(
      store,
      with: Conductor.Tools(
        book: SingleTarget(SendPlan(target), at: TargetURL.shown(target.url)),
        time: push.context.time, mediaType: FileIntake.mediaType),
      options: options)
  }

  private var output: Output { push.context.output }
  private var time: TimeSource { push.context.time }

  /// Whether everything is sent or has failed, and nothing is left to do about it.
  private var isOver: Bool { course.isOver && disposing == 0 && !hasRun }

  /// Returns when everything is sent or has failed.
  func run() async -> PushSummary {
    // Reports trigger the supply of new files, so a blocked reader of the output would stop the uploads.
    output.beginBackground()
    conductor.addObserver(self)
    conductor.start()
    if let run = push.openRun {
      conductor.adopt(run, failed: [], of: push.target.name, SendPlan(push.target))
    }
    let signals = push.context.signals([SIGINT, SIGTERM, SIGHUP])
    let interrupts = signals.stream
    let listener = Task { [weak self] in for await _ in interrupts { self?.handle(.interrupt) } }
    let clock = reporter.tickInterval.map {
      PushInputReader.clock(every: $0) { [weak self] in onMain { self?.handle(.tick) } }
    }
    defer {
      listener.cancel()
      clock?.cancel()
      walk.abandon()
    }
    walk.start(push.inputs, FileIntake(for: push.target, as: push.inputs.usual))
    await withCheckedContinuation { over = $0 }
    return await end()
  }

  func receive(_ news: [QueueNews]) { handle(.queue(news)) }

  private func handle(_ event: Event) {
    guard over != nil else { return }
    let now = time.now()
    switch event {
    case .walk(.found(let items, let known, let perhapsKnown)):
      repeated += known
      perhapsRepeated += perhapsKnown
      add(items, at: now)
    case .walk(.omitted(let items, let why)):
      if why == .skipped { course.summary.skipped += items.count }
      output.together { for item in items { reporter.omitted(item, why) } }
    case .walk(.over(let isWhole)):
      course.isComplete = true
      course.summary.isIncomplete = !isWhole
      reporter.allQueued(repeated: repeated, perhapsRepeated: perhapsRepeated)
    case .queue(let news): for news in news { take(news) }
    case .disposed(let item, let outcome):
      disposing -= 1
      reporter.disposed(item, outcome)
    case .tick: if !output.isBehind { reporter.tick(course.progress, at: now) }
    case .interrupt: interrupt()
    }
    workAhead()
    if push.failsFast, !course.summary.failed.isEmpty, !walk.isStopped {
      course.summary.isCutShort = true
      stop()
    }
    endRun()
    if isOver { over.take()?.resume() }
  }

  /// Ends the push and reports its summary.
  private func end() async -> PushSummary {
    push.history?.close()
    let account = await conductor.account()
    var summary = course.end(account?.figures ?? conductor.figures)
    summary.lanes = account?.lanes ?? 0
    summary.findsLanes = push.target.concurrency.isAuto
    // A watch ends by being stopped. That is an interruption only if a file was cut off.
    if push.isWatching, summary.failed.count == failedBefore { summary.isInterrupted = false }
    summary.leftOut = push.inputs.leftOut
    summary.addresses = account?.addresses ?? push.inputs.sent
    push.journal?.record(summary)
    reporter.summary(summary)
    output.endBackground()
    await conductor.close()
    return summary
  }

  // MARK: Files

  /// Queues files that were found.
  private func add(_ found: [UploadItem], at now: Instant) {
    var items = found
    if walk.isStopped {
      // Items found after a stop fail as cancelled, unless they have already failed.
      items = found.map { $0.state.isFinished ? $0 : $0.with(.failed(Failure(.cancelled))) }
    } else if push.isWatching {
      let replaced = course.replaced(by: items)
      conductor.forget(replaced.unsent)
      conductor.cancel(replaced.sending)
    }
    output.together {
      for item in items {
        course.add(item, at: now)
        push.journal?.record(item)
        reporter.queued(item)
        if item.state.isFinished { reporter.changed(item, in: course.progress, at: now) }
      }
    }
    submit()
  }

  /// Gives the engine more to do.
  private func submit() {
    let items = course.handOver()
    if !items.isEmpty { conductor.send(items) }
  }

  private func take(_ news: QueueNews) {
    switch news {
    case .changed(let changes, let now): take(changes, at: now)
    case .resumePoint(let id, let point): take(point, of: id)
    case .run(_, let news): report(news)
    case .grew(let item): reporter.startsAgain(item)
    default: break
    }
  }

  /// Takes note of what has become of files.
  private func take(_ changes: [(ItemID, ItemState)], at now: Instant) {
    // Finished items need no place in the engine, and there may be very many of them.
    conductor.forget(changes.filter { $0.1.isFinished }.map(\.0))
    output.together {
      for (id, state) in changes {
        if course.isGivenUp(id, in: state) { conductor.cancel([id]) }
        record(state, of: id, at: now)
      }
      for (id, state) in course.givenUp() { record(state, of: id, at: now) }
    }
    course.settle(at: now)
    submit()
  }

  private func record(_ state: ItemState, of id: ItemID, at now: Instant) {
    guard let item = course.record(state, of: id, at: now) else { return }
    push.history?.record(item)
    push.journal?.record(item)
    // Drop progress if the reader is slow, since unread output takes memory.
    let isProgress = if case .sending = state { true } else { false }
    if !isProgress || !output.isBehind {
      reporter.changed(item, in: course.progress, at: now)
    }
    if let due = state.disposal, !item.isSpooled { dispose(of: item, due) }
  }

  private func take(_ point: ResumePoint?, of id: ItemID) {
    guard let item = course.setResumePoint(point, of: id), let point else { return }
    // Only the first point of an attempt says how the attempt begins; later points just say how far it has come.
    if point.isAtStart, point.words != nil {
      push.journal?.record("resumed", ["path": "\(item.path)", "offset": "\(point.start)"])
      reporter.resumed(item, at: point)
    }
    if let pieces = point.pieceCount, pieces.sent > 0, !output.isBehind {
      reporter.advanced(item, to: pieces)
    }
  }

  // MARK: Files that were sent

  /// Moves or deletes a file that was sent, once the history has a record of it.
  private func dispose(of item: UploadItem, _ due: Disposal) {
    disposing += 1
    disposals.add { [weak self, history = push.history, disposal, folder] in
      let obstacle = history?.obstacle(toDisposalOf: item)
      let outcome =
        if let obstacle {
          FileDisposal.Outcome.kept(obstacle)
        } else {
          disposal.perform(due, at: item.location.absolute(in: folder), item.identity)
        }
      onMain { self?.handle(.disposed(item, outcome)) }
    }
  }

  // MARK: The end

  private func interrupt() {
    guard !course.summary.isInterrupted else {
      output.endBackground()
      push.context.exit(.interrupted)
    }
    course.summary.isInterrupted = true
    failedBefore = course.summary.failed.count
    stop()
    // The requests of a run are not broken off, since nobody could tell what they have done.
    if hasRun {
      let name = SafeText.line(push.target.name)
      output.error("\(name): the run is being ended; interrupt again to exit at once")
    }
  }

  /// Stops whatever can be stopped. Failures that result are reported as changes.
  private func stop() {
    walk.stop()
    output.together {
      for item in course.handOver(all: true) {
        record(.failed(Failure(.cancelled)), of: item.id, at: time.now())
      }
    }
    conductor.cancel(course.openItems)
  }

  /// When the last files are under way, does what can be done already, so that little is left after the last reply.
  private func workAhead() {
    if course.isLastRound, !isLastRound {
      conductor.hurry()
      push.history?.writeSoon()
    }
    isLastRound = course.isLastRound
  }

  /// Ends the target's run once no file is left.
  private func endRun() {
    guard course.isOver, hasRun, !isEndingRun else { return }
    isEndingRun = true
    conductor.endRun(
      of: push.target.name,
      hasFailed: !course.summary.failed.isEmpty || !push.inputs.leftOut.isEmpty,
      wasStopped: course.summary.isInterrupted)
  }

  private func report(_ news: RunNews) {
    if isEndingRun {
      hasRun = false
      course.summary.run = news
      // If a secret had to be removed, the values no longer identify the run.
      if news.takesMore, news.point == store.run(of: push.target.name) {
        course.summary.openRun = news.point
      }
      if news.kind != .none { push.history?.record(news) }
    }
    push.journal?.record(news, of: push.target.name)
    reporter.run(of: push.target.name, news)
  }
}
