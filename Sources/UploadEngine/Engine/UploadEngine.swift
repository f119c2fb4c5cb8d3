import Dispatch
import Foundation
import HTTPTransport
import JSONText
import MultipartForm
import Synchronization
import UploadModel

/// Runs several uploads at once on one Dispatch queue, and reports their states.
///
/// The engine executes: `Scheduler` decides what is sent next, and `JobMachine` what happens to it. The engine knows
/// nothing about its listeners. All methods can be called from anywhere and take effect in the order of the calls.
package actor UploadEngine {
  /// The most uploads that run at once.
  package static let mostLanes = Target.concurrencyRange.upperBound

  private nonisolated let executor = QueueExecutor(label: "hoist.engine")
  private let time: TimeSource
  private let hooks: EngineHooks
  private let report: @Sendable ([(ItemID, ItemState)]) -> Void
  private var news: [(ItemID, ItemState)] = []
  /// The runs of the targets that have requests before their first file or after their last, by the targets' names.
  private var runs: [String: Run] = [:]
  /// Resumed once no run is about to end.
  private var whenRunsHaveEnded: CheckedContinuation<Void, Never>?
  /// Whether more files may come. As long as they may, no run ends.
  private var awaitsMore = false
  private let session: UploadSession
  private nonisolated let inbox = NewsInbox()
  nonisolated let ahead = RequestsAhead()
  private let preparesAhead: Bool
  /// Parses replies, so that they do not hold up the engine's queue, which also handles keys and signals.
  nonisolated let replyQueue = DispatchQueue(label: "hoist.replies", qos: .userInitiated)

  private var jobs: [ItemID: Job] = [:]
  private(set) var transfers: [Int: Transfer] = [:]
  private var steps: [Int: Step] = [:]
  private var lastStep = 0
  /// The prepared uploads of the attempts under way.
  private var ready: [ItemID: PreparedUpload] = [:]
  private let knownDigests: (any DigestMemory)?
  /// The needs of the target of the latest upload. Most other uploads have the same target.
  private var needs: (target: Boxed<Target>, found: Target.Needs)?
  private var scheduler: Scheduler
  private var clock = SendingClock()
  private let tokenSource: TokenSource
  /// The token in force on each route.
  private var tokens: [Route: BearerToken] = [:]
  private var knownServers: KnownServers
  /// Uploads that could send more pieces at once if lanes were free.
  private var widening: Set<ItemID> = []
  /// When the scheduler will next be asked, at the latest.
  private var wakeUp: Instant?
  /// Servers that did not answer `Expect: 100-continue`. It is not sent to them again.
  private var deafToExpect: Set<Origin> = []
  /// Whether the lanes must be filled at the end of this turn.
  private var needsFilling = false
  /// The questions about files that servers have accepted, by server.
  private var questions: [Origin: Questions] = [:]
  /// The addresses that files were sent to, in this run and those that it belongs to.
  package private(set) var sentAddresses: SentAddresses
  /// Uploads that wait for another attempt and hold their files open.
  private var waitingFiles: Set<ItemID> = []
  private var watchdog: TimeSource.Timer?
  /// Resumed once nothing is under way.
  private var whenIdle: CheckedContinuation<Void, Never>?
  /// The limit on the total rate, and then the limits of single targets, by their names.
  private nonisolated let totalLimit: BandwidthLimit
  private var targetLimits: [String: BandwidthLimit] = [:]

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
  ///   - sent: the addresses that earlier runs have sent files to, which this one continues.
  ///   - preparesAhead: whether a lane's next request is prepared before its current one ends. That keeps the lanes
  ///     fuller with small files; in return, uploads are admitted some time before they begin.
  ///   - report: called with every change, in order, on the engine's queue. Progress is reported at most forty times a
  ///     second per item, everything else at once.
  package init(
    lanes: Int = mostLanes, time: TimeSource = .system, session: UploadSession = .shared,
    waitsForServers: Bool = false, waitsForPerson: Bool? = nil, hooks: EngineHooks = EngineHooks(),
    memory: (any ResumeMemory)? = nil, digests: (any DigestMemory)? = nil,
    tokens: TokenSource = TokenSource(), sent: SentAddresses = SentAddresses(),
    preparesAhead: Bool = false,
    report: @escaping @Sendable (_ changes: [(ItemID, ItemState)]) -> Void
  ) {
    self.session = session
    totalLimit = session.makeLimit()
    self.time = time
    (self.hooks, self.report) = (hooks, report)
    knownServers = KnownServers(memory)
    knownDigests = digests
    tokenSource = tokens
    sentAddresses = sent
    self.preparesAhead = preparesAhead
    scheduler = Scheduler(
      lanes: min(lanes, Self.mostLanes), waitsForServers: waitsForServers,
      waitsForPerson: waitsForPerson)
    executor.whenTurnEnds { [weak self] in self?.assumeIsolated { $0.endTurn() } }
  }

  private nonisolated func onQueue(_ work: @escaping @Sendable (isolated UploadEngine) -> Void) {
    executor.async { self.assumeIsolated { work($0) } }
  }

  private func after(
    _ seconds: Double, _ work: @escaping @Sendable (isolated UploadEngine) -> Void
  ) -> TimeSource.Timer {
    time.after(seconds, executor.queue) { [weak self, executor] in
      executor.turn { [weak self] in self?.assumeIsolated { work($0) } }
    }
  }

  /// Reports changes at the end of this turn.
  private func tell(_ changes: [(ItemID, ItemState)]) { news += changes }

  /// Fills the lanes and reports, once for all events of a turn. With small files, a block on the queue for each event
  /// would cost too much.
  private func endTurn() {
    if needsFilling { fill() }
    deliverNews()
    // Uploads that failed while the lanes were being filled have freed lanes.
    if needsFilling { onQueue { _ in } }
  }

  private func deliverNews() {
    guard !news.isEmpty else { return }
    let told = news
    news = []
    report(told)
  }

  // MARK: Deciding

  private func handle(_ event: JobMachine.Event, for id: ItemID) { handle([(id, event)]) }

  /// Feeds events to the job machines and performs their actions. Uploads that start together and go to the
  /// same address are sent in one request.
  private func handle(_ events: [(ItemID, JobMachine.Event)]) {
    var sent: [ItemID] = []
    var how: Sending?
    for (id, event) in events {
      guard let job = jobs[id] else { continue }
      let before = job.machine.state
      let actions =
        job.beginsToGrow(in: event)
        ? job.machine.handle(.startOver(after: nil), for: job.upload.target)
        : job.machine.handle(event, for: job.upload.target)
      for action in actions {
        if case .send(let url, let attempt, let keepsCredentials) = action {
          sent.append(id)
          how = Sending(url: url, attempt: attempt, keepsCredentials: keepsCredentials)
        } else {
          perform(action, for: id)
        }
      }
      place(id, job, from: before)
    }
    if let how { send(sent, how) }
  }

  private func perform(_ action: JobMachine.Action, for id: ItemID) {
    switch action {
    case .send: break
    case .breakOff:
      for task in jobs[id]?.tasks ?? [] {
        // A step is cancelled once all of its uploads have been taken back.
        if let step = steps[task], !step.isFinal, step.items.allSatisfy(isTakenBack) {
          step.task.cancel()
        }
        transfers[task]?.record(of: id) { $0.isStopped = true }
        if transfers[task]?.mayBreakOff == true { transfers[task]?.task.cancel() }
      }
    case .ask(let url, let seconds): ask(id, at: url, after: seconds)
    case .startTimer(let seconds):
      jobs[id]?.timer = after(seconds) { $0.handle(.timerFired, for: id) }
    case .report(let state):
      if let receipt = state.receipt {
        clock.recordArrival(of: jobs[id]?.bytesSent(receipt) ?? 0)
      }
      if scheduler.isAhead(id), state == .waiting || state.isPreparing { return }
      if let job = jobs[id], job.successor != nil {
        // The successor replaces this upload if this one never arrived. If this one has arrived, or may have, that is
        // reported instead, and nothing is resent.
        guard state.isFinished, state.failure?.cause != .cancelled else { return }
        job.successor = nil
      }
      tell([(id, jobs[id]?.token?.secrets.hidden(in: state) ?? state)])
    }
  }

  private func stopTimer(of id: ItemID) {
    jobs[id]?.timer.take()?.cancel()
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
    var files: [Scheduler.File] = []
    for upload in uploads {
      let id = upload.item.id
      if let job = jobs[id] {
        if job.isRemoved { job.successor = upload }
        continue
      }
      let job = Job(upload, waitsForServers: scheduler.waitsForServers)
      jobs[id] = job
      recordPhase(of: id, job)
      files.append(job.entry)
    }
    perform(scheduler.add(files))
    // Servers have already accepted these files, and are asked about their state.
    for file in files where jobs[file.id]?.isProcessed == true {
      perform(scheduler.park(file.id, .over))
      handle(.retry, for: file.id)
    }
  }

  /// Cancels uploads. Those that had not started leave the line.
  package nonisolated func cancel(_ items: [ItemID]) {
    onQueue { engine in items.forEach { engine.handle(.cancel, for: $0) } }
  }

  /// Takes uploads out of the line until `retry`. Their progress is lost.
  package nonisolated func pause(_ items: [ItemID]) {
    onQueue { engine in items.forEach { engine.handle(.pause, for: $0) } }
  }

  /// Sends or resends these uploads, whether failed, retrying, waiting or paused, each at its place in line. If a
  /// server or its credentials are blocking them, the first of them is sent as a probe. `uploads` carries the current
  /// state of the files.
  package nonisolated func retry(_ uploads: [UploadJob]) {
    onQueue { engine in
      var tried: [ItemID] = []
      for upload in uploads {
        let id = upload.item.id
        engine.handle(.forgot(id), of: upload.target.name)
        engine.openAgain(upload.target.name)
        if let job = engine.jobs[id] {
          guard !job.isUnderWay, !job.isProcessed else { continue }
          job.renew(upload)
          engine.perform(engine.scheduler.change(job.entry))
          engine.handle(.retry, for: id)
        } else {
          engine.accept([upload])
        }
        tried.append(id)
      }
      engine.perform(engine.scheduler.tryNow(tried, at: engine.time.now()))
      engine.fillSoon()
    }
  }

  /// Forgets uploads. Those under way are cancelled first; nothing more is reported about the others.
  package nonisolated func remove(_ items: [ItemID]) {
    onQueue { engine in
      for id in items {
        for name in engine.runNames { engine.handle(.forgot(id), of: name) }
        guard let job = engine.jobs[id] else { continue }
        if job.isUnderWay || job.isProcessed {
          (job.isRemoved, job.successor) = (true, nil)
          engine.handle(.cancel, for: id)
        } else {
          if job.phase == nil { engine.clock.startAnew() }
          engine.forget(id)
        }
      }
      engine.fillSoon()
    }
  }

  /// Moves an upload before another one in line, or to the end of the line if `other` is nil.
  package nonisolated func move(_ item: ItemID, before other: ItemID?) {
    onQueue { engine in
      engine.scheduler.move(item, before: other)
      engine.fillSoon()
    }
  }

  /// Arranges uploads in this order, within the places they now occupy in line.
  package nonisolated func arrange(_ order: [ItemID]) {
    onQueue { engine in engine.scheduler.arrange(order) }
  }

  /// Keeps uploads that are not under way from starting until `update` or `retry` says how to send them.
  package nonisolated func hold(_ items: [ItemID]) {
    onQueue { engine in
      for id in items {
        guard let job = engine.jobs[id], !job.isUnderWay else { continue }
        job.isHeld = true
        if job.machine.state == .waiting { engine.perform(engine.scheduler.park(id, .held)) }
      }
    }
  }

  /// Changes how uploads that are not under way are sent.
  package nonisolated func update(_ uploads: [UploadJob]) {
    onQueue { engine in
      for upload in uploads {
        guard let job = engine.jobs[upload.item.id] else { continue }
        job.isHeld = false
        guard !job.isUnderWay else { continue }
        job.update(upload)
        engine.perform(engine.scheduler.change(job.entry))
        guard job.machine.state == .waiting else { continue }
        // The upload may have been held.
        engine.perform(engine.scheduler.queue(upload.item.id, attempts: job.machine.attempts))
      }
      engine.fillSoon()
    }
  }

  /// Immediately retries servers that were unreachable or that refused the credentials.
  package nonisolated func tryServers() {
    onQueue { engine in
      for name in engine.runNames {
        engine.openAgain(name)
        engine.handle(.again, of: name)
      }
      engine.perform(engine.scheduler.tryEverything(at: engine.time.now()))
      engine.fillSoon()
    }
  }

  /// Sets the number of concurrent requests to a target, overriding its configuration. Requests under way are
  /// not cancelled.
  package nonisolated func setConcurrency(_ count: Int, of target: String) {
    onQueue { engine in
      engine.takeBack()
      engine.scheduler.setConcurrency(count, of: target)
      engine.fillSoon()
    }
  }

  /// Keeps further uploads from starting, or lets them start again.
  package nonisolated func setStarted(_ isStarted: Bool) {
    onQueue { engine in
      if !isStarted { engine.takeBack() }
      if isStarted { for name in engine.runNames { engine.openAgain(name) } }
      engine.start(isStarted)
      engine.fillSoon()
    }
  }

  /// Cancels uploads under way and returns when their ends have been reported. Waiting uploads are left unchanged. The
  /// engine accepts no more work. First, it waits `seconds` for the replies to uploads that have been handed over
  /// completely: if these were cancelled, nobody would know whether they arrived.
  package func shutDown(awaitingReplies seconds: Double = 0) async {
    takeBack()
    start(false)
    if seconds > 0 { await becomeIdle(within: seconds, sparesHandedOver: true) }
    // A command that ignores its signal must not keep the user waiting.
    await becomeIdle(within: Self.patience)
    deliverNews()
  }

  /// Cancels the uploads under way, if `sparesHandedOver` only those that have not been handed over completely, and
  /// returns once nothing is under way or the time is up.
  private func becomeIdle(within seconds: Double, sparesHandedOver: Bool = false) async {
    var limit: TimeSource.Timer?
    await withCheckedContinuation { continuation in
      whenIdle = continuation
      for (id, job) in jobs {
        let isSpared = job.tasks.allSatisfy { transfers[$0]?.hasSentAll == true }
        if !job.tasks.isEmpty, !(sparesHandedOver && isSpared) { handle(.cancel, for: id) }
      }
      fillSoon()
      limit = after(seconds) { $0.whenIdle.take()?.resume() }
    }
    limit?.cancel()
  }

  /// How long to wait for cancelled uploads to end, in seconds.
  private static let patience = 3.0
}

