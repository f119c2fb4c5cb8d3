import Dispatch
import Foundation
import HTTPTransport
import MultipartForm
import Scheduling
import UploadModel

/// Runs several uploads at once on one Dispatch queue, and reports their states.
///
/// It decides which files may begin: it owns the jobs, the line, the lanes and the clock. `Scheduler` decides what is
/// sent next, and `JobMachine` what happens to it. It knows nothing of requests, replies and tickets: an `Attempt`
/// sends files, and what attempts share is in `Exchanges`, `Access`, `Runs`, `Folders` and `Questions`. Nor does it
/// know its listeners. All methods can be called from anywhere and take effect in the order of the calls.
package actor UploadEngine {
  /// The most uploads that run at once.
  package static let mostLanes = Concurrency.range.upperBound

  nonisolated let executor = QueueExecutor(label: "hoist.engine")
  let time: TimeSource
  let hooks: EngineHooks
  private let report: @Sendable ([(ItemID, ItemState)]) -> Void
  private var news: [(ItemID, ItemState)] = []
  private var withdrawals: [ItemID: String] = [:]

  private var jobs: JobList
  private(set) var scheduler: Scheduler
  private var clock: SendingClock
  /// How many attempts are under way.
  private var attempts = 0
  /// Uploads in several requests that could send more of them at once if lanes were free.
  private var widening: [Conversation] = []
  /// How many uploads that wait for another attempt hold their files open.
  private var openFiles = 0
  /// When the scheduler will next be asked, at the latest.
  private var wakeUp: Instant?
  /// Whether the lanes must be filled at the end of this turn.
  private var needsFilling = false
  /// The number of the last question to the owner whether files may start.
  private var lastClaim: UInt32 = 0
  /// How many of these questions have no answer yet, or one that has not been carried out.
  private var openClaims = 0
  /// What is to be done in the next turn.
  private var later: [@Sendable (isolated UploadEngine) -> Void] = []
  /// Files that were admitted, or may yet be, but do not start.
  private var released: [ItemID] = []
  /// Whether in this turn the last file has ended.
  private var hasStoppedSending = false
  /// Whether in this turn files have arrived.
  private var haveArrived = false
  /// Whether requests that servers may have already are left to end.
  private var sparesSent = false
  /// Resumed once nothing is under way.
  private var whenIdle: CheckedContinuation<Void, Never>?

  nonisolated let session: UploadSession
  nonisolated let inbox = NewsInbox()
  nonisolated let ahead = RequestsAhead()
  /// Parses replies, so that they hold up neither the engine nor the transport.
  nonisolated let replyQueue = DispatchQueue(label: "hoist.replies", qos: .userInitiated)
  /// The limit on the total rate.
  private nonisolated let totalLimit: BandwidthLimit
  let preparesAhead: Bool
  let tokenSource: TokenSource
  let knownDigests: (any DigestMemory)?
  let exchanges: Exchanges
  let access: Access
  let runs = Runs()
  let names = Names()
  let folders = Folders()
  private let questions = Questions()
  var knownServers: KnownServers
  /// The addresses that files were sent to, in this session and those that it continues.
  package private(set) var sentAddresses: SentAddresses

  /// The queue on which everything here happens.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Creates an engine without work.
  ///
  /// - Parameters:
  ///   - lanes: how many requests may be under way at once in all, 1 to `mostLanes`. Each target also has its
  ///     own limit.
  ///   - waitsForServers: whether uploads wait for an unreachable server, however long that takes, without counting
  ///     attempts that did not reach it. If false, the uploads fail together once the server's breaker has opened as
  ///     often as the target allows attempts.
  ///   - waitsForPerson: whether uploads wait for `retry` instead of failing when their credentials are refused;
  ///     by default the same as `waitsForServers`.
  ///   - memory: remembers which protocol a server speaks if the target leaves that open.
  ///   - tokens: where tokens come from; may be shared with clients that send other requests to the same servers.
  ///   - sent: the addresses that earlier sessions have sent files to, which this one continues.
  ///   - clock: has measured what those have sent.
  ///   - preparesAhead: whether a lane's next request is prepared before its current one ends. That keeps the lanes
  ///     fuller with small files; in return, uploads are admitted some time before they begin.
  ///   - report: called with every change, in order, on the engine's queue, unless `hooks` has an admission. Progress is
  ///     reported at most forty times a second per item, everything else at once.
  package init(
    lanes: Int = mostLanes, time: TimeSource = .system, session: UploadSession = .shared,
    waitsForServers: Bool = false, waitsForPerson: Bool? = nil, hooks: EngineHooks = EngineHooks(),
    memory: (any ResumeMemory)? = nil, digests: (any DigestMemory)? = nil,
    tokens: TokenSource = TokenSource(), sent: SentAddresses = SentAddresses(),
    clock: SendingClock = SendingClock(), preparesAhead: Bool = false,
    report: @escaping @Sendable (_ changes: [(ItemID, ItemState)]) -> Void
  ) {
    self.session = session
    totalLimit = session.makeLimit()
    exchanges = Exchanges(totalLimit: totalLimit)
    access = Access(tokens: tokens)
    self.time = time
    (self.hooks, self.report) = (hooks, report)
    knownServers = KnownServers(memory)
    knownDigests = digests
    tokenSource = tokens
    sentAddresses = sent
    self.clock = clock
    self.preparesAhead = preparesAhead
    jobs = JobList(waitsForServers: waitsForServers)
    scheduler = Scheduler(
      lanes: min(lanes, Self.mostLanes), waitsForServers: waitsForServers,
      waitsForPerson: waitsForPerson)
    executor.whenTurnEnds { [weak self] in self?.perform { $0.endTurn() } }
  }

  /// Performs what Dispatch has called on the engine's queue. That this is the actor is not known to the compiler.
  private nonisolated func perform(_ work: @Sendable (isolated UploadEngine) -> Void) {
    assumeIsolated(work)
  }

  nonisolated func onQueue(_ work: @escaping @Sendable (isolated UploadEngine) -> Void) {
    executor.async { self.perform(work) }
  }

  func after(
    _ seconds: Double, _ work: @escaping @Sendable (isolated UploadEngine) -> Void
  ) -> TimeSource.Timer {
    time.after(seconds, executor.queue) { [weak self, executor] in
      executor.turn { [weak self] in self?.perform(work) }
    }
  }

  /// Notes changes, which are reported at the end of this turn.
  func note(_ changes: [(ItemID, ItemState)]) { news += changes }

  /// Notes why an attempt does not count.
  func noteWithdrawal(of id: ItemID, because words: String) { withdrawals[id] = words }

  /// Fills the lanes and reports, once for all events of a turn. With small files, a block on the queue for each event
  /// would cost too much.
  private func endTurn() {
    if needsFilling { fill() }
    deliverNews()
    for work in exchange(&later, with: []) { onQueue(work) }
    // Uploads that failed while the lanes were being filled have freed lanes.
    if needsFilling { onQueue { _ in } }
  }

  private func deliverNews() {
    guard !news.isEmpty || !released.isEmpty else { return }
    let turn = takeTurn()
    guard let admission = hooks.admission else { return report(turn.changes) }
    admission(turn) { _ in }
  }

  private func takeTurn(claiming claims: [ItemID] = []) -> QueueTurn {
    defer { (released, news, hasStoppedSending, haveArrived) = ([], [], false, false) }
    var turn = QueueTurn(released: released, changes: news, claims: claims)
    if !withdrawals.isEmpty {
      // If a file does not wait again after all, nobody is told why its attempt does not count.
      let waiting = Set(news.lazy.filter { $0.1 == .waiting }.map(\.0))
      turn.withdrawals = exchange(&withdrawals, with: [:]).filter { waiting.contains($0.key) }
    }
    turn.isLast = hasStoppedSending
    if haveArrived { turn.figures = clock.figures }
    return turn
  }

  /// Returns once everything up to now is written.
  func written() async {
    guard let admission = hooks.admission else { return deliverNews() }
    let turn = takeTurn()
    await withCheckedContinuation { continuation in
      admission(turn) { _ in continuation.resume() }
    }
  }

  // MARK: Deciding

  func handle(_ event: JobMachine.Event, for id: ItemID) { handle([(id, event)]) }

  /// Feeds events to the job machines and performs their actions. Uploads that start together share an attempt.
  private func handle(_ events: [(ItemID, JobMachine.Event)]) {
    var starting: [Job] = []
    for (id, event) in events {
      guard let job = jobs[id] else { continue }
      let before = job.machine.state
      let destination = job.upload.destination
      let grows = job.beginsToGrow(in: event)
      let actions = job.machine.handle(
        grows ? .startOver(after: nil) : event, for: destination.target)
      // If somebody has stopped it meanwhile, it is not sent again.
      if grows, job.machine.state == .waiting { hooks.grew(job.upload.item) }
      for action in actions { carryOut(action, for: id, job) }
      place(id, job, from: before)
      if job.isUnderWay, job.attempt == nil { starting.append(job) }
    }
    if let number = starting.first?.current?.number { begin(Attempt(starting, number: number)) }
  }

  private func carryOut(_ action: JobMachine.Action, for id: ItemID, _ job: Job) {
    switch action {
    case .breakOff:
      let isPause = job.current?.stop == .pause
      job.attempt?.stop(id, sparing: sparesSent ? .request : isPause ? .end : .nothing)
    case .ask(let url, let seconds):
      stopTimer(of: job)
      job.timer = after(seconds) { $0.ask(about: id, at: url) }
    case .startTimer(let seconds): job.timer = after(seconds) { $0.handle(.timerFired, for: id) }
    case .report(let state):
      if let receipt = state.receipt {
        clock.recordArrival(of: job.bytesSent(receipt))
        haveArrived = true
      }
      if scheduler.isAhead(id), state == .waiting || state.isPreparing { return }
      if job.successor != nil {
        // The successor replaces this upload if this one never arrived. If this one has arrived, or may have, that is
        // reported instead, and nothing is resent.
        guard state.isFinished, state.failure?.cause != .cancelled else { return }
        job.successor = nil
      }
      note([(id, job.token?.secrets.hidden(in: state) ?? state)])
    }
  }

  private func stopTimer(of job: Job) { job.timer.take()?.cancel() }

  private func ask(about id: ItemID, at url: URL) {
    guard let job = jobs[id] else { return }
    stopTimer(of: job)
    questions.ask(about: job, at: url, on: self)
  }
}

