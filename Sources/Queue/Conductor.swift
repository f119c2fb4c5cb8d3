import Dispatch
import Foundation
import MultipartForm
import Scheduling
import Synchronization
import UploadEngine
import UploadModel

/// Conducts what a process sends of a queue: has the engine send its files, notes in the queue's store what the engine
/// does, and reports it to all observers at the same moment. It knows neither a screen nor other processes:
/// `SharedQueue` adds those, and a push has its files sent by the conductor alone.
@MainActor
package final class Conductor {
  package struct Options {
    /// How many requests may be under way at once.
    package var lanes = UploadEngine.mostLanes
    /// Whether files wait for a server that cannot be reached, however long that takes.
    package var waitsForServers = true
    /// Whether files wait for a person if their credentials are refused.
    package var waitsForPerson = true
    /// Whether observers get every change, and soon. Otherwise they get what each file has become once in each
    /// `reportInterval`.
    package var reportsEach = false
    /// In milliseconds.
    package var reportInterval: UInt64 = 100
    /// How many changes are reported without waiting for more.
    package var mostUnreported = Int.max

    package init() {}
  }

  /// What the conductor cannot do itself.
  package struct Tools {
    package var book: any TargetBook
    package var tokens: TokenSource
    package var time: TimeSource
    /// Guesses the type of a file that a target's command has made.
    package var mediaType: @Sendable (FileLocation) -> String?

    package init(
      book: any TargetBook, tokens: TokenSource = TokenSource(), time: TimeSource,
      mediaType: @escaping @Sendable (FileLocation) -> String?
    ) {
      (self.book, self.tokens, self.time, self.mediaType) = (book, tokens, time, mediaType)
    }
  }

  /// What was sent, and how.
  package struct Account: Sendable {
    package var figures: SendingFigures
    /// The most requests that were under way at once.
    package var lanes: Int
    /// The addresses that files were sent to, with those of earlier processes.
    package var addresses: SentAddresses
  }

  /// What was sent so far, as last reported.
  package private(set) var figures = SendingFigures()
  /// News of runs that deserves a person's attention, by target.
  package private(set) var runTroubles: [String: RunNews] = [:]
  /// The targets whose credentials were refused, and why, so that this process's engine sends nothing with them.
  private(set) var refused: [String: CredentialTrouble] = [:]
  /// The engine; nil before it starts.
  private(set) var engine: UploadEngine?

  private let store: any QueueStore
  private let tools: Tools
  private let options: Options
  private var observers: [any QueueObserver] = []
  private var changes: ChangeBuffer?
  /// What has not been reported yet. It comes before the changes that it is about, which may be delivered at any time.
  private let early = Mutex(Early())

  private struct Early {
    var figures: SendingFigures?
    /// Where uploads resume. If this came after the changes, what servers had would count as sent.
    var points: [(id: ItemID, point: ResumePoint?)] = []
  }

  package init(_ store: any QueueStore, with tools: Tools, options: Options = Options()) {
    (self.store, self.tools, self.options) = (store, tools, options)
  }

  /// Reports everything to this observer from now on, after those that observe already.
  package func addObserver(_ observer: any QueueObserver) { observers.append(observer) }

  private func report(_ news: [QueueNews]) {
    for observer in observers { observer.receive(news) }
  }

  // MARK: The engine

  /// Starts an engine that awaits files. It goes on counting where another process has ended, unless it starts anew with
  /// its first file. Files of the targets that `refused` the credentials of that process wait.
  package func start(
    countingAnew: Bool = false, refused: [String: CredentialTrouble] = [:]
  ) {
    Thread.detachNewThread { TemporaryFolder.clearLeftovers() }
    let changes = changeBuffer()
    self.changes = changes
    let engine = UploadEngine(
      lanes: options.lanes, time: tools.time, waitsForServers: options.waitsForServers,
      waitsForPerson: options.waitsForPerson, hooks: hooks(reporting: changes),
      memory: store.memory, digests: store.memory, tokens: tools.tokens, sent: store.addresses,
      clock: SendingClock(after: figures, startsAnew: countingAnew), preparesAhead: true
    ) { changes.put($0) }
    self.engine = engine
    engine.setAwaitsMore(true)
    engine.keepWaiting(for: refused)
    engine.keepWaiting(for: store.waits)
    for (target, trouble) in refused { note(trouble, of: target) }
  }

  /// Collects the engine's changes. Those that are not written are reported without the secrets of targets all the
  /// same.
  private func changeBuffer() -> ChangeBuffer {
    let isWritten = store.isLasting
    return ChangeBuffer(
      everyMilliseconds: options.reportsEach ? 4 : options.reportInterval,
      microsecondsEach: options.reportsEach ? 250 : nil, many: options.mostUnreported,
      isMerging: !options.reportsEach
    ) { [weak self, book = tools.book] changes in
      let changes = isWritten ? changes : book.secrets.hidden(in: changes)
      self?.report(changes: changes)
    }
  }

  private func hooks(reporting changes: ChangeBuffer) -> EngineHooks {
    let (store, book) = (store, tools.book)
    var hooks = EngineHooks()
    if store.isLasting {
      // Changes are written before they are told.
      hooks.admission = { [weak self] turn, then in
        var turn = turn
        turn.changes = book.secrets.hidden(in: turn.changes)
        turn.withdrawals = turn.withdrawals.mapValues { book.secrets.hidden(in: $0) }
        store.write(turn) {
          [weak self, new = turn.changes, isLast = turn.isLast, figures = turn.figures] begun in
          if let figures { self?.early.withLock { $0.figures = figures } }
          changes.put(new, atOnce: isLast)
          then(begun)
        }
      }
    }
    hooks.claimsAhead = { store.claimsAhead(ofRequestsTaking: $0) }
    hooks.mediaType = tools.mediaType
    hooks.outage = { [weak self, time = tools.time] origin, news in
      if case .asksToWait(let failure, let until, _) = news {
        var turn = QueueTurn()
        turn.waits = [
          ServerWait(
            address: origin.description, until: time.date() + (until - time.now()),
            failure: failure)
        ]
        store.write(turn) { _ in }
      }
      onMain { self?.report([.reachability(server: origin.description, news)]) }
    }
    hooks.refusal = { [weak self] target, trouble in
      onMain { self?.note(trouble, of: target) }
    }
    hooks.grew = { [weak self] item in
      onMain { self?.report([.grew(item)]) }
    }
    hooks.spared = { [weak self] items in
      onMain { self?.report([.spared(items)]) }
    }
    hooks.pace = { [weak self] target, until in
      onMain { self?.report([.pace(target: target, until: until)]) }
    }
    hooks.figures = { [weak self] figures in
      var turn = QueueTurn()
      turn.figures = figures
      // After those of the turns that are still being written.
      store.write(turn) { [weak self] _ in
        self?.early.withLock { $0.figures = figures }
        onMain { self?.reportFigures() }
      }
    }
    hooks.lanes = { [weak self] target, count, fall in
      onMain { self?.report([.lanes(count, target: target, fall: fall)]) }
    }
    hooks.keeping = { [weak self] id, point in
      // A point that contains a secret is kept only in this process's memory.
      if point?.texts.allSatisfy(book.secrets.areAbsent) ?? true { store.keep(point, of: id) }
      self?.early.withLock { $0.points.append((id, point)) }
      onMain { self?.reportPoints() }
    }
    hooks.keepingRun = { target, point in
      guard point?.values.values.allSatisfy(book.secrets.areAbsent) ?? true else { return true }
      return store.keepRun(point, of: target)
    }
    hooks.runReport = { [weak self] target, news in
      let news = book.secrets.hidden(in: news)
      store.record(news, of: target)
      onMain { self?.receive(news, of: target) }
    }
    hooks.hasUnsent = { store.hasUnsent($0) }
    hooks.keepingAddress = { store.keep($0) }
    return hooks
  }

  /// Stops sending, and reports the last news. Requests under way are ended in good order, after waiting for their
  /// replies for at most `seconds`.
  package func close(awaitingReplies seconds: Double = 0) async {
    await engine?.shutDown(awaitingReplies: seconds)
    changes?.deliverNow()
    observers = []
  }

  /// What was sent so far.
  package func account() async -> Account? {
    guard let engine else { return nil }
    return await Account(
      figures: engine.figures, lanes: engine.mostLanesUsed, addresses: engine.sentAddresses)
  }

  // MARK: Files

  /// Has items sent. Those that cannot be sent fail.
  package func send(_ items: [UploadItem]) {
    var failed: [(ItemID, ItemState)] = []
    let jobs = items.compactMap { item -> UploadJob? in
      switch tools.book.target(of: item) {
      case .success(let plan): return UploadJob(item: item, destination: plan)
      case .failure(let cause):
        failed.append((item.id, .failed(Failure(cause))))
        return nil
      }
    }
    engine?.submit(jobs)
    // Not within this call: an observer may be the one that makes it.
    if !failed.isEmpty { changes?.put(failed) }
  }

  /// Stops what is under way for these items, and those that wait: they fail as cancelled.
  package func cancel(_ ids: [ItemID]) { engine?.cancel(ids) }

  /// Forgets these items.
  package func forget(_ ids: [ItemID]) { engine?.remove(ids) }

  /// Reports the changes so far at once, before something that happened after them.
  func reportNow() { changes?.deliverNow() }

  /// Reports the last changes without a delay: few are left, and somebody waits for them.
  package func hurry() { changes?.endDelays() }

  // MARK: Runs

  /// Continues a run that an earlier process has begun. The plan is nil if the target cannot be used now.
  package func adopt(_ run: RunPoint, failed: Set<ItemID>, of target: String, _ plan: SendPlan?) {
    engine?.adopt(run, failed: failed, of: target, plan)
  }

  /// Ends a target's run, since no file of it is left, and reports how.
  package func endRun(of target: String, hasFailed: Bool, wasStopped: Bool) {
    engine?.endRun(of: target, hasFailed: hasFailed, wasStopped: wasStopped)
  }

  /// Notes what has become of a target's run, here or in another process.
  func receive(_ news: RunNews, of target: String) {
    runTroubles[target] = news.isTrouble ? news : nil
    report([.run(target: target, news)])
  }

  // MARK: News

  /// Notes and reports why files of a target wait for credentials; nil if they no longer do.
  private func note(_ trouble: CredentialTrouble?, of target: String) {
    refused[target] = trouble?.holdsAll == true ? trouble : nil
    report([.refusal(target: target, trouble)])
  }

  /// Reports the latest figures, if they have not been reported.
  private func reportFigures() {
    guard let figures = early.withLock({ $0.figures.take() }) else { return }
    receive(figures)
    report([.figures(figures)])
  }

  /// Reports where uploads resume, if that has not been reported.
  private func reportPoints() {
    let points = early.withLock { early in
      defer { early.points = [] }
      return early.points
    }
    if !points.isEmpty { report(points.map { .resumePoint($0.id, $0.point) }) }
  }

  /// Notes what a process has sent, this one or another.
  func receive(_ figures: SendingFigures) { self.figures = figures }

  /// Reports what the engine has done, here and in other processes.
  func report(changes: [(ItemID, ItemState)]) {
    reportFigures()
    reportPoints()
    // Uploads that are interrupted on leaving stay in a lasting queue. Otherwise only a removal cancels an upload; if the
    // item is still there, it has been restored meanwhile.
    let changes =
      store.isLasting
      ? changes.map { id, state in
        (id, state.failure?.cause == .cancelled ? .waiting : state)
      } : changes
    report([.changed(changes, at: tools.time.now())])
  }
}