/// Carries out what `Scheduler` decides, and tells it what happens.
extension UploadEngine {
  /// Fills the lanes once this turn's events have been handled. Filling them immediately would recurse through the whole
  /// line if every file failed at once. It would also start files singly when several of them come back together.
  private func fillSoon() { needsFilling = true }

  private func fill() {
    needsFilling = false
    beginThoseAhead()
    fillLanes()
    widen()
    endRuns()
    if !runs.values.contains(where: \.isEnding) { whenRunsHaveEnded.take()?.resume() }
    if transfers.isEmpty, steps.isEmpty { whenIdle.take()?.resume() }
  }

  private func fillLanes() {
    perform(scheduler.giveUps(at: time.now()))
    while scheduler.mayStart {
      let (files, actions) = scheduler.next(at: time.now())
      perform(actions)
      guard !files.isEmpty else { return }
      beginRun(with: files)
      // The admission depends on how the last attempts ended.
      deliverNews()
      guard let admitted = hooks.admission(files) else {
        takeBack()
        leaveUnopened(files)
        start(false)
        return perform(scheduler.recordNotStarted(files))
      }
      if admitted.isDisjoint(with: files) { leaveUnopened(files) }
      for file in files where !admitted.contains(file) { forget(file) }
      handle(files.filter(admitted.contains).map { ($0, .start) })
    }
  }