/// Attempts: how they begin, and how they end for a file.
extension UploadEngine {
  func begin(_ attempt: Attempt) {
    for file in attempt.files { file.job.attempt = attempt }
    attempts += 1
    Task {
      await withTaskExecutorPreference(executor) { await attempt.run(on: self) }
      attempts -= 1
      if attempts == 0 { fillSoon() }
    }
  }

  /// Ends the attempts of files.
  func conclude(_ events: [(ItemID, JobMachine.Event)]) {
    for job in events.compactMap({ jobs[$0.0] }) { (job.attempt, job.draft) = (nil, nil) }
    handle(events)
  }
}

/// The interface for callers.
extension UploadEngine {
  /// Appends uploads to the line. Those in `paused` are set aside before any upload can start.
  package nonisolated func submit(_ uploads: [UploadJob], paused: Set<ItemID> = []) {
    onQueue { engine in
      engine.accept(uploads)
      for id in paused { engine.handle(.pause, for: id) }
      engine.fillSoon()
    }
  }

  private func accept(_ uploads: [UploadJob]) {
    access.notePlans(of: uploads)
    var files: [Scheduler.File] = []
    var processed: [ItemID] = []
    for upload in uploads {
      let id = upload.item.id
      if jobs.contains(id) {
        if let job = jobs[id], job.isRemoved { job.successor = upload }
        continue
      }
      add(upload)
      files.append(upload.entry())
      if upload.item.state.isProcessed { processed.append(id) }
    }
    carryOut(scheduler.add(files))
    // Servers have already accepted these files, and are asked about their state.
    for id in processed {
      guard let job = jobs[id] else { continue }
      recordPhase(of: id, job)
      carryOut(scheduler.park(id, .over))
      handle(.retry, for: id)
    }
  }

