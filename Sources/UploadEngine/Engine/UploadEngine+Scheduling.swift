import Dispatch
import UploadModel

/// Carries out what `Scheduler` decides, and tells it what happens.
extension UploadEngine {
  /// Fills the lanes after the current event has been handled. Otherwise a file that fails at once would
  /// recurse through the whole line, and files that come back together would start one by one.
  func fillSoon() {
    guard !isFilling else { return }
    isFilling = true
    if !isInTurn { onQueue { $0.fill() } }
  }

  func fill() {
    isFilling = false
    beginThoseAhead()
    fillLanes()
    widen()
    if transfers.isEmpty, steps.isEmpty { leaveIdle() }
  }

  private func fillLanes() {
    perform(scheduler.giveUps())
    while scheduler.mayStart {
      let (files, actions) = scheduler.next(at: time.now())
      perform(actions)
      guard !files.isEmpty else { return }
      // The admission depends on how the last attempts ended.
      deliverNews()
      guard let admitted = admission(files) else {
        takeBack()
        return perform(scheduler.setStarted(false) + scheduler.recordNotStarted(files))
      }
      for file in files where !admitted.contains(file) { forget(file) }
      handle(files.filter(admitted.contains).map { ($0, .start) })
    }
  }

  func perform(_ actions: [Scheduler.Action]) {
    for action in actions {
      switch action {
      case .wake(let instant): wake(at: instant)
      case .renew(let route, let command): renew(route, with: command)
      case .giveUp(let files, let failure): handle(files.map { ($0, .giveUp(failure)) })
      case .server(let origin, let news): outage(origin, news)
      case .refusal(let target, let isRefused): refusal(target, isRefused)
      }
    }
  }

  private func wake(at instant: Instant) {
    if let wakeUp, wakeUp <= instant { return }
    wakeUp = instant
    let delay = max(0, instant - time.now()) + 0.001
    _ = time.after(delay, executor.queue) { [weak self] in
      self?.assumeIsolated { engine in
        guard engine.wakeUp == instant else { return }
        engine.wakeUp = nil
        engine.fillSoon()
      }
    }
  }

  /// Updates an upload's place in line from its state.
  func place(_ id: ItemID, _ job: Job, from before: JobMachine.State) {
    let state = job.machine.state
    guard state != before else { return }
    if before == .retrying { stopTimer(of: id) }
    letGo(of: id, job)
    switch state {
    case .running: return
    case .waiting where job.isHeld: perform(scheduler.park(id, .held))
    case .waiting: perform(scheduler.queue(id, attempts: job.machine.attempts))
    case .retrying: perform(scheduler.park(id, .backOff))
    case .paused: perform(scheduler.park(id, .held))
    case .finished:
      if job.isRemoved { replace(id, job) } else { perform(scheduler.park(id, .over)) }
    }
    ready[id] = nil
    fillSoon()
  }

  /// Closes the file of an upload that is over or paused. Of those that wait for another attempt, some stay open,
  /// since they may be renamed meanwhile.
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
    case .paused, .finished: job.file = nil
    }
  }

  /// Replaces a removed upload with the one that has since been submitted under its identifier, if any.
  private func replace(_ id: ItemID, _ job: Job) {
    guard let successor = job.successor else { return forget(id) }
    let job = Job(successor)
    jobs[id] = job
    perform(scheduler.change(job.entry) + scheduler.queue(id, attempts: 0))
    tell([(id, .waiting)])
  }

  func forget(_ id: ItemID) {
    stopTimer(of: id)
    waitingFiles.remove(id)
    jobs[id] = nil
    perform(scheduler.remove(id))
  }

  // MARK: Servers

  /// Records whether the server could be reached.
  ///
  /// - Parameter reached: where the request went.
  /// - Returns: whether the attempt counts. If the engine waits for servers, an attempt that never reached one is
  ///   not the file's fault.
  func learn(from end: TransferEnd, at reached: Origin?, of id: ItemID) -> Bool {
    guard let origin = jobs[id]?.route.origin else { return true }
    // An engine that waits for servers also waits for one that the target's own server redirects to.
    if reached == origin || waitsForServers, let trouble = end.trouble, trouble.isUnreachable,
      end.status == nil
    {
      perform(
        scheduler.recordUnreachable(
          by: id, Failure(trouble), at: time.now(), random: time.random()))
      if case .unreachable = trouble, end.sentAll { return true }
      return !waitsForServers
    }
    // It is not known yet whether the server it is redirected to can be reached.
    if reached == origin, leadsElsewhere(end, id) { return true }
    // The server answered.
    if reached != origin || !end.saysNothingOfTheServer { perform(scheduler.recordReached(origin)) }
    return true
  }

  /// Whether the end is a redirect to another origin that will be followed.
  private func leadsElsewhere(_ end: TransferEnd, _ id: ItemID) -> Bool {
    guard end.status == 307 || end.status == 308, let job = jobs[id],
      case .running(let run) = job.machine.state, run.stop == nil,
      case .follow(_, keepsCredentials: false) = Verdict.judge(
        end, target: job.upload.target, attempt: run.attempt, redirects: run.redirects,
        now: time.date())
    else { return false }
    return true
  }

  /// Puts uploads that never reached their server back in line.
  func wait(again ids: [ItemID]) {
    for id in ids { jobs[id]?.begin = nil }
    handle(ids.map { ($0, .startOver) })
  }
}

extension TransferEnd {
  /// Whether the request ended before anything was sent to or received from the server.
  fileprivate var saysNothingOfTheServer: Bool {
    guard status == nil, let trouble else { return false }
    if case .outOfTime = trouble { return bytes == 0 }
    return trouble.isLocal
  }
}