  private func perform(_ actions: [Scheduler.Action]) {
    for action in actions {
      switch action {
      case .wake(let instant): wake(at: instant)
      case .renew(let route, let command): renew(route, with: command)
      case .fail(let file, let failure): handle(.fail(failure), for: file)
      case .giveUp(let files, let why): handle(files.map { ($0, .giveUp(because: why)) })
      case .server(let origin, let news): hooks.outage(origin, news)
      case .refusal(let target, let trouble): hooks.refusal(target, trouble)
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
    if before == .retrying || before.isProcessing { stopTimer(of: id) }
    letGo(of: id, job)
    recordInRun(id, job)
    recordPhase(of: id, job)
    switch state {
    case .running: return
    case .waiting where job.isHeld: perform(scheduler.park(id, .held))
    case .waiting: perform(scheduler.queue(id, attempts: job.machine.attempts))
    case .retrying: perform(scheduler.park(id, .backOff))
    // Nothing more is sent for the file, so it must not hold up others.
    case .processing: perform(scheduler.park(id, .over))
    case .paused: perform(scheduler.park(id, .held))
    case .finished:
      if job.isRemoved { replace(id, job) } else { perform(scheduler.park(id, .over)) }
    }
    ready[id] = nil
    fillSoon()
  }

  /// Closes the file of an upload that is over or paused. The file of an upload that waits for another attempt stays
  /// open, since it may be renamed in the meantime. But it is closed if too many others are open for this reason.
  private func letGo(of id: ItemID, _ job: Job) {
    guard job.file != nil else { return }
    waitingFiles.remove(id)
    switch job.machine.state {
    case .running: break
    case .waiting, .retrying:
      if waitingFiles.count < scheduler.laneCount {
        waitingFiles.insert(id)
      } else {
        job.file = nil
      }
    case .processing, .paused, .finished: job.file = nil
    }
  }

  /// Replaces a removed upload with the one that has since been submitted under its identifier, if any.
  private func replace(_ id: ItemID, _ job: Job) {
    guard let successor = job.successor else { return forget(id) }
    let job = Job(successor, waitsForServers: scheduler.waitsForServers)
    jobs[id] = job
    recordPhase(of: id, job)
    perform(scheduler.change(job.entry) + scheduler.queue(id, attempts: 0))
    tell([(id, .waiting)])
  }

  private func forget(_ id: ItemID) {
    stopTimer(of: id)
    waitingFiles.remove(id)
    leaveUnopened([id])
    if let job = jobs.removeValue(forKey: id) { recordPhase(nil, of: job) }
    perform(scheduler.remove(id))
  }

  // MARK: Figures

  /// What has been sent so far, and how long that took.
  package var figures: SendingFigures { clock.figures }

  private func recordPhase(of id: ItemID, _ job: Job) {
    let phase: SendingClock.Phase? =
      switch job.machine.state {
      case .waiting, .retrying: .waiting
      case .running: scheduler.isAhead(id) ? .waiting : .underWay
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
    if hasStopped { hooks.figures(clock.figures) }
  }

  /// Lets files begin, or keeps them from it.
  private func start(_ isStarted: Bool) {
    if clock.setStarted(isStarted, at: time.now()) { hooks.figures(clock.figures) }
    perform(scheduler.setStarted(isStarted))
  }

  // MARK: Servers

  /// Records whether the server could be reached, by a request that went to `reached`. Returns whether the attempt
  /// counts: it does not if the engine waits for servers and the attempt never reached one, which is not the file's
  /// fault. `leadsElsewhere` says that a redirect to another server will be followed.
  private func learn(
    from contact: Contact, at reached: Origin?, of id: ItemID, leadsElsewhere: Bool = false
  ) -> Bool {
    guard let origin = jobs[id]?.route.origin else { return true }
    // An engine that waits for servers also waits for one that the target's own server redirects to.
    if case .unreachable(let trouble, let sentAll) = contact,
      reached == origin || scheduler.waitsForServers
    {
      perform(
        scheduler.recordUnreachable(
          by: id, Failure(trouble), at: time.now(), random: time.random()))
      if case .unreachable = trouble, sentAll { return true }
      return !scheduler.waitsForServers
    }
    // It is not yet known whether the server that the redirect leads to can be reached.
    if reached == origin, leadsElsewhere { return true }
    if reached != origin || contact != .none { perform(scheduler.recordReached(origin)) }
    return true
  }
}

/// Requests: start, progress and end.
extension UploadEngine {
  private func send(_ ids: [ItemID], _ how: Sending) {
    let start = time.now()
    var uploads: [UploadJob] = []
    for id in ids {
      guard let job = jobs[id] else { continue }
      let (begin, deadline) = (job.begin ?? start, job.upload.target.deadline ?? .infinity)
      if !scheduler.isAhead(id) { job.begin = begin }
      if start - begin > deadline {
        leaveOut([id], .outOfTime(seconds: deadline))
      } else {
        job.openGrowing()
        uploads.append(job.upload)
      }
    }
    let left = uploads.map(\.item.id)
    if opensRun(left, how) || makesReady(left, how) { return }
    uploads = attachPrepared(uploads)
    if let destination = uploads.first?.destination, needs(of: destination).resuming {
      let rules = destination.value.resume
      func goesOn(_ upload: UploadJob) -> Bool {
        rules.holds(for: upload.item.size) || jobs[upload.item.id]?.resumePoint != nil
      }
      let resuming = uploads.filter(goesOn)
      uploads.removeAll(where: goesOn)
      for upload in resuming { converse(about: upload, how) }
    }
    guard let first = uploads.first, let home = jobs[first.item.id]?.route.origin else { return }
    let occasion = occasion(of: first.item.id)
    let ticketed = occasion.address
    let url = if how.url == first.target.url, let ticketed { ticketed } else { how.url }
    let origin = url == first.target.url ? home : Origin(url)
    let isNamed =
      url == ticketed
      && first.target.ticket?.namedHosts.contains { $0.holds(for: url, from: home) } == true
    // Only the target's own origin and the hosts that it names get credentials, whatever was decided elsewhere.
    guard
      let authorization = authorization(
        of: uploads.map(\.item.id), to: origin, keepsCredentials: how.keepsCredentials,
        isNamed: isNamed)
    else { return }
    let (request, faults) = UploadRequest.make(
      uploads, on: occasion, from: growingFiles(of: uploads), to: url, token: authorization.token,
      hidesCredentials: !authorization.showsCredentials,
      mayExpect: mayExpect(at: url), now: time.date())
    for fault in faults { leaveOut(fault.items, fault.cause) }
    guard let request else { return }
    // A prepared file has a different path in each attempt, so the original stands for it.
    let file = jobs[first.item.id]?.upload.item ?? first.item
    if let cause = sentAddresses.claim(
      request.exchange.url.absoluteString, for: file, of: first.target,
      hiding: needs(of: first.destination).secrets, isNew: hooks.keepingAddress)
    {
      return leaveOut([first.item.id], cause)
    }
    if first.target.prepare != nil {
      // The prepared file differs in size from the original.
      tell(
        request.files.map { item, content in
          (item.id, .sending(attempt: how.attempt, sent: 0, total: Int64(content.count)))
        })
    }
    begin(request, to: url, attempt: how.attempt, authorization: authorization)
  }

  /// What the run and the ticket of an upload add to its requests.
  private func occasion(of id: ItemID) -> Occasion {
    guard let upload = jobs[id]?.upload else { return Occasion() }
    let run = needs(of: upload.destination).run ? runs[upload.target.name] : nil
    let occasion = run?.occasion ?? Occasion()
    return ready[id]?.grant.map(occasion.with) ?? occasion
  }

  /// The open files of uploads whose files grow.
  private func growingFiles(of uploads: [UploadJob]) -> [ItemID: HeldFile] {
    var files: [ItemID: HeldFile] = [:]
    for upload in uploads {
      let (id, location) = (upload.item.id, upload.item.location)
      if let file = jobs[id]?.growingFile(at: location) { files[id] = file }
    }
    return files
  }

  /// Starts a request, or queues it if it was prepared ahead.
  private func begin(
    _ request: UploadRequest, to url: URL, attempt: Int, authorization: Authorization
  ) {
    var asked = request.exchange
    asked.limits = limits(for: request.target)
    asked.cookies = cookies(of: request.files.map(\.item.id))
    let isAhead = request.files.contains { scheduler.isAhead($0.item.id) }
    if isAhead { asked.body = UploadBody(form: request.body).readAhead() }
    let route = authorization.route
    let task = session.task(asked, delegate: TransferListener(self, route, request.target.response))
    let transfer = Transfer(
      attempt: attempt, authorization: authorization, task: task, request: request,
      url: url, start: time.now())
    transfers[task.taskIdentifier] = transfer
    for id in transfer.items {
      jobs[id]?.tasks.insert(task.taskIdentifier)
      jobs[id]?.token = authorization.token
    }
    startWatching()
    guard isAhead else { return task.resume() }
    ahead.append(RequestsAhead.Request(route: route, task: task))
  }

  /// The cookies of uploads that are sent together: those of their run, or else those of the first.
  private func cookies(of ids: [ItemID]) -> CookieJar {
    guard let job = ids.first.flatMap({ jobs[$0] }) else { return CookieJar() }
    if needs(of: job.upload.destination).run, let run = runs[job.upload.target.name] {
      return run.cookies
    }
    return job.cookies
  }

  /// Fails files that cannot be sent; the request is made without them.
  private func leaveOut(_ ids: [ItemID], _ cause: Failure.Cause) {
    for id in ids { recordBegun(id) }
    fail(ids, Failure(cause))
  }

  /// Ends the attempts of files whose own request was not made.
  private func fail(_ ids: [ItemID], _ failure: Failure) {
    // All share one time and one random number, so that they are retried together.
    let event = JobMachine.Event.failed(failure, at: time.now(), random: time.random())
    handle(ids.map { ($0, event) })
  }

  /// Passes news of a task to the engine's queue.
  nonisolated func receive(_ news: TransportNews, of number: Int) {
    receive([(number, news)], canWait: true)
  }

  /// The length in bytes of a reply that the engine's queue can read while it handles news.
  private static let shortReply = 1024

  /// Passes the end of a task to the engine's queue, with the content that the rules find in the reply.
  nonisolated func receive(
    _ end: ExchangeEnd, of number: Int, on route: Route, _ rules: ReplyRules
  ) {
    // Short replies are read when they are judged.
    guard rules.needsContent || end.reply.count > Self.shortReply else {
      return receive(end, nil, of: number, on: route)
    }
    replyQueue.async {
      let text = String(decoding: end.reply.prefix(Reply.limit), as: UTF8.self)
      let content = rules.read(Reply(text: text))
      self.receive(end, content, of: number, on: route)
    }
  }

  /// Passes the end of a task to the engine's queue. After a success, the route's next request begins.
  private nonisolated func receive(
    _ end: ExchangeEnd, _ content: ReplyContent?, of number: Int, on route: Route
  ) {
    let news = TransportNews.ended(end, content)
    guard end.trouble == nil, let status = end.head?.status, (200..<300).contains(status),
      let (next, left) = ahead.takeNext(on: route)
    else { return receive([(number, news)], canWait: false) }
    // The end comes first, because the next request takes the lane that it frees.
    receive(
      [(number, news), (next.task.taskIdentifier, .begun(at: time.now()))],
      canWait: left >= Self.manyAhead)
    next.task.resume()
  }

  /// Passes news to the engine's queue, together with any that arrives in the meantime: with small files, a thread
  /// switch for each item would be expensive. If the news can wait, the transport first sends everything that it can.
  private nonisolated func receive(_ news: [NewsInbox.Item], canWait: Bool) {
    let isFirst = inbox.add(news)
    if !canWait {
      callForNews()
    } else if isFirst {
      session.postpone { [weak self] in self?.callForNews() }
    }
  }

  /// Has the engine's queue handle the inbox, unless that is already scheduled.
  private nonisolated func callForNews() {
    guard inbox.needsCall() else { return }
    onQueue { engine in
      let news = engine.inbox.take()
      for (number, news) in news { engine.handle(news, of: number) }
    }
  }

  private func handle(_ news: TransportNews, of number: Int) {
    guard let transfer = transfers[number] else { return }
    let now = time.now()
    transfer.recordActivity(at: now)
    switch news {
    case .begun(let instant): recordBegun(transfer, at: instant)
    case .acknowledged(let bytes):
      transfer.recordAcknowledged(bytes)
      // A server that takes a large file has been reached long before it answers.
      if bytes > 0, let home = transfer.authorization.route.origin, scheduler.isDoubted(home),
        transfer.origin != home || transfer.request.target.redirectOrigins.isEmpty
      {
        perform(scheduler.recordReached(home))
        fillSoon()
      }
      if jobs[transfer.firstItem]?.conversation?.machine.sendsInAnyOrder == true {
        tellProgress(of: transfer.firstItem)
      } else {
        tell(ofUpload(transfer.news(at: now)))
      }
    case .endHeld:
      goOn(transfer.firstItem, transfer) { $0.handleHeldEnd() }
      transfer.task.releaseBody()
    case .expectIgnored:
      if let origin = transfer.origin { deafToExpect.insert(origin) }
    case .informed(let head):
      let id = transfer.firstItem
      if head.status == 104 {
        goOn(id, transfer) {
          $0.handle(interim: head.headers, at: transfer.task.request.url, now: time.date())
        }
      }
      if head.status == 100, jobs[id]?.conversation?.machine.awaitsOffer == true {
        awaitOffer(id, number)
      } else {
        transfer.task.releaseBody()
      }
    case .responded(let head):
      transfer.recordHead(head)
    case .ended(let end, let content):
      transfers[number] = nil
      conclude(transfer, transfer.end(end, content, at: now))
    }
  }

  private func conclude(_ transfer: Transfer, _ end: TransferEnd) {
    for id in transfer.items { jobs[id]?.tasks.remove(transfer.task.taskIdentifier) }
    if isAhead(transfer) {
      ahead.remove { $0.task === transfer.task }
      return handle(transfer.items.map { ($0, .notBegun) })
    }
    judgeAhead(after: transfer, end)
    let first = transfer.firstItem
    // A reply to OPTIONS proves nothing about the credentials unless it is a 401: servers answer OPTIONS without
    // checking them.
    let isProof = transfer.request.exchange.method != "OPTIONS" || end.status == 401
    var end = end
    if let restart = record(&end, transfer.authorization, of: first, isProof: isProof) {
      return startOver(restart, after: transfer)
    }
    if jobs[first]?.conversation != nil {
      return goOn(first, transfer) { $0.handle(end, now: time.date()) }
    }
    conclude(
      end, of: transfer.files, transfer.attempt, to: transfer.request.destination, after: transfer)
  }

  /// Judges the end of an attempt, and concludes it once the records that its target wants have been made.
  private func conclude(
    _ end: TransferEnd, of files: [BatchEnd.File], _ attempt: Int, to target: Boxed<Target>,
    after transfer: Transfer?
  ) {
    var files = files
    for index in files.indices { files[index].growth = jobs[files[index].id]?.file?.growth }
    let redirects = files.first.flatMap { jobs[$0.id]?.run?.redirects } ?? 0
    let batch = BatchEnd(
      end, files: files, target: target.value, attempt: end.hasAdvanced ? 1 : attempt,
      redirects: redirects, now: time.date())
    if let transfer {
      for case .ended(_, .failed(let failure)) in batch.outcomes.map(\.outcome) {
        recordWait(askedBy: failure, transfer.authorization)
      }
      if makesRecords(of: transfer, batch) { return }
    }
    conclude(batch, withoutRecord: [:])
  }

  private func startOver(_ restart: Restart, after transfer: Transfer) {
    let id = transfer.firstItem
    guard let conversation = jobs[id]?.conversation, conversation.isWide else {
      return startOver(restart, Array(transfer.items))
    }
    // The upload's other requests end first. If one of them has failed, its failure decides what happens.
    if !conversation.machine.isBreakingOff { jobs[id]?.conversation?.restart = restart }
    var end = TransferEnd(url: transfer.url, trouble: .cancelled, sentAll: false)
    end.number = transfer.request.number
    goOn(id, transfer) { $0.handle(end, now: time.date()) }
  }

  /// Puts uploads whose attempt does not count back in line.
  private func startOver(_ restart: Restart, _ ids: [ItemID]) {
    for id in ids {
      switch restart {
      case .wait:
        jobs[id]?.begin = nil
        handle(.startOver(after: nil), for: id)
      case .authorize(let refusal):
        jobs[id]?.wasAuthorizedAgain = true
        handle(.startOver(after: refusal), for: id)
      }
    }
  }

  /// Concludes an attempt. `failures` states why the records for some files could not be created.
  private func conclude(_ batch: BatchEnd, withoutRecord failures: [ItemID: Failure]) {
    for members in batch.groups { scheduler.group(members) }
    let again = batch.outcomes.filter { $0.outcome == .startsOver }
    // All share one time and one random number, so that they are retried together.
    let (instant, wall, random) = (time.now(), time.date(), time.random())
    var events: [(ItemID, JobMachine.Event)] = []
    for case (let id, .ended(let end, var verdict)) in batch.outcomes {
      if let failure = failures[id], case .delivered(let receipt) = verdict {
        // The file arrived, but its record could not be created.
        var failed = Failure(
          .notRecorded(failure.headlineOrLead), reply: failure.reply, attempts: receipt.attempts)
        (failed.step, failed.pieces) = (failure.step, end.pieces)
        verdict = .failed(failed)
      }
      events.append((id, .ended(end, verdict, at: instant, wall: wall, random: random)))
    }
    handle(events + again.map { ($0.id, .startOver(after: nil)) })
  }

  private func mayExpect(at url: URL) -> Bool {
    deafToExpect.isEmpty || Origin(url).map(deafToExpect.contains) == false
  }
}

extension UploadEngine {
  /// With at least this many prepared requests left, the transport sends everything it can before it wakes the engine:
  /// a thread that wakes up earlier takes a processor that the server may need. With fewer left, the delay would soon
  /// leave lanes empty.
  private static let manyAhead = 4

  /// Begins requests that have a free lane but were prepared too late for the transport's thread to begin them.
  private func beginThoseAhead() {
    for next in ahead.all {
      guard let transfer = transfers[next.task.taskIdentifier],
        scheduler.hasLane(for: transfer.firstItem),
        ahead.remove(where: { $0.task === next.task }).count == 1
      else { continue }
      recordBegun(transfer, at: time.now())
      next.task.resume()
    }
  }

  /// Whether a request waits for a lane.
  private func isAhead(_ transfer: Transfer) -> Bool {
    transfer.items.contains(where: scheduler.isAhead)
  }

  private func recordBegun(_ transfer: Transfer, at instant: Instant) {
    transfer.recordBegun(at: instant)
    for id in transfer.items {
      recordBegun(id)
      if jobs[id]?.begin == nil { jobs[id]?.begin = instant }
    }
  }

  /// Reports that an attempt that was prepared ahead begins, and gives it a lane.
  private func recordBegun(_ id: ItemID) {
    guard scheduler.isAhead(id), let run = jobs[id]?.run else { return }
    scheduler.recordBegun(id)
    if let job = jobs[id] { recordPhase(of: id, job) }
    tell([(id, .preparing(attempt: run.attempt))])
  }

  /// Decides whether requests to a target are prepared ahead, now that one has ended. If it did not end well, sending
  /// the waiting requests would be futile or too early.
  private func judgeAhead(after transfer: Transfer, _ end: TransferEnd) {
    guard preparesAhead else { return }
    let target = transfer.request.destination
    let isGood =
      end.trouble == nil && end.status.map { (200..<300).contains($0) || $0 == 303 } == true
    scheduler.setGivesAhead(
      isGood && transfer.url == target.value.url && needs(of: target).oneRequestForEachFile,
      of: target.value.name)
    if !isGood { takeBack { $0.route == transfer.authorization.route } }
  }

  /// Puts uploads whose requests wait for a lane back in line.
  private func takeBack(where isMeant: (RequestsAhead.Request) -> Bool = { _ in true }) {
    var items: [ItemID] = []
    for request in ahead.remove(where: isMeant) {
      items += transfers.removeValue(forKey: request.task.taskIdentifier)?.items.map { $0 } ?? []
    }
    for id in items { jobs[id]?.tasks = [] }
    handle(items.map { ($0, .notBegun) })
  }
}

/// Bandwidth limits: one for the total rate, and one for each target that has its own.
extension UploadEngine {
  /// Sets the limit on the total rate, in bytes per second; nil means no limit. It applies at once to requests under
  /// way.
  package nonisolated func setLimit(_ bytesPerSecond: Int64?) {
    totalLimit.set(bytesPerSecond)
  }

  /// The limits that apply to a request to a target.
  private func limits(for target: Target) -> [BandwidthLimit] {
    guard let rate = target.rateLimit else { return [totalLimit] }
    let limit = targetLimits[target.name] ?? session.makeLimit()
    targetLimits[target.name] = limit
    limit.set(rate)
    return [totalLimit, limit]
  }
}

/// Uploads that resume where they were broken off. An attempt is a conversation of several requests, led by a
/// `ResumeMachine`. It lasts until the file has arrived or the connection fails.
extension UploadEngine {
  /// Begins an attempt.
  private func converse(about upload: UploadJob, _ how: Sending) {
    guard let job = jobs[upload.item.id] else { return }
    do throws(Failure.Cause) {
      let (upload, file) = try withPresentFile(upload, job)
      if !upload.target.digests.isEmpty, upload.item.digests == nil {
        return digest(upload, of: file, how)
      }
      switch try proof(of: file, job) {
      case .same: converse(about: upload, of: file, without: nil, how)
      case .none: converse(about: upload, of: file, without: .fileUncertain, how)
      case .inContent:
        step(for: [upload.item.id]) {
          (try? file.compare()) ?? false
        } then: { engine, isSame in
          guard !engine.isTakenBack(upload.item.id) else {
            return engine.leaveOut([upload.item.id], .cancelled)
          }
          engine.converse(about: upload, of: file, without: isSame ? nil : .fileChanged, how)
        }
      }
    } catch {
      leaveOut([upload.item.id], error)
    }
  }

  private func converse(
    about upload: UploadJob, of file: HeldFile, without loss: ResumePoint.Loss?, _ how: Sending
  ) {
    guard let job = jobs[upload.item.id] else { return }
    do throws(Failure.Cause) {
      let machine = try machine(for: upload, of: file, at: how.url, job)
      job.conversation = Conversation(
        machine: machine, how: how, file: file, start: time.now(),
        recalled: knownServers.recalledServer(on: job.route))
      goOn(upload.item.id) { $0.start(without: loss) }
    } catch {
      leaveOut([upload.item.id], error)
    }
  }

  /// The upload with the current identity and size of its file. If the upload has begun and its file has changed since,
  /// that is reported, and the upload starts over. If the upload has not begun, the file must be unchanged since it was
  /// queued.
  private func withPresentFile(
    _ upload: UploadJob, _ job: Job
  ) throws(Failure.Cause) -> (UploadJob, HeldFile) {
    let point = job.resumePoint.flatMap { $0.target == upload.target.name ? $0 : nil }
    // The file held open since the last attempt, or opened now.
    let file =
      if let file = job.file, file.location == upload.item.location, file.isCurrent { file } else {
        try upload.item.opened(after: point)
      }
    job.file = file
    guard point != nil else { return (upload, file) }
    var upload = upload
    if upload.item.identity != file.identity { upload.item.digests = nil }
    (upload.item.identity, upload.item.size) = (file.identity, file.identity.size)
    if let refusal = upload.target.limits.refusal(of: upload.item) { throw refusal }
    job.update(upload)
    return (upload, file)
  }

  /// Computes the checksums that the target asks for, from the file as it is sent, and begins again with them.
  private func digest(_ upload: UploadJob, of file: HeldFile, _ how: Sending) {
    let id = upload.item.id
    step(for: [id]) {
      FileDigest.digests(upload.target.digests, of: file)
    } then: { engine, digests in
      guard !engine.isTakenBack(id) else { return engine.leaveOut([id], .cancelled) }
      guard let digests else { return engine.leaveOut([id], FileDigest.failure) }
      var upload = upload
      upload.item.digests = digests
      engine.jobs[id]?.keep(digests)
      engine.converse(about: upload, how)
    }
  }

  /// How to tell that the part of the file that was already sent is unchanged.
  private func proof(of file: HeldFile, _ job: Job) throws(Failure.Cause) -> HeldFile.Proof {
    // A different file means a different upload, which the machine itself notices.
    guard let point = job.resumePoint, point.identity == file.identity else { return .same }
    guard point.moment != nil else { return .none }
    do throws(FileError) { return try file.proof(of: point.taken) } catch {
      throw Failure.Cause(error, wasSeen: true)
    }
  }

  private func machine(
    for upload: UploadJob, of file: HeldFile, at url: URL, _ job: Job
  ) throws(Failure.Cause) -> any ResumeMachine {
    let (target, point, now) = (upload.target, job.resumePoint, time.date())
    let occasion = occasion(of: upload.item.id)
    let start = ResumeStart(
      target: target, identity: file.identity, url: url, point: point,
      server: knownServers.server(on: job.route, of: target), furthest: job.furthest,
      id: UUID.random().uuidString.lowercased(), now: now,
      values: { Preparation.values(for: upload, on: occasion, now: $0) },
      creation: { values throws(Failure.Cause) in
        try UploadRequest.creation(of: target, at: url, values)
      },
      body: { () throws(Failure.Cause) in
        let whole = try Representation(
          upload, on: occasion, of: file, to: url, credentials: .none, form: point?.form, now: now)
        return (whole.body.contentLength, whole.form)
      })
    return try start.machine()
  }

  /// How many seconds the content of a request waits for an offer after a 100 reply, which may have come from a proxy.
  private static let offerPatience = 0.3

  /// Waits for an offer. If none comes in time, the machine decides what happens to the request.
  private func awaitOffer(_ id: ItemID, _ number: Int) {
    _ = after(Self.offerPatience) { engine in
      guard let transfer = engine.transfers[number] else { return }
      if engine.jobs[id]?.conversation?.machine.awaitsOffer == true {
        engine.goOn(id, transfer) { $0.handleLackOfOffer() }
      } else {
        transfer.task.releaseBody()
      }
    }
  }

  private func goOn(
    _ id: ItemID, _ transfer: Transfer? = nil,
    _ body: (inout any ResumeMachine) -> [ResumeAction]
  ) {
    guard let job = jobs[id], var conversation = job.conversation else { return }
    let actions = body(&conversation.machine)
    job.conversation = conversation
    job.furthest = conversation.machine.course.furthest
    if conversation.machine.sendsInAnyOrder != conversation.file.isReadInAnyOrder {
      conversation.file.isReadInAnyOrder.toggle()
    }
    if scheduler.giveBackLanes(of: id, but: conversation.machine.width) { fillSoon() }
    if conversation.machine.wantsMore {
      widening.insert(id)
      fillSoon()
    }
    for action in actions {
      switch action {
      case .send(let request): send(request, of: id, conversation)
      case .digest(let range, let wanted, let number):
        digest(range, wanted, number, of: id, conversation)
      case .readAnew:
        // If the file has changed, the next request reports that.
        try? conversation.file.begin(anew: true)
        job.conversation?.told = 0
      case .verify: verify(id, conversation)
      case .keep(var point):
        point.moment = conversation.file.moment.whileReading
        job.resumePoint = point
        if point.isAtStart, job.sentFrom == nil { job.sentFrom = point.start }
        hooks.keeping(id, point)
      case .forget:
        job.resumePoint = nil
        hooks.keeping(id, nil)
      case .learn(let server): learn(server, of: job)
      case .assume(let server): knownServers.assume(server, on: job.route)
      case .startAgain: converse(about: job.upload, conversation.how)
      case .stop(let cause):
        transfer?.trouble = cause
        transfer?.task.cancel()
      case .end(let end):
        if let restart = conversation.restart {
          job.conversation = nil
          return startOver(restart, [id])
        }
        let isFirst = knownServers.settle(job.route)
        if let server = conversation.recalled, server.isRefuted(by: end) {
          // Only the first upload to notice this deletes the record. The others use what that upload finds out.
          if isFirst { learn(nil, of: job) }
          converse(about: job.upload, conversation.how)
        } else {
          conclude(conversation, end, of: id, transfer)
        }
      }
    }
  }

  private func learn(_ server: ResumeServer?, of job: Job) {
    let isElsewhere = job.run.map { $0.redirects > 0 } == true
    knownServers.learn(server, on: job.route, of: job.upload.target, isElsewhere: isElsewhere)
  }

  /// Computes digests of a range of the file, for a request that must state them.
  private func digest(
    _ range: Range<Int64>, _ wanted: Set<ContentDigests.Algorithm>, _ request: Int, of id: ItemID,
    _ conversation: Conversation
  ) {
    step(for: [id]) {
      FileDigest.digests(wanted, of: conversation.file, in: range)
    } then: { engine, digests in
      let url = conversation.how.url
      guard !engine.isTakenBack(id) else {
        return engine.broken(.cancelled, id, conversation, url, request)
      }
      guard let digests else {
        return engine.broken(FileDigest.failure, id, conversation, url, request)
      }
      engine.goOn(id) { $0.handle(digests, number: request) }
    }
  }

  /// Checks whether all the bytes that were sent were in the file at a single moment.
  private func verify(_ id: ItemID, _ conversation: Conversation) {
    step(for: [id]) { () -> Failure.Cause? in
      do throws(FileError) { try conversation.file.verify() } catch {
        return Failure.Cause(error, wasSeen: true)
      }
      return nil
    } then: { engine, trouble in
      guard !engine.isTakenBack(id) else {
        return engine.broken(.cancelled, id, conversation, conversation.how.url, 0)
      }
      engine.goOn(id) { $0.handle(verified: trouble) }
    }
  }

  // MARK: Several requests at once

  /// Uses lanes that no file waits for to send more pieces of an upload at the same time.
  private func widen() {
    var goesOn = true
    while goesOn {
      goesOn = false
      for id in widening.sorted() {
        guard let job = jobs[id], job.conversation?.machine.wantsMore == true, !isTakenBack(id)
        else {
          widening.remove(id)
          continue
        }
        guard scheduler.takeLane(beside: id, at: time.now()) else { continue }
        goesOn = true
        goOn(id) { $0.sendMore() }
      }
    }
  }

  /// Converts news of a request to news of its upload: the reply to a piece is not the reply that the upload awaits.
  private func ofUpload(_ news: [(ItemID, ItemState)]) -> [(ItemID, ItemState)] {
    guard case (let id, .awaitingReply(let attempt, _))? = news.first,
      let machine = jobs[id]?.conversation?.machine, !machine.mayFinish
    else { return news }
    let size = machine.course.size
    return [(id, .sending(attempt: attempt, sent: size, total: size))]
  }

  /// Reports how much of an upload the server has, including the pieces under way. Within an attempt, the number never
  /// falls, even if a piece is lost.
  private func tellProgress(of id: ItemID) {
    guard let job = jobs[id], let conversation = job.conversation else { return }
    let course = conversation.machine.course
    let underWay = job.tasks.reduce(0) { $0 + (transfers[$1]?.files.first?.bytes ?? 0) }
    let sent = min(course.size, course.taken + underWay)
    guard sent > conversation.told else { return }
    job.conversation?.told = sent
    tell([(id, .sending(attempt: conversation.how.attempt, sent: sent, total: course.size))])
  }

  private func send(_ request: ResumeRequest, of id: ItemID, _ conversation: Conversation) {
    guard let job = jobs[id] else { return }
    let attempt = conversation.how.attempt
    if conversation.machine.isFinishing {
      tell([(id, .awaitingReply(attempt: attempt, since: time.now()))])
    } else if conversation.machine.sendsInAnyOrder {
      tellProgress(of: id)
    } else if let content = request.content, content.lowerBound > 0 {
      let course = conversation.machine.course
      let sent = course.fileOffset(content.lowerBound)
      tell([(id, .sending(attempt: attempt, sent: sent, total: course.size))])
    }
    // A form also contains bytes that are not the file's, and is not signed.
    let isSigned = job.upload.target.signsContent && conversation.machine.course.form == nil
    let wanted = Set([request.checksum, isSigned ? .sha256 : nil].compactMap(\.self))
    guard let content = request.content, !wanted.isEmpty, !job.isStopped else {
      return send(request, nil, of: id, conversation)
    }
    step(for: [id]) {
      FileDigest.digests(wanted, of: conversation.file, in: content)
    } then: { engine, digests in
      engine.send(request, digests, of: id, conversation)
    }
  }

  private func send(
    _ request: ResumeRequest, _ digests: ContentDigests?, of id: ItemID,
    _ conversation: Conversation
  ) {
    guard let job = jobs[id] else { return }
    // The user may have cancelled or paused the upload between two requests.
    if job.isStopped { return broken(.cancelled, id, conversation, request.url, request.number) }
    var asked = request
    if !conversation.how.keepsCredentials { asked.staysAway = true }
    let (origin, isTrusted) = (Origin(request.url), !asked.staysAway)
    guard let authorization = authorization(of: [id], to: origin, keepsCredentials: isTrusted)
    else { return }
    if let algorithm = request.checksum, let sum = digests?[algorithm] {
      asked.addChecksum(algorithm, sum)
    }
    let credentials: RequestHead.Credentials =
      authorization.showsCredentials ? .all(token: authorization.token?.secret) : .none
    do throws(Failure.Cause) {
      let sha256 = job.upload.target.signsContent ? digests?[.sha256] : nil
      let made = try self.request(asked, of: job.upload, conversation, credentials, sha256)
      if asked.isTargetsOwn,
        let cause = sentAddresses.claim(
          made.exchange.url.absoluteString, for: job.upload.item, of: job.upload.target,
          hiding: needs(of: job.upload.destination).secrets, isNew: hooks.keepingAddress)
      {
        throw cause
      }
      begin(made, to: request.url, attempt: conversation.how.attempt, authorization: authorization)
    } catch {
      broken(error, id, conversation, request.url, request.number)
    }
  }

  private func request(
    _ asked: ResumeRequest, of upload: UploadJob, _ conversation: Conversation,
    _ credentials: RequestHead.Credentials, _ sha256: String?
  ) throws(Failure.Cause) -> UploadRequest {
    let occasion = occasion(of: upload.item.id)
    guard type(of: conversation.machine).sendsTargetsBody else {
      return try UploadRequest(
        asked, of: upload, on: occasion, conversation.file, conversation.machine.course.values,
        credentials: credentials, sha256: sha256, now: time.date())
    }
    let whole = try Representation(
      upload, on: occasion, of: conversation.file, to: conversation.how.url,
      credentials: credentials,
      form: conversation.machine.course.form, now: time.date())
    return try UploadRequest(
      asked, of: upload, on: occasion, whole, conversation.machine.course.values,
      credentials: credentials,
      mayExpect: mayExpect(at: asked.url), sha256: sha256, now: time.date())
  }

  /// Ends an attempt that could not continue.
  private func broken(
    _ cause: Failure.Cause, _ id: ItemID, _ conversation: Conversation, _ url: URL, _ number: Int
  ) {
    var end = TransferEnd(url: url, trouble: cause, sentAll: false)
    end.number = number
    let conversation = jobs[id]?.conversation ?? conversation
    if conversation.isWide { return goOn(id) { $0.handle(end, now: time.date()) } }
    end.hasAdvanced = conversation.machine.course.hasAdvanced
    end.mayBeWhole = conversation.machine.mayBeWhole
    conclude(conversation, end, of: id, nil)
  }

  private func conclude(
    _ conversation: Conversation, _ end: TransferEnd, of id: ItemID, _ transfer: Transfer?
  ) {
    guard let job = jobs[id] else { return }
    job.conversation = nil
    if end.status.map({ $0 >= 300 }) ?? true, var point = job.resumePoint {
      // Another process that resumes the upload cannot use data that only this one has in memory.
      point.moment = conversation.file.moment
      job.resumePoint = point
      hooks.keeping(id, point)
    }
    var end = end
    end.seconds = time.now() - conversation.start
    end.pieces = conversation.machine.course.point?.pieceCount
    // The file's description in the last request is recorded with the reply.
    let last = transfer?.files.first
    var file = BatchEnd.File(id: id)
    file.bytes = end.bytes
    file.cause = last?.cause
    file.sent = last?.sent
    if job.upload.target.after.way != nil { file.moment = conversation.file.moment }
    conclude(
      end, of: [file], conversation.how.attempt, to: job.upload.destination, after: transfer)
  }

  // MARK: Taking back

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

  private func terminate(_ point: ResumePoint, of upload: UploadJob) {
    let target = upload.target
    guard let origin = Origin(point.url),
      origin == target.origin || target.redirectOrigins.contains(origin),
      case let values = Preparation.values(for: upload, on: Occasion(), now: time.date()),
      let termination = point.termination(at: target, values),
      let request = try? UploadRequest(
        termination, of: upload, on: Occasion(), values,
        credentials: termination.mayCarryCredentials(of: target)
          ? .all(token: tokens[Route(to: target)]?.secret) : .none,
        now: time.date())
    else { return }
    // If this fails, the server's own expiry does the same later.
    var exchange = request.exchange
    exchange.cookies = cookies(of: [upload.item.id])
    Task.detached { [session, time, exchange, timeout = target.stallTimeout] in
      _ = await session.end(of: exchange, stallTimeout: timeout, time: time)
    }
  }
}

/// The steps around a request: the prepare command, the ticket, and the record afterwards. None of them runs
/// on the engine's queue.
extension UploadEngine {
  /// Work done outside the engine's queue for uploads under way. Its number is negative and is kept in
  /// `Job.tasks` like that of a transfer.
  private struct Step {
    let items: [ItemID]
    let isFinal: Bool
    let task: Task<Void, Never>
  }

  private func needs(of target: Boxed<Target>) -> Target.Needs {
    if let needs, needs.target.isSame(as: target) { return needs.found }
    let found = Target.Needs(target.value)
    needs = (target, found)
    return found
  }

  /// Starts the preparation of uploads that need one. Returns whether they need one.
  private func makesReady(_ ids: [ItemID], _ how: Sending) -> Bool {
    let attempt = how.attempt
    guard let first = ids.first, let destination = jobs[first]?.upload.destination,
      needs(of: destination).preparation,
      ids.contains(where: { ready[$0]?.attempt != attempt })
    else { return false }
    let uploads = ids.compactMap { jobs[$0]?.upload }
    let files = growingFiles(of: uploads)
    let preparation = Preparation(
      attempt: attempt, on: occasion(of: first), time: time, mediaType: hooks.mediaType,
      known: knownDigests, cookies: cookies(of: ids))
    guard let authorization = authorization(of: ids, to: destination.value.origin)
    else { return false }
    for id in ids { jobs[id]?.token = authorization.token }
    let isAsked = ids.allSatisfy(scheduler.isKnownMissing)
    // Several files at once are only asked about here. Those that the server lacks then return to the line, since a
    // request may hold fewer files than a question.
    let onlyAsks = ids.count > 1 && ids.allSatisfy { scheduler.mostAsked(with: $0) > 1 }
    for id in ids { scheduler.setKnownMissing(false, of: id) }
    step(for: ids) {
      var made: [(ItemID, Result<PreparedUpload, Failure.Cause>)] = []
      for (position, upload) in uploads.enumerated() {
        do throws(Failure.Cause) {
          let ready = try await preparation.ready(
            upload, from: files[upload.item.id], at: position)
          made.append((upload.item.id, .success(ready)))
        } catch {
          made.append((upload.item.id, .failure(error)))
        }
      }
      let prepared = made.compactMap { try? $1.get().upload }
      var existing = Preparation.Existing()
      if !isAsked { existing = await preparation.existing(prepared, token: authorization.token) }
      var ticket: Result<Ticket.Grant?, Failure> =
        existing.trouble.map { .failure($0) } ?? .success(nil)
      do throws(Failure) {
        asking: while existing.trouble == nil, !onlyAsks,
          let first = prepared.first(where: { existing.leavesOpen($0.item.id) })
        {
          switch try await preparation.ticket(for: first, token: authorization.token) {
          case .there(let end): existing.there[first.item.id] = end
          case .granted(let grant):
            ticket = .success(grant)
            break asking
          case nil: break asking
          }
        }
      } catch {
        ticket = .failure(error)
      }
      return (made, existing, ticket)
    } then: { engine, found in
      let (made, known, ticket) = found
      let sent = engine.recordReady(made).filter { id in
        if let end = known.there[id] {
          engine.recordThere(id, end, authorization)
        } else if let failure = known.failures[id] {
          engine.recordRefusal(failure, for: [id], authorization)
        }
        return known.leavesOpen(id)
      }
      if onlyAsks, known.trouble == nil {
        engine.recordMissing(sent, authorization)
      } else if engine.recordTicket(ticket, for: sent, authorization) {
        engine.send(sent, how)
      }
    }
    return true
  }

  /// The uploads as they were prepared, without those that the target does not accept.
  private func attachPrepared(_ uploads: [UploadJob]) -> [UploadJob] {
    uploads.compactMap { upload in
      let upload = ready[upload.item.id]?.upload ?? upload
      guard let refusal = upload.target.limits.refusal(of: upload.item) else { return upload }
      leaveOut([upload.item.id], refusal)
      return nil
    }
  }

  /// Records prepared uploads and returns those that can be sent.
  private func recordReady(
    _ made: [(ItemID, Result<PreparedUpload, Failure.Cause>)]
  ) -> [ItemID] {
    made.compactMap { id, result in
      switch result {
      case _ where isTakenBack(id): leaveOut([id], .cancelled)
      case .failure(let cause): leaveOut([id], cause)
      case .success(let made):
        ready[id] = made
        // Digests of the file itself remain valid for the next attempt.
        if made.folder == nil, let digests = made.upload.item.digests {
          jobs[id]?.keep(digests, of: made.upload.item.digestMoment)
        }
        return id
      }
      return nil
    }
  }

  /// Puts files that their server does not have back in line. They are then sent without another question.
  private func recordMissing(_ ids: [ItemID], _ authorization: Authorization) {
    recordAnswer(to: ids, authorization)
    for id in ids {
      scheduler.setKnownMissing(true, of: id)
      jobs[id]?.begin = nil
    }
    handle(ids.map { ($0, .notBegun) })
  }

  /// Concludes an upload of a file that the server already has.
  private func recordThere(_ id: ItemID, _ end: TransferEnd, _ authorization: Authorization) {
    guard let job = jobs[id], let run = job.run else { return }
    recordAnswer(to: [id], authorization)
    var end = end
    end.growth = job.file?.growth
    let verdict = Verdict.judge(
      end, target: job.upload.target, attempt: run.attempt, redirects: 0, now: time.date())
    handle(
      .ended(end, verdict, at: time.now(), wall: time.date(), random: time.random()), for: id)
  }

  /// Records that the server has done what a request around files asked for.
  private func recordAnswer(to ids: [ItemID], _ authorization: Authorization) {
    guard let first = ids.first else { return }
    _ = learn(from: .answered, at: authorization.origin, of: first)
    recordAccepted(authorization)
  }

  /// Records that a request around files has failed, and that their own requests were therefore not made.
  private func recordRefusal(
    _ failure: Failure, for ids: [ItemID], _ authorization: Authorization
  ) {
    guard let first = ids.first else { return }
    var failure = failure
    failure.attempts = 1
    // Nothing of the files was sent, whatever the server made of this request.
    if case .outcomeUnknown(let why) = failure.cause { failure.cause = .unusable(why) }
    failure.arrival = .notArrived
    guard learn(from: failure.contact, at: authorization.origin, of: first) else {
      return startOver(.wait, ids)
    }
    recordWait(askedBy: failure, authorization)
    // A store that hides which files it has forbids the question whether one is there.
    let isAboutQuestion = failure.step == .existence && failure.status == 403
    if failure.cause == .refused, let status = failure.status, failure.isTemporary != true,
      !isAboutQuestion
    {
      switch recordDenied(status, authorization) {
      case .again, .renew: return startOver(.authorize(failure), ids)
      case .stands, .close:
        failure.cause = deniedCause(status, after: authorization) ?? failure.cause
      }
    }
    fail(ids, failure)
  }

  /// Records the ticket that uploads share. Returns whether they can be sent.
  private func recordTicket(
    _ ticket: Result<Ticket.Grant?, Failure>, for ids: [ItemID], _ authorization: Authorization
  ) -> Bool {
    switch ticket {
    case .success(nil): return !ids.isEmpty
    case .success(let grant?):
      // The file may go elsewhere without credentials, so let this reply show that they are valid.
      recordAnswer(to: ids, authorization)
      for id in ids { ready[id]?.grant = grant }
      return !ids.isEmpty
    case .failure(var failure):
      failure.step = failure.step ?? .ticket
      recordRefusal(failure, for: ids, authorization)
      return false
    }
  }

  /// Whether the upload was cancelled, paused or removed while it was prepared.
  private func isTakenBack(_ id: ItemID) -> Bool {
    jobs[id].map { !$0.isUnderWay || $0.isStopped } ?? true
  }

  // MARK: Afterwards

  /// Confirms each delivered file and creates the record for it, then concludes the attempt. Returns false if there is
  /// nothing of that to do.
  private func makesRecords(of transfer: Transfer, _ batch: BatchEnd) -> Bool {
    guard needs(of: transfer.request.destination).records else { return false }
    let (target, occasion) = (transfer.request.target, transfer.request.occasion)
    let (create, confirmation) = (target.server.create, target.ticket?.confirmation)
    let now = time.date()
    let items = Dictionary(
      transfer.request.files.enumerated().map { ($1.item.id, (index: $0 + 1, item: $1.item)) },
      uniquingKeysWith: { first, _ in first })
    let files = batch.outcomes.compactMap { id, outcome -> (ItemID, Template.Values)? in
      guard case .ended(let end, .delivered) = outcome, let (index, item) = items[id] else {
        return nil
      }
      var values = target.values(of: item, on: occasion, now: now, uuid: item.uuid)
      values.resultURL = target.response.address(in: end) ?? ""
      values.reply = JSONValue(text: end.reply.text)
      values.index = index
      return (id, values)
    }
    guard !files.isEmpty else { return false }
    let cookies = self.cookies(of: files.map(\.0))
    let client = ServerClient(
      target: target, on: occasion.aside(), token: transfer.authorization.token, from: tokenSource,
      cookies: cookies, time: time)
    let asked = Result { () throws(InvalidInput) in
      try confirmation?.request(askedForBy: occasion.ticket, of: target)
    }.mapError { Failure(.unusable($0.description)) }
    step(for: Array(transfer.items)) {
      var failures: [ItemID: Failure] = [:]
      for (id, values) in files {
        do throws(Failure) {
          if let call = try asked.get() { _ = try await client.reply(to: call, values) }
        } catch {
          failures[id] = error
          failures[id]?.step = .confirmation
          continue
        }
        guard let create else { continue }
        do throws(Failure) { _ = try await client.reply(to: create, values) } catch {
          failures[id] = error
        }
      }
      return failures
    } then: {
      $0.conclude(batch, withoutRecord: $1)
    }
    return true
  }

  // MARK: What the server makes of files that it has accepted

  /// The questions to a server about files that it has accepted. Each server has its own line, so that one that does
  /// not answer holds up no others. The questions take no lanes.
  private struct Questions {
    /// The most files that are asked about at once.
    static let most = 8
    /// The next files, and where to ask about them, in order.
    var next: ArraySlice<(ItemID, URL)> = []
    /// The files that the server is being asked about.
    var asked: Set<ItemID> = []
  }

  /// Asks a server, after a while, whether it has finished with a file.
  private func ask(_ id: ItemID, at url: URL, after seconds: Double) {
    stopTimer(of: id)
    jobs[id]?.timer = after(seconds) { engine in
      engine.stopTimer(of: id)
      guard let origin = Origin(url) else { return }
      engine.questions[origin, default: Questions()].next.append((id, url))
      engine.askNext(at: origin)
    }
  }

  private func askNext(at origin: Origin) {
    defer {
      if let left = questions[origin], left.asked.isEmpty, left.next.isEmpty {
        questions[origin] = nil
      }
    }
    while let asked = questions[origin]?.asked, asked.count < Questions.most,
      let (id, url) = questions[origin]?.next.popFirst()
    {
      guard let job = jobs[id], job.isProcessed, !asked.contains(id) else { continue }
      guard let rule = job.upload.target.wait, origin == job.upload.target.origin else {
        // The configuration has changed in the meantime. The machine decides what that means.
        handle(.retry, for: id)
        continue
      }
      questions[origin]?.asked.insert(id)
      var call = rule.call
      call.address = .own(Template(literal: url.absoluteString))
      let client = ServerClient(
        target: job.upload.target, on: occasion(of: id), token: tokens[job.route],
        from: tokenSource, cookies: cookies(of: [id]), time: time)
      Task.detached { [weak self, call] in
        let answer: WaitRule.Answer
        do throws(Failure) {
          answer = rule.answer(in: try await client.reply(to: call, client.values()))
        } catch {
          answer = rule.answer(in: error, from: url)
        }
        self?.onQueue { engine in
          engine.questions[origin]?.asked.remove(id)
          engine.handle(.answered(answer, wall: engine.time.date()), for: id)
          engine.askNext(at: origin)
        }
      }
    }
  }

  // MARK: Steps

  /// Works outside the queue, then goes on in it. A final step runs to its end even if all of its uploads are taken
  /// back.
  private func step<Found: Sendable>(
    for ids: [ItemID], isFinal: Bool = false, _ work: @escaping @Sendable () async -> Found,
    then goOn: @escaping @Sendable (isolated UploadEngine, Found) -> Void
  ) {
    lastStep -= 1
    let number = lastStep
    let task = Task.detached {
      let found = await work()
      self.onQueue { engine in
        guard let step = engine.steps.removeValue(forKey: number) else { return }
        for id in step.items { engine.jobs[id]?.tasks.remove(number) }
        goOn(engine, found)
      }
    }
    steps[number] = Step(items: ids, isFinal: isFinal, task: task)
    for id in ids { jobs[id]?.tasks.insert(number) }
  }
}

/// Runs: the requests before a target's first file and after its last. `RunMachine` decides when they are sent.
extension UploadEngine {
  /// Tells whether the engine may get more files. As long as it may, no run ends.
  package nonisolated func setAwaitsMore(_ awaitsMore: Bool) {
    onQueue { engine in
      engine.awaitsMore = awaitsMore
      if engine.clock.setAwaitsMore(awaitsMore, at: engine.time.now()) {
        engine.hooks.figures(engine.clock.figures)
      }
      engine.fillSoon()
    }
  }

  /// Takes over a run that an earlier process has begun. The target is nil if it cannot be used now.
  package nonisolated func adopt(
    _ point: RunPoint, failed: Set<ItemID>, of name: String, _ target: Boxed<Target>?
  ) {
    onQueue { engine in
      let (machine, actions) = RunMachine.resuming(point, failed: failed)
      // If the target is in use already, its own run goes on.
      if engine.runs[name]?.target == nil { engine.runs[name] = Run(machine: machine) }
      if let target, target.value.run.isOn { engine.runs[name]?.use(target) }
      engine.perform(actions, of: name)
    }
  }

  /// Returns once no run is about to end. Runs that cannot end yet stay open.
  package func runsHaveEnded() async {
    await withCheckedContinuation { continuation in
      whenRunsHaveEnded = continuation
      fillSoon()
    }
  }

  /// Ends a target's run now that all its files are finished, and reports the result, or that there was no run. If the
  /// user has stopped sending, the run stays open.
  package nonisolated func endRun(of target: String, hasFailed: Bool, wasStopped: Bool) {
    onQueue { engine in
      switch engine.runs[target]?.state {
      case .open, .kept:
        if wasStopped {
          if let point = engine.runs[target]?.point {
            engine.hooks.runReport(target, RunNews(.stopped, point))
          }
        } else {
          engine.handle(.idle(hasFailed: hasFailed), of: target)
        }
      case nil, .closed, .opening: engine.hooks.runReport(target, RunNews(.none))
      case .ending: break
      }
    }
  }

  private var runNames: [String] { runs.keys.sorted() }

  private func handle(_ event: RunMachine.Event, of name: String) {
    perform(runs[name]?.handle(event) ?? [], of: name)
  }

  private func perform(_ actions: [RunMachine.Action], of name: String) {
    for action in actions {
      switch action {
      case .keep(let point):
        // If the state is not saved, the next process would send the last request again.
        if !hooks.keepingRun(name, point), case .send? = actions.last {
          let failure = Failure(.shortage("the queue cannot be written"))
          return handle(.refused(failure), of: name)
        }
      case .send(let ending): end(name, by: ending)
      case .tell(let news): hooks.runReport(name, news)
      }
    }
    shut(name)
    if !actions.isEmpty { fillSoon() }
  }

  private func shut(_ name: String) {
    let run = runs[name]
    scheduler.setShut(run?.isShut == true, of: name, except: run?.openers.first)
  }

  /// Begins the run of files that are about to start.
  private func beginRun(with files: [ItemID]) {
    guard let first = files.first.flatMap({ jobs[$0] }), needs(of: first.upload.destination).run
    else { return }
    let name = first.upload.target.name
    runs[name, default: Run()].use(first.upload.destination)
    handle(.turn, of: name)
    if runs[name]?.state == .opening { runs[name]?.openers = files }
  }

  /// Records that the files that should open a run do not start.
  private func leaveUnopened(_ files: [ItemID]) {
    guard let name = files.first.flatMap({ jobs[$0]?.upload.target.name }),
      let run = runs[name], !run.isAsked, files.contains(where: run.openers.contains)
    else { return }
    runs[name]?.openers = []
    handle(.notOpened, of: name)
  }

  /// Sends the request before the first file, if it has not been answered yet. Returns whether the files must wait for
  /// it.
  private func opensRun(_ ids: [ItemID], _ how: Sending) -> Bool {
    guard let first = ids.first, let destination = jobs[first]?.upload.destination,
      needs(of: destination).run, case let target = destination.value,
      runs[target.name]?.state == .opening, let call = target.run.open,
      let authorization = authorization(of: ids, to: target.origin)
    else { return false }
    for id in ids { jobs[id]?.token = authorization.token }
    let cookies = CookieJar()
    runs[target.name]?.cookies = cookies
    let client = ServerClient(
      target: target, token: authorization.token, from: nil, cookies: cookies, time: time)
    runs[target.name]?.isAsked = true
    step(for: ids, isFinal: true) {
      await client.opening(by: call)
    } then: { engine, result in
      engine.recordOpening(result, for: ids, authorization, of: target.name, how)
    }
    return true
  }

  private func recordOpening(
    _ result: Result<(values: [String: String], isFromAway: Bool), Failure>, for ids: [ItemID],
    _ authorization: Authorization, of name: String, _ how: Sending
  ) {
    runs[name]?.isAsked = false
    switch result {
    case .success(let (values, isFromAway)):
      recordAnswer(to: ids, authorization)
      runs[name]?.openers = []
      handle(.opened(values, isFromAway: isFromAway), of: name)
      let isBack = ids.filter(isTakenBack)
      if !isBack.isEmpty { leaveOut(isBack, .cancelled) }
      send(ids.filter { !isBack.contains($0) }, how)
    case .failure(let failure):
      recordRefusal(failure, for: ids, authorization)
      let isOver = ids.allSatisfy { jobs[$0]?.machine.state == .finished(delivered: false) }
      guard isOver, failure.cause != .cancelled else { return }
      let shown = authorization.token?.secrets.hidden(in: failure) ?? failure
      hooks.runReport(name, RunNews(.notOpened, because: shown))
      guard scheduler.waitsForPerson else {
        return perform([.giveUp(scheduler.waiting(for: name), because: shown.obstacle)])
      }
      // One file shows the failure; the others wait until the user tries again.
      runs[name]?.isRefused = true
      shut(name)
    }
  }

  /// Lets a run be opened again after a refusal.
  private func openAgain(_ name: String) {
    runs[name]?.isRefused = false
    shut(name)
  }

  /// Records the end of a file in its run.
  private func recordInRun(_ id: ItemID, _ job: Job) {
    guard needs(of: job.upload.destination).run, !job.isUnderWay else { return }
    let name = job.upload.target.name
    switch job.machine.state {
    case .paused: leaveUnopened([id])
    case .finished(let isDelivered):
      leaveUnopened([id])
      if !job.isRemoved || isDelivered { handle(.ended(id, isThere: isDelivered), of: name) }
    // The file will start again, and the others wait for it.
    case .waiting, .retrying: if runs[name]?.openers.contains(id) == true { shut(name) }
    case .processing: handle(.accepted, of: name)
    case .running: break
    }
  }

  /// Ends the runs that have no file left.
  private func endRuns() {
    guard !runs.isEmpty, !awaitsMore else { return }
    for name in runNames where runs[name]?.state == .open && scheduler.isIdle(name) {
      let isProcessed =
        runs[name]?.target?.value.wait != nil
        && jobs.values.contains { $0.isProcessed && $0.upload.target.name == name }
      if !isProcessed { handle(.idle(hasFailed: hooks.hasUnsent(name)), of: name) }
    }
  }

  /// Sends the request that ends a run.
  private func end(_ name: String, by ending: RunMachine.Ending) {
    guard let run = runs[name], let target = run.target?.value, let close = target.run.close,
      let call = ending == .close ? close.call : close.abort
    else { return }
    let client = ServerClient(
      target: target, on: run.occasion, token: tokens[Route(to: target)], from: tokenSource,
      cookies: runs[name]?.cookies ?? CookieJar(), time: time)
    let attempt = (runs[name]?.attempts ?? 0) + 1
    runs[name]?.attempts = attempt
    step(for: []) {
      await client.ending(by: call, attempt: attempt)
    } then: { engine, outcome in
      engine.recordEnding(outcome, of: target, by: ending)
    }
  }

  private func recordEnding(
    _ outcome: RunMachine.Event, of target: Target, by ending: RunMachine.Ending
  ) {
    let name = target.name
    if case .refused(let failure) = outcome,
      let delay = target.delay(after: failure, at: target.url, random: time.random())
    {
      // Nothing is under way in the meantime, so another process may also try.
      if var point = runs[name]?.point {
        point.phase = .open
        _ = hooks.keepingRun(name, point)
      }
      _ = after(delay) { engine in
        engine.perform([.keep(engine.runs[name]?.point), .send(ending)], of: name)
      }
      return
    }
    runs[name]?.attempts = 0
    handle(outcome, of: name)
  }
}

/// Credentials: which ones a request carries, and what its result tells about them.
extension UploadEngine {
  /// The credentials that a request carries.
  struct Authorization: Sendable {
    let route: Route
    /// The token that the request carried, and the token's number.
    let token: BearerToken?
    let number: Int
    /// Where the request went.
    let origin: Origin?
    /// Whether the request carried the target's own credentials.
    let showsCredentials: Bool
    /// Gives new tokens, if the target has such a command.
    let command: TokenCommand?
    let items: [ItemID]
  }

  /// The current credentials of the uploads' route, for a request to an origin. `keepsCredentials` is false if another
  /// origin has chosen the destination. `isNamed` is true if the target names that host as one that also gets
  /// credentials.
  private func authorization(
    of items: [ItemID], to origin: Origin?, keepsCredentials: Bool = true, isNamed: Bool = false
  ) -> Authorization? {
    guard let job = items.first.flatMap({ jobs[$0] }) else { return nil }
    let route = job.route
    return Authorization(
      route: route, token: tokens[route], number: scheduler.token(on: route), origin: origin,
      showsCredentials: keepsCredentials && (origin == route.origin || isNamed),
      command: job.upload.target.tokenCommand, items: items)
  }

  /// Records what the end of a file's request says about the server and the credentials. If a new token was refused, the
  /// end then states that. Returns how the uploads start over if their attempt does not count. `isProof` is false if the
  /// end proves nothing about the credentials.
  private func record(
    _ end: inout TransferEnd, _ authorization: Authorization, of id: ItemID, isProof: Bool = true
  ) -> Restart? {
    guard let job = jobs[id] else { return nil }
    guard
      learn(
        from: end.contact, at: authorization.origin, of: id,
        leadsElsewhere: leadsElsewhere(end, job))
    else { return .wait }
    guard let status = end.status else { return nil }
    if isProof, (200..<300).contains(status) || status == 303 { recordAccepted(authorization) }
    // A refusal that will pass by itself is no statement about the credentials.
    guard [401, 403].contains(status),
      !job.upload.target.retry.isTemporary(end, now: time.date())
    else { return nil }
    switch isProof ? recordDenied(status, authorization) : .stands {
    case .again, .renew:
      var refusal = Failure(.refused, status: status, reply: end.reply, attempts: 1)
      refusal.step = end.step
      return .authorize(refusal)
    case .stands, .close:
      end.trouble = deniedCause(status, after: authorization) ?? end.trouble
      return nil
    }
  }

  /// Whether the end is a redirect to another origin that will be followed.
  private func leadsElsewhere(_ end: TransferEnd, _ job: Job) -> Bool {
    // Another room gets a copy of the whole target: ask only about redirects.
    guard end.status == 307 || end.status == 308, let run = job.run, run.stop == nil else {
      return false
    }
    return Verdict.leadsElsewhere(end, target: job.upload.target, redirects: run.redirects)
  }

  /// Holds back the files for a server that asks to wait. If it is not the target's own, neither is asked.
  private func recordWait(askedBy failure: Failure, _ authorization: Authorization) {
    guard failure.isTransient, let seconds = failure.retryAfter else { return }
    let origins = [authorization.origin, authorization.route.origin].compactMap(\.self)
    perform(scheduler.recordWait(of: Set(origins), until: time.now() + seconds, failure))
  }

  /// Records that a server has carried out a request with these credentials.
  private func recordAccepted(_ authorization: Authorization) {
    // A reply to a request without credentials says nothing about them.
    guard authorization.showsCredentials else { return }
    perform(
      scheduler.recordAccepted(
        on: authorization.route, with: authorization.number,
        hasCommand: authorization.command != nil))
  }

  /// Records that a server has refused a request with these credentials, by a 401 or 403.
  private func recordDenied(
    _ status: Int, _ authorization: Authorization
  ) -> Credentials.Consequence {
    guard [401, 403].contains(status), authorization.showsCredentials else { return .stands }
    let failure = Failure(deniedCause(status, after: authorization) ?? .refused, status: status)
    let (consequence, actions) = scheduler.recordRefused(
      on: authorization.route, with: authorization.number, status: status,
      isSecondTime: authorization.items.contains { jobs[$0]?.wasAuthorizedAgain == true },
      command: authorization.command, authorization.token?.secrets.hidden(in: failure) ?? failure)
    perform(actions)
    return consequence
  }

  /// What a 401 or 403 means if it persists after the token was renewed, or if the target has no credentials.
  private func deniedCause(
    _ status: Int?, after authorization: Authorization
  ) -> Failure.Cause? {
    guard status == 401 || status == 403 else { return nil }
    if let command = authorization.command, tokens[authorization.route] != nil {
      return .denied("even with a new token from \(command.name)")
    }
    let target = authorization.items.first.flatMap { jobs[$0]?.upload.target }
    return status == 401 && target?.hasCredentials == false ? .anonymous : nil
  }

  private func renew(_ route: Route, with command: TokenCommand) {
    let refused = tokens[route]
    Thread.detachNewThread { [weak self, tokenSource] in
      let result = Result { () throws(Failure.Cause) in
        try tokenSource.token(of: command, insteadOf: refused)
      }
      self?.onQueue { $0.handle(result, for: route) }
    }
  }

  private func handle(
    _ result: Result<(token: BearerToken, isNew: Bool), Failure.Cause>, for route: Route
  ) {
    switch result {
    case .success(let (token, isNew)):
      tokens[route] = token
      if !isNew {
        // The token is not new, so it may have expired as well. Let the uploads be resent once more with yet another
        // token.
        for job in jobs.values where job.route == route { job.wasAuthorizedAgain = false }
      }
      perform(scheduler.recordRenewed(route, isNew: isNew))
    case .failure(let cause):
      tokens[route] = nil
      perform(scheduler.recordRenewalFailure(route, Failure(cause)))
    }
    fillSoon()
  }
}

/// Time-outs: transfers that stall, or whose deadline has passed.
extension UploadEngine {
  private func startWatching() {
    guard watchdog == nil else { return }
    watchdog = after(StallWatch.interval) { $0.lookForStalls() }
  }

  private func lookForStalls() {
    watchdog = nil
    // Watching does not stop as soon as a transfer ends, since with small files another begins at once.
    guard !transfers.isEmpty else { return }
    startWatching()
    let now = time.now()
    for transfer in transfers.values where transfer.trouble == nil && !isAhead(transfer) {
      let deadline = transfer.request.target.deadline ?? .infinity
      let late = transfer.items.filter { id in
        jobs[id]?.begin.map { now - $0 > deadline } == true
      }
      if let stall = transfer.stall(at: now) {
        transfer.trouble = stall
      } else if !late.isEmpty {
        let cause = Failure.Cause.outOfTime(seconds: deadline)
        for id in late { transfer.record(of: id) { $0.cause = cause } }
        transfer.trouble = cause
      } else {
        continue
      }
      transfer.task.cancel()
    }
  }
}

/// What a request tells about whether its server can be reached.
private enum Contact: Equatable {
  /// Nothing: it ended before anything was sent or received.
  case none
  /// The server answered, or could have.
  case answered
  case unreachable(Failure.Cause, sentAll: Bool)
}

extension TransferEnd {
  fileprivate var contact: Contact {
    guard status == nil, let trouble else { return .answered }
    if trouble.isUnreachable { return .unreachable(trouble, sentAll: sentAll) }
    if case .outOfTime = trouble { return bytes == 0 ? .none : .answered }
    return trouble.isLocal ? .none : .answered
  }
}

extension Failure {
  /// What a request around files tells that has failed like this.
  fileprivate var contact: Contact {
    guard status == nil else { return .answered }
    if cause.isUnreachable { return .unreachable(cause, sentAll: false) }
    return cause.isLocal ? .none : .answered
  }
}

extension Target {
  /// The needs of each upload to a target, besides its own request.
  fileprivate struct Needs {
    /// Whether anything must be found out or made before the request.
    let preparation: Bool
    /// Whether requests follow that create records or confirm the delivery.
    let records: Bool
    /// Whether there is anything to do before the first file or after the last one.
    let run: Bool
    /// Whether files can resume.
    let resuming: Bool
    /// Whether each file is sent in a single request of its own, which can be prepared ahead.
    let oneRequestForEachFile: Bool
    /// What must be hidden in addresses that are kept; empty if none are.
    let secrets: Secrets

    init(_ target: Target) {
      secrets = target.protectsAddresses ? target.secrets : Secrets([])
      preparation =
        target.prepare != nil || target.exists != nil || target.ticket != nil
        || !target.digests.isEmpty || target.signsContent
      records = target.server.create != nil || target.ticket?.confirmation != nil
      (run, resuming) = (target.run.isOn, target.resume.isOn)
      // A signature would become stale while its request waits.
      oneRequestForEachFile =
        !preparation && !records && !run && target.sigV4 == nil && target.batch == nil && !resuming
    }
  }
}

extension JobMachine.State {
  fileprivate var isProcessing: Bool { if case .processing = self { true } else { false } }
}

extension UploadItem {
  /// The file, held open. Unless its upload has begun, the file must be unchanged since it was queued.
  func opened(after point: ResumePoint? = nil) throws(Failure.Cause) -> HeldFile {
    do throws(FileError) {
      return try HeldFile(
        location, expecting: point == nil ? identity : nil, resuming: point?.moment, mayGrow: true)
    } catch {
      throw Failure.Cause(error, wasSeen: identity != nil)
    }
  }
}