  private func add(_ upload: UploadJob) {
    jobs.add(upload)
    _ = clock.record(from: nil, to: .waiting, at: time.now())
  }

  /// Cancels uploads. Those that had not started leave the line.
  package nonisolated func cancel(_ items: [ItemID]) {
    onQueue { engine in
      engine.takeBack(items)
      items.forEach { engine.handle(.cancel, for: $0) }
    }
  }

  /// Takes uploads out of the line until `retry`. What was sent is lost unless the upload can resume. A request that the
  /// server may have already ends first if its loss would leave open what became of the upload.
  package nonisolated func pause(_ items: [ItemID]) {
    onQueue { engine in
      engine.takeBack(items)
      items.forEach { engine.handle(.pause, for: $0) }
      let spared = items.compactMap { engine.jobs[$0] }.filter {
        $0.isStopped && $0.attempt?.hasSentAll(orWillWithin: 0) == true
      }
      if !spared.isEmpty { engine.hooks.spared(spared.map(\.upload.item)) }
    }
  }

  /// Sends or resends these uploads, whether failed, retrying, waiting or paused, each at its place in line. If a
  /// server or its credentials are blocking them, the first of them is sent as a probe. `uploads` carries the current
  /// state of the files.
  package nonisolated func retry(_ uploads: [UploadJob]) {
    onQueue { engine in
      engine.access.notePlans(of: uploads)
      engine.takeBack(uploads.map(\.item.id))
      var tried: [ItemID] = []
      for upload in uploads {
        let id = upload.item.id
        engine.runs.advance(.forgot(id), of: upload.target.name, on: engine)
        engine.runs.openAgain(upload.target.name, on: engine)
        engine.folders.tryAgain(on: upload.destination.route)
        if let job = engine.jobs[id] {
          guard !job.isUnderWay, !job.isProcessed else { continue }
          engine.putBack(job)
          job.renew(upload)
          engine.carryOut(engine.scheduler.change(job.entry))
          engine.handle(.retry, for: id)
          engine.queueIfWaiting(job)
        } else {
          engine.accept([upload])
        }
        tried.append(id)
      }
      engine.carryOut(engine.scheduler.tryNow(tried, at: engine.time.now()))
      engine.fillSoon()
    }
  }

