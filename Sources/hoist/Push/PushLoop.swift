import Dispatch
import Foundation
import Queue
import UploadEngine
import UploadModel

/// What a push does about each event. It owns the files under way and what is counted of them, and tells the engine,
/// the history and the reporter. It does not know where events come from, nor what the states of a file mean.
struct PushLoop {
  enum Event: Sendable {
    case walk(PushInputReader.News)
    case changes([(ItemID, ItemState)])
    case kept(ItemID, ResumePoint)
    case disposed(UploadItem, FileDisposal.Outcome)
    case run(RunNews)
    case tick
    case interrupt
  }

  private let push: Push
  private let destination: SendPlan
  private let engine: UploadEngine
  private let walk: PushInputReader
  private let changes: ChangeBuffer
  private let feed: AsyncStream<Event>.Continuation
  private var reporter: any PushReporter
  private var course: PushProgress

  private let disposal: FileDisposal
  /// The folder that relative paths start from.
  private let folder = FileManager.default.currentDirectoryPath
  private let disposals = DispatchQueue(label: "hoist.after", qos: .utility)
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

  /// How many files may wait in the engine's line, in addition to two for each file that can be under way. That is
  /// enough to fill requests even if the news that some files have begun arrives late.
  private static let mostInLine = 512

  /// The loop of a push whose files come from `walk`. `feed` takes the events that the loop itself causes.
  init(
    _ push: Push, to destination: SendPlan, engine: UploadEngine, walk: PushInputReader,
    changes: ChangeBuffer, feed: AsyncStream<Event>.Continuation
  ) {
    self.push = push
    self.destination = destination
    self.engine = engine
    self.walk = walk
    self.changes = changes
    self.feed = feed
    reporter = push.reporter
    disposal = FileDisposal(environment: push.context.environment)
    let target = push.target
    hasRun = target.run.isOn
    let filesOfRequest = max(target.batch?.maxFiles ?? 1, target.exists?.most ?? 1)
    course = PushProgress(
      keepsResults: push.keepsResults, isWatching: push.isWatching,
      mostInLine: Self.mostInLine + 2 * target.concurrency.most * filesOfRequest)
  }

  private var output: Output { push.context.output }
  private var time: TimeSource { push.context.time }

  /// Whether everything is sent or has failed, and nothing is left to do about it.
  var isOver: Bool { course.isOver && disposing == 0 && !hasRun }

  /// Prepares the engine for the first files.
  func begin() {
    // The time until another file is found counts.
    engine.setAwaitsMore(true)
    if let run = push.openRun { engine.adopt(run, failed: [], of: push.target.name, destination) }
  }

  mutating func handle(_ event: Event) {
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
    case .changes(let changes): take(changes, at: now)
    case .kept(let id, let point): tell(of: point, id)
    case .disposed(let item, let outcome):
      disposing -= 1
      reporter.disposed(item, outcome)
    case .run(let news): tell(of: news)
    case .tick: if !output.isBehind { reporter.tick(at: now) }
    case .interrupt: interrupt()
    }
    workAhead()
    if push.failsFast, !course.summary.failed.isEmpty, !walk.isStopped {
      course.summary.isCutShort = true
      stop()
    }
    endRun()
  }

  /// Ends the push and reports its summary.
  mutating func end() async -> PushSummary {
    push.history?.close()
    var summary = course.end(await engine.figures)
    summary.lanes = await engine.mostLanesUsed
    summary.findsLanes = push.target.concurrency.isAuto
    // A watch ends by being stopped. That is an interruption only if a file was cut off.
    if push.isWatching, summary.failed.count == failedBefore { summary.isInterrupted = false }
    summary.leftOut = push.inputs.leftOut
    summary.addresses = await engine.sentAddresses
    push.journal?.record(summary)
    reporter.summary(summary)
    output.endBackground()
    await engine.shutDown()
    return summary
  }

  // MARK: Files

  /// Queues files that were found.
  private mutating func add(_ found: [UploadItem], at now: Instant) {
    var items = found
    if walk.isStopped {
      // Items found after a stop fail as cancelled, unless they have already failed.
      items = found.map { $0.state.isFinished ? $0 : $0.with(.failed(Failure(.cancelled))) }
    } else if push.isWatching {
      let replaced = course.replaced(by: items)
      engine.remove(replaced.unsent)
      engine.cancel(replaced.sending)
    }
    output.together {
      for item in items {
        course.add(item)
        push.journal?.record(item)
        reporter.queued(item)
        if item.state.isFinished { reporter.changed(item, at: now) }
      }
    }
    submit()
  }

  /// Gives the engine more to do.
  private mutating func submit() {
    let items = course.handOver()
    if items.isEmpty { return }
    engine.submit(items.map { UploadJob(item: $0, destination: destination) })
  }

  /// Takes note of what the engine says about files.
  private mutating func take(_ changes: [(ItemID, ItemState)], at now: Instant) {
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
  }

  private mutating func record(_ state: ItemState, of id: ItemID, at now: Instant) {
    guard let item = course.record(state, of: id) else { return }
    push.history?.record(item)
    push.journal?.record(item)
    // Drop progress if the reader is slow, since unread output takes memory.
    let isProgress = if case .sending = state { true } else { false }
    if !isProgress || !output.isBehind { reporter.changed(item, at: now) }
    if let due = state.receipt?.disposal, !item.isSpooled { dispose(of: item, due) }
  }

  private mutating func tell(of point: ResumePoint, _ id: ItemID) {
    guard let item = course.open(id) else { return }
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
  private mutating func dispose(of item: UploadItem, _ due: Disposal) {
    disposing += 1
    disposals.async { [history = push.history, disposal, feed, folder] in
      let obstacle = history?.obstacle(toDisposalOf: item)
      let outcome =
        if let obstacle {
          FileDisposal.Outcome.kept(obstacle)
        } else {
          disposal.perform(due, at: item.location.absolute(in: folder), item.identity)
        }
      feed.yield(.disposed(item, outcome))
    }
  }

  // MARK: The end

  private mutating func interrupt() {
    guard !course.summary.isInterrupted else {
      output.endBackground()
      push.context.exit(.interrupted)
    }
    course.summary.isInterrupted = true
    failedBefore = course.summary.failed.count
    stop()
  }

  /// Stops whatever can be stopped. Failures that result are reported as changes.
  private mutating func stop() {
    walk.stop()
    output.together {
      for item in course.handOver(all: true) {
        record(.failed(Failure(.cancelled)), of: item.id, at: time.now())
      }
    }
    engine.cancel(course.openItems)
  }

  /// When the last files are under way, does what can be done already, so that little is left after the last reply.
  private mutating func workAhead() {
    if course.isLastRound, !isLastRound {
      changes.endPauses()
      push.history?.writeSoon()
    }
    isLastRound = course.isLastRound
  }

  /// Ends the target's run once no file is left.
  private mutating func endRun() {
    guard course.isOver, hasRun, !isEndingRun else { return }
    isEndingRun = true
    engine.endRun(
      of: push.target.name, hasFailed: !course.summary.failed.isEmpty,
      wasStopped: course.summary.isInterrupted)
  }

  private mutating func tell(of news: RunNews) {
    let told = destination.secrets.hidden(in: news)
    if isEndingRun {
      hasRun = false
      course.summary.run = news
      // If a secret had to be removed, the values no longer identify the run.
      if news.takesMore, told == news { course.summary.openRun = news.point }
      if news.kind != .none { push.history?.record(told) }
    }
    push.journal?.record(told, of: push.target.name)
    reporter.run(of: push.target.name, told)
  }
}