  /// Forgets uploads. Those under way are cancelled first; nothing more is reported about the others.
  package nonisolated func remove(_ items: [ItemID]) {
    onQueue { engine in
      engine.sentAddresses.forget(items)
      engine.takeBack(items)
      for id in items {
        for name in engine.runs.names { engine.runs.advance(.forgot(id), of: name, on: engine) }
        guard let job = engine.jobs[id] else { continue }
        if job.isUnderWay || job.isProcessed {
          (job.isRemoved, job.successor) = (true, nil)
          engine.handle(.cancel, for: id)
        } else {
          if job.machine.state == .finished(delivered: true) { engine.clock.startAnew() }
          engine.forget(id)
        }
      }
      if engine.jobs.isEmpty { engine.clock.startAnew() }
      engine.fillSoon()
    }
  }

  /// Moves an upload before another one in line, or to the end of the line if `other` is nil.
  package nonisolated func move(_ item: ItemID, before other: ItemID?) {
    onQueue { engine in
      engine.takeBack()
      engine.scheduler.move(item, before: other)
      engine.fillSoon()
    }
  }

  /// Arranges uploads in this order, within the places they now occupy in line.
  package nonisolated func arrange(_ order: [ItemID]) {
    onQueue { engine in
      engine.takeBack()
      engine.scheduler.arrange(order)
      engine.fillSoon()
    }
  }

  /// Keeps uploads that have not begun from starting until `update` or `retry` says how to send them. Returns those
  /// that had been claimed for a lane to come: from now on they have not begun, and need not be claimed.
  package nonisolated func hold(_ items: [ItemID]) -> [ItemID] {
    let items = Set(items)
    let waiting = ahead.remove { items.contains($0.item) }
    onQueue { engine in
      engine.exchanges.takeBack(waiting, on: engine)
      for id in items {
        guard let job = engine.jobs[id], !job.isUnderWay else { continue }
        engine.putBack(job)
        job.isHeld = true
        if job.machine.state == .waiting { engine.carryOut(engine.scheduler.park(id, .held)) }
      }
    }
    return waiting.map(\.item)
  }

  /// Changes how uploads are sent. Those under way go on as they began; if their targets have changed, the next attempts
  /// go by that.
  package nonisolated func update(_ uploads: [UploadJob]) {
    onQueue { engine in
      engine.access.notePlans(of: uploads)
      engine.takeBack(uploads.map(\.item.id))
      for upload in uploads {
        guard let job = engine.jobs[upload.item.id] else { continue }
        job.isHeld = false
        guard !job.isUnderWay else { continue }
        engine.putBack(job)
        job.update(upload)
        engine.carryOut(engine.scheduler.change(job.entry))
        engine.queueIfWaiting(job)
      }
      engine.fillSoon()
    }
  }

  /// Puts uploads back in line that were set aside because another process had removed or paused them, which has been
  /// undone, or had edited them. Whether those that are being claimed were set aside is not known yet.
  package nonisolated func putBack(setAside items: [ItemID]) {
    guard !items.isEmpty else { return }
    onQueue { engine in
      for id in items {
        guard let job = engine.jobs[id] else { continue }
        engine.putBack(job)
        guard job.isSetAside else { continue }
        job.isSetAside = false
        engine.queueIfWaiting(job)
      }
      engine.fillSoon()
    }
  }

  /// Puts an upload in line that waits, and that may have been held or set aside.
  private func queueIfWaiting(_ job: Job) {
    guard job.machine.state == .waiting, !job.isHeld, !job.isSetAside else { return }
    carryOut(scheduler.queue(job.id, attempts: job.machine.attempts))
  }

  /// Lets uploads wait whose servers asked the process before this one for it.
  package nonisolated func keepWaiting(for waits: [ServerWait]) {
    guard !waits.isEmpty else { return }
    onQueue { engine in
      for wait in waits {
        guard let origin = Origin(text: wait.address) else { continue }
        let seconds = wait.until.timeIntervalSince(engine.time.date())
        engine.carryOut(
          engine.scheduler.recordWait(
            of: [origin], until: engine.time.now() + seconds, wait.failure))
      }
    }
  }

  /// Lets uploads wait whose targets refused the credentials of the process before this one.
  package nonisolated func keepWaiting(for troubles: [String: CredentialTrouble]) {
    onQueue { $0.scheduler.recordRefusedBefore(troubles) }
  }

  /// Immediately retries servers that were unreachable, refused the credentials, or asked to wait.
  package nonisolated func tryServers() {
    onQueue { engine in
      for name in engine.runs.names {
        engine.runs.openAgain(name, on: engine)
        engine.runs.advance(.again, of: name, on: engine)
      }
      engine.folders.tryEverything()
      engine.carryOut(engine.scheduler.tryEverything(at: engine.time.now()))
      let asked = engine.jobs.all.filter(\.machine.isAskedToWait).map(\.id)
      asked.forEach { engine.handle(.retry, for: $0) }
      engine.fillSoon()
    }
  }

  /// Sets the number of concurrent requests to a target, overriding its configuration. Requests under way are
  /// not cancelled.
  package nonisolated func setConcurrency(_ count: Concurrency, of target: String) {
    onQueue { engine in
      engine.takeBack()
      let found = engine.scheduler.setConcurrency(count, of: target)
      if let found { engine.reportLanes(found, of: target) }
      engine.fillSoon()
    }
  }

  /// Keeps further uploads from starting, or lets them start again.
  package nonisolated func setStarted(_ isStarted: Bool) {
    onQueue { engine in
      if !isStarted { engine.takeBack() }
      if isStarted {
        for name in engine.runs.names { engine.runs.openAgain(name, on: engine) }
      }
      engine.start(isStarted)
      engine.fillSoon()
    }
  }

  /// Cancels uploads under way and returns when their ends have been reported. Waiting uploads are left unchanged. The
  /// engine accepts no more work. First, it waits `seconds` for the replies to uploads that the servers may have
  /// completely, or will have by then: if these were cancelled, nobody would know whether they arrived.
  package func shutDown(awaitingReplies seconds: Double = 0) async {
    takeBack()
    start(false)
    runs.keepOpen()
    if seconds > 0 { await becomeIdle(within: seconds, sparesAlmostSent: true) }
    // A command that ignores its signal must not keep the user waiting.
    await becomeIdle(within: Self.patience)
    await written()
  }

  /// How many seconds a session that ends waits for the replies to what servers may have already.
  package static let replyPatience = 5.0

  /// Cancels the uploads under way, if `sparesAlmostSent` only those that will not have left by the end of the time, and
  /// returns once nothing is under way or the time is up.
  private func becomeIdle(within seconds: Double, sparesAlmostSent: Bool = false) async {
    var limit: TimeSource.Timer?
    sparesSent = sparesAlmostSent
    await withCheckedContinuation { continuation in
      whenIdle = continuation
      for job in attempts > 0 ? Array(jobs.all) : [] {
        guard let attempt = job.attempt,
          !(sparesAlmostSent && attempt.hasSentAll(orWillWithin: seconds * Self.shareToLeave))
        else { continue }
        handle(.cancel, for: job.id)
      }
      fillSoon()
      limit = after(seconds) { $0.whenIdle.take()?.resume() }
    }
    limit?.cancel()
    sparesSent = false
  }

  /// The part of the wait for a reply in which the rest of the upload must leave.
  private static let shareToLeave = 0.7
  /// How long to wait for cancelled uploads to end, in seconds.
  private static let patience = 3.0

  /// Sets the limit on the total rate, in bytes per second; nil means no limit. It applies at once to requests under
  /// way.
  package nonisolated func setLimit(_ bytesPerSecond: Int64?) { totalLimit.set(bytesPerSecond) }

  /// Tells whether the engine may get more files. As long as it may, no run ends.
  package nonisolated func setAwaitsMore(_ awaitsMore: Bool) {
    onQueue { engine in
      engine.runs.setAwaitsMore(awaitsMore)
      if engine.clock.setAwaitsMore(awaitsMore, at: engine.time.now()) {
        engine.hooks.figures(engine.clock.figures)
      }
      engine.fillSoon()
    }
  }

  /// Takes over a run that an earlier process has begun. The target is nil if it cannot be used now.
  package nonisolated func adopt(
    _ point: RunPoint, failed: Set<ItemID>, of name: String, _ destination: SendPlan?
  ) {
    onQueue { $0.runs.adopt(point, failed: failed, of: name, destination, on: $0) }
  }

  /// Returns once no run is about to end. Runs that cannot end yet stay open.
  package func runsHaveEnded() async { await runs.haveEnded(on: self) }

  /// Ends a target's run now that all its files are finished, and reports the result, or that there was no run. If the
  /// user has stopped sending, the run stays open.
  package nonisolated func endRun(of target: String, hasFailed: Bool, wasStopped: Bool) {
    onQueue { $0.runs.end(target, hasFailed: hasFailed, wasStopped: wasStopped, on: $0) }
  }

  /// Asks servers to delete their parts of uploads that are no longer wanted. The caller stops uploads that are under
  /// way.
  package nonisolated func terminate(_ uploads: [UploadJob]) {
    onQueue { engine in
      for upload in uploads where upload.target.resume.isOn {
        let job = engine.jobs[upload.item.id]
        guard let point = job?.resumePoint ?? upload.item.resumePoint,
          point.target == upload.target.name
        else { continue }
        job?.resumePoint = nil
        engine.terminate(point, of: upload)
      }
    }
  }
}

/// Carries out what `Scheduler` decides, and tells it what happens.
extension UploadEngine {
  /// Fills the lanes once this turn's events have been handled. Filling them immediately would recurse through the
  /// whole line if every file failed at once. It would also start files singly when several of them come back together.
  func fillSoon() { needsFilling = true }

  private func fill() {
    needsFilling = false
    beginThoseAhead()
    fillLanes()
    widen()
    carryOut(scheduler.reportPaces(at: time.now()))
    for (target, lanes) in scheduler.recordIdleLanes(at: time.now()) {
      reportLanes(lanes, of: target)
    }
    runs.endIdle(on: self)
    if attempts == 0, openClaims == 0, runs.endings == 0 { whenIdle.take()?.resume() }
  }

  /// Starts whatever has a free lane. All of it is claimed at once, since each claim waits for the disk.
  private func fillLanes() {
    carryOut(scheduler.giveUps(at: time.now()))
    var requests: [[ItemID]] = []
    while scheduler.mayStart {
      let (files, actions) = scheduler.next(at: time.now())
      carryOut(actions)
      guard !files.isEmpty else { break }
      runs.begin(with: files.compactMap { jobs[$0] }, on: self)
      requests.append(files)
    }
    guard !requests.isEmpty else { return }
    lastClaim &+= 1
    let (claim, files) = (lastClaim, requests.flatMap(\.self))
    for file in files { jobs[file]?.claim = claim }
    guard let admission = hooks.admission else {
      deliverNews()
      return start(requests, of: claim, admitted: Set(files))
    }
    openClaims += 1
    admission(takeTurn(claiming: files)) { [weak self, requests] admitted in
      self?.onQueue { $0.start(requests[...], of: claim, admitted: admitted) }
    }
    later.append { $0.draft(files[...], of: claim) }
  }

  /// Makes the requests of claimed files while the claim is being written, a few in each turn.
  private func draft(_ files: ArraySlice<ItemID>, of claim: UInt32) {
    let next = files.prefix(Self.mostStarts)
    for job in next.compactMap({ jobs[$0] }) where job.claim == claim {
      job.draft = Attempt.draft(of: job, on: self)
    }
    let rest = files[next.endIndex...]
    if !rest.isEmpty { later.append { $0.draft(rest, of: claim) } }
  }

  /// Starts the files that may start, a few in each turn: what has ended meanwhile is written, and lanes are filled
  /// again, before all of them are prepared.
  private func start(
    _ requests: ArraySlice<[ItemID]>, of claim: UInt32, admitted: Set<ItemID>?
  ) {
    let next = requests.prefix(Self.mostStarts)
    start(Array(next), of: claim, admitted: admitted)
    guard next.endIndex < requests.endIndex else {
      openClaims -= 1
      return fillSoon()
    }
    let rest = requests[next.endIndex...]
    later.append { $0.start(rest, of: claim, admitted: admitted) }
  }

  /// How many claimed requests are made, or start, in one turn.
  private static let mostStarts = 16

  /// Starts the files that may start. What has happened to a file since it was claimed takes precedence.
  private func start(_ requests: [[ItemID]], of claim: UInt32, admitted: Set<ItemID>?) {
    if admitted == nil {
      takeBack()
      start(false)
    }
    for files in requests {
      let claimed = files.compactMap { jobs[$0] }.filter { $0.claim == claim }
      let starting = scheduler.isStarted ? claimed.filter { admitted?.contains($0.id) == true } : []
      if starting.isEmpty { runs.leaveUnopened(claimed, on: self) }
      for job in claimed {
        if admitted?.contains(job.id) == false {
          (job.claim, job.draft) = (nil, nil)
          setAside(job)
        } else if starting.isEmpty {
          // Nothing was claimed if nothing could be written.
          if admitted == nil { (job.claim, job.draft) = (nil, nil) }
          giveUpClaim(of: job)
          carryOut(scheduler.recordNotStarted([job.id]))
        } else {
          job.claim = nil
        }
      }
      handle(starting.map { ($0.id, .start) })
    }
  }

  /// Sets a file aside that another process has removed, paused or edited, until `remove`, `pause`, `update`, `retry` or
  /// `putBack(setAside:)` says what has become of it.
  private func setAside(_ job: Job) {
    job.isSetAside = true
    runs.leaveUnopened([job], on: self)
    carryOut(scheduler.park(job.id, .held))
  }

  /// Lets a file that has been claimed, or is about to be, wait in line instead.
  private func putBack(_ job: Job) {
    guard job.claim != nil else { return }
    giveUpClaim(of: job)
    runs.leaveUnopened([job], on: self)
    carryOut(scheduler.recordNotStarted([job.id]))
  }

  private func giveUpClaim(of job: Job) {
    guard job.claim != nil else { return }
    (job.claim, job.draft) = (nil, nil)
    release(job.id)
  }

  /// Has the owner know that a file was claimed but has not begun.
  func release(_ id: ItemID) { if hooks.admission != nil { released.append(id) } }

  /// Uses lanes that no file waits for to send more pieces of an upload at the same time.
  private func widen() {
    var goesOn = true
    while goesOn {
      goesOn = false
      widening.removeAll { !$0.wantsMore }
      for conversation in widening.sorted(by: { $0.id < $1.id }) where conversation.wantsMore {
        guard scheduler.takeLane(beside: conversation.id, at: time.now()) else { continue }
        goesOn = true
        conversation.sendMore(on: self)
      }
    }
  }

  /// Adapts the lanes of an upload in several requests to how many it has under way.
  func adaptLanes(to width: Int, of conversation: Conversation) {
    if scheduler.giveBackLanes(of: conversation.id, but: width) { fillSoon() }
    guard conversation.wantsMore else { return }
    if !widening.contains(where: { $0 === conversation }) { widening.append(conversation) }
    fillSoon()
  }

  /// Passes what happened to a file's request to the tuner of its target. `why` is what the server answered, if that
  /// speaks against the number of lanes.
  func tune(
    for id: ItemID, because why: String? = nil, at now: Instant,
    _ event: (inout ConcurrencyTuner, _ underWay: Int) -> Void
  ) {
    guard let (target, lanes, isFewer) = scheduler.tune(for: id, because: why, at: now, event)
    else { return }
    if isFewer { takeBack { $0.route.target == target } }
    reportLanes(lanes, of: target)
    fillSoon()
  }

  private func reportLanes(_ lanes: Int, of target: String) {
    hooks.lanes(target, lanes, scheduler.laneFall(of: target))
  }

  func isTuned(for id: ItemID) -> Bool { scheduler.isTuned(for: id) }

  /// Tells the scheduler something, and carries out what follows from it.
  func schedule(_ event: (inout Scheduler) -> [Scheduler.Action]) { carryOut(event(&scheduler)) }

  private func carryOut(_ actions: [Scheduler.Action]) {
    for action in actions {
      switch action {
      case .wake(let instant): wake(at: instant)
      case .renew(let route, let command): access.renew(route, with: command, on: self)
      case .fail(let file, let failure): handle(.fail(failure), for: file)
      case .giveUp(let files, let why): handle(files.map { ($0, .giveUp(because: why)) })
      case .server(let origin, let news): hooks.outage(origin, news)
      case .refusal(let target, let trouble): hooks.refusal(target, trouble)
      case .pace(let target, let until): hooks.pace(target, until)
      }
    }
  }

  private func wake(at instant: Instant) {
    if let wakeUp, wakeUp <= instant { return }
    wakeUp = instant
    let delay = max(0, instant - time.now()) + 0.001
    _ = after(delay) { engine in
      guard engine.wakeUp == instant else { return }
      engine.wakeUp = nil
      engine.fillSoon()
    }
  }

  /// Updates an upload's place in line to match its state.
  private func place(_ id: ItemID, _ job: Job, from before: JobMachine.State) {
    let state = job.machine.state
    guard state != before, !(before.isProcessing && state.isProcessing) else { return }
    giveUpClaim(of: job)
    if before == .retrying || before.isProcessing { stopTimer(of: job) }
    letGo(of: job)
    runs.noteEnd(of: job, on: self)
    recordPhase(of: id, job)
    if case .attempting = before, let plan = access.replacement(of: job.upload.destination) {
      job.replacePlan(with: plan)
      carryOut(scheduler.change(job.entry))
    }
    switch state {
    case .attempting: return
    case .waiting where job.isHeld || job.isSetAside: carryOut(scheduler.park(id, .held))
    case .waiting: carryOut(scheduler.queue(id, attempts: job.machine.attempts))
    case .retrying: carryOut(scheduler.park(id, .backOff))
    // Nothing more is sent for the file, so it must not hold up others.
    case .processing: carryOut(scheduler.park(id, .over))
    case .paused: carryOut(scheduler.park(id, .held))
    case .finished(let isDelivered):
      job.forgetCookies()
      if !isDelivered { names.release(id) }
      if job.isRemoved { replace(id, job) } else { carryOut(scheduler.park(id, .over)) }
    }
    fillSoon()
  }

  /// Closes the file of an upload that is over or paused. The file of an upload that waits for another attempt stays
  /// open, since it may be renamed in the meantime. But it is closed if too many others are open for this reason.
  private func letGo(of job: Job) {
    if job.holdsFileOpen {
      job.holdsFileOpen = false
      openFiles -= 1
    }
    guard job.file != nil else { return }
    switch job.machine.state {
    case .attempting: break
    case .waiting, .retrying:
      if openFiles < scheduler.laneCount {
        job.holdsFileOpen = true
        openFiles += 1
      } else {
        job.file = nil
      }
    case .processing, .paused, .finished: job.file = nil
    }
  }

  /// Replaces a removed upload with the one that has since been submitted under its identifier, if any.
  private func replace(_ id: ItemID, _ job: Job) {
    guard let successor = job.successor else { return forget(id) }
    add(successor)
    carryOut(scheduler.change(successor.entry()) + scheduler.queue(id, attempts: 0))
    note([(id, .waiting)])
  }

  private func forget(_ id: ItemID) {
    if let job = jobs[id] {
      giveUpClaim(of: job)
      stopTimer(of: job)
      if job.holdsFileOpen { openFiles -= 1 }
      runs.leaveUnopened([job], on: self)
      jobs.remove(id)
      recordPhase(nil, of: job)
    }
    carryOut(scheduler.remove(id))
  }

  // MARK: Figures

  /// What has been sent so far, and how long that took.
  package var figures: SendingFigures { clock.figures }

  /// The most requests that were under way at once.
  package var mostLanesUsed: Int { scheduler.mostTaken }

  private func recordPhase(of id: ItemID, _ job: Job) {
    let phase: SendingClock.Phase? =
      switch job.machine.state {
      case .waiting, .retrying: .waiting
      case .attempting: scheduler.isAhead(id) ? .waiting : .underWay
      case .processing: .underWay
      case .paused: .paused
      case .finished: nil
      }
    recordPhase(phase, of: job)
  }

  private func recordPhase(_ phase: SendingClock.Phase?, of job: Job) {
    guard phase != job.phase else { return }
    let hasStopped = clock.record(from: job.phase, to: phase, at: time.now())
    job.phase = phase
    guard hasStopped else { return }
    hasStoppedSending = true
    hooks.figures(clock.figures)
  }

  /// Lets files begin, or keeps them from it.
  private func start(_ isStarted: Bool) {
    if clock.setStarted(isStarted, at: time.now()) { hooks.figures(clock.figures) }
    carryOut(scheduler.setStarted(isStarted))
  }
}

/// What attempts ask and tell.
extension UploadEngine {
  /// The cookies of an upload: those of its run, or else its own.
  func cookies(of job: Job) -> CookieJar {
    guard job.upload.destination.needs.run else { return job.cookies }
    return runs.cookies(of: job.upload.target.name) ?? job.cookies
  }

  /// Takes an address for a file that is about to be sent there. Returns why it cannot have the address.
  func claim(_ url: URL, for job: Job) -> Failure.Cause? {
    let destination = job.upload.destination
    return sentAddresses.claim(
      url.absoluteString, for: job.upload.item, of: destination.target,
      hiding: destination.addressSecrets, isNew: hooks.keepingAddress)
  }

  /// When the first attempt at an upload began.
  func beginning(of id: ItemID) -> Instant? { jobs[id]?.begin }

  func isAhead(_ id: ItemID) -> Bool { scheduler.isAhead(id) }

  /// Gives a lane to an upload whose request was prepared ahead and begins now.
  func recordBegun(_ id: ItemID) {
    guard scheduler.isAhead(id), let job = jobs[id], let current = job.current else { return }
    scheduler.recordBegun(id)
    recordPhase(of: id, job)
    note([(id, .preparing(attempt: current.number))])
  }

  /// Has files sent in groups, each in a request of its own.
  func group(_ groups: [[ItemID]]) { for members in groups { scheduler.group(members) } }

  /// Whether several files are only asked about, since fewer of them fit in one request than in one question.
  func mayOnlyAsk(about ids: [ItemID]) -> Bool {
    ids.count > 1 && ids.allSatisfy { scheduler.mostAsked(with: $0) > 1 }
  }

  /// Whether the server has said that it has none of these files. An attempt that asks this is the one that uses it.
  func takeKnownMissing(_ ids: [ItemID]) -> Bool {
    defer { for id in ids { scheduler.setKnownMissing(false, of: id) } }
    return ids.allSatisfy { scheduler.isKnownMissing($0) }
  }

  func recordMissing(_ id: ItemID) { scheduler.setKnownMissing(true, of: id) }

  /// Whether one of these files was sent again with a newer token.
  func wereAuthorizedAgain(_ ids: [ItemID]) -> Bool {
    ids.contains { jobs[$0]?.wasAuthorizedAgain == true }
  }

  /// Lets the uploads of a route be sent once more with yet another token.
  func forgetSecondTime(on route: Route) {
    for job in jobs.all where job.route == route { job.wasAuthorizedAgain = false }
  }

  /// Whether files for a target wait in line.
  func hasWaiting(for target: String) -> Bool { jobs.hasWaiting(for: target) }

  /// Whether a server is still at work on a file of a target.
  func hasProcessing(for target: String) -> Bool {
    jobs.all.contains { $0.isProcessed && $0.upload.target.name == target }
  }
}

extension JobMachine.State {
  fileprivate var isProcessing: Bool { if case .processing = self { true } else { false } }
}
