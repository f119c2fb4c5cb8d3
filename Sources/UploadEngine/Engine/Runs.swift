import Foundation
import HTTPTransport
import Scheduling
import UploadModel

/// The runs of the targets that have requests before their first file or after their last. `RunMachine` decides when
/// these are sent.
final class Runs {
  /// By the targets' names.
  private var runs: [String: Run] = [:]
  /// Whether more files may come. As long as they may, no run ends.
  private var awaitsMore = false
  /// How many last requests are under way.
  private(set) var endings = 0
  /// Resumed once no run is about to end.
  private var whenEnded: [CheckedContinuation<Void, Never>] = []

  var names: [String] { runs.keys.sorted() }

  func setAwaitsMore(_ awaitsMore: Bool) { self.awaitsMore = awaitsMore }

  /// The cookies of a target's run; nil if there is no run.
  func cookies(of name: String) -> CookieJar? { runs[name]?.cookies }

  func advance(_ event: RunMachine.Event, of name: String, on engine: isolated UploadEngine) {
    carryOut(runs[name]?.handle(event) ?? [], of: name, on: engine)
  }

  private func carryOut(
    _ actions: [RunMachine.Action], of name: String, on engine: isolated UploadEngine
  ) {
    for action in actions {
      switch action {
      case .keep(let point):
        // If the state is not saved, the next process would send the last request again.
        if !engine.hooks.keepingRun(name, point), case .send? = actions.last {
          let failure = Failure(.shortage("the queue cannot be written"))
          return advance(.refused(failure), of: name, on: engine)
        }
      case .send(let ending):
        // Counted here, not in the task, which begins later: in between, hoist would seem to be idle.
        endings += 1
        Task {
          await withTaskExecutorPreference(engine.executor) {
            await send(ending, of: name, on: engine)
          }
        }
      case .report(let news): engine.hooks.runReport(name, news)
      }
    }
    shut(name, on: engine)
    if !actions.isEmpty { engine.fillSoon() }
  }

  private func shut(_ name: String, on engine: isolated UploadEngine) {
    let run = runs[name]
    engine.schedule {
      $0.setShut(run?.isShut == true, of: name, except: run?.openers.first)
      return []
    }
  }

  // MARK: The beginning

  /// Takes over a run that an earlier process has begun. The target is nil if it cannot be used now.
  func adopt(
    _ point: RunPoint, failed: Set<ItemID>, of name: String, _ destination: SendPlan?,
    on engine: isolated UploadEngine
  ) {
    let (machine, actions) = RunMachine.resuming(point, failed: failed)
    // If the target is in use already, its own run goes on.
    if runs[name]?.destination == nil { runs[name] = Run(machine: machine) }
    if let destination, destination.needs.run { runs[name]?.use(destination) }
    carryOut(actions, of: name, on: engine)
  }

  /// Begins the run of files that are about to start.
  func begin(with jobs: [UploadEngine.Job], on engine: isolated UploadEngine) {
    guard let first = jobs.first, first.upload.destination.needs.run else { return }
    let name = first.upload.target.name
    runs[name, default: Run()].use(first.upload.destination)
    advance(.fileStarts, of: name, on: engine)
    if runs[name]?.state == .opening { runs[name]?.openers = jobs.map(\.id) }
  }

  /// What the run of a file adds to its requests.
  func occasion(of job: UploadEngine.Job) -> Occasion {
    guard job.upload.destination.needs.run,
      let run = runs[job.upload.target.name]
    else { return Occasion() }
    return run.occasion
  }

  /// The request before the first file, if a job's attempt must send it.
  func opening(for job: UploadEngine.Job) -> Call? {
    guard job.upload.destination.needs.run,
      runs[job.upload.target.name]?.state == .opening
    else { return nil }
    return job.upload.target.run.open
  }

  /// The client for the request before the first file, which is about to be sent. Its cookies become the run's.
  func client(
    toOpen name: String, _ destination: SendPlan, _ authorization: Authorization, _ time: TimeSource
  ) -> ServerClient {
    let cookies = CookieJar()
    runs[name]?.cookies = cookies
    runs[name]?.isAsked = true
    return ServerClient(
      to: destination, token: authorization.token, from: nil, cookies: cookies, time: time)
  }

  func noteOpeningEnded(_ name: String) { runs[name]?.isAsked = false }

  /// Records that the first request has succeeded, and the values in its reply.
  func noteOpened(
    _ name: String, with values: [String: String], isFromAway: Bool,
    on engine: isolated UploadEngine
  ) {
    runs[name]?.openers = []
    advance(.opened(values, isFromAway: isFromAway), of: name, on: engine)
  }

  /// Records that the first request has failed for good.
  func noteRefused(_ name: String, _ failure: Failure, on engine: isolated UploadEngine) {
    engine.hooks.runReport(name, RunNews(.notOpened, because: failure))
    guard engine.scheduler.waitsForPerson else {
      return engine.schedule {
        [.giveUp($0.waiting(for: name), because: failure.obstacle)]
      }
    }
    // One file shows the failure; the others wait until the user tries again.
    runs[name]?.isRefused = true
    shut(name, on: engine)
  }

  /// Lets a run be opened again after a refusal.
  func openAgain(_ name: String, on engine: isolated UploadEngine) {
    runs[name]?.isRefused = false
    shut(name, on: engine)
  }

  /// Records that some of the files that should open a run do not start.
  func leaveUnopened(_ jobs: [UploadEngine.Job], on engine: isolated UploadEngine) {
    guard let name = jobs.first?.upload.target.name,
      let run = runs[name], !run.isAsked, jobs.contains(where: { run.openers.contains($0.id) })
    else { return }
    runs[name]?.openers.removeAll { id in jobs.contains { $0.id == id } }
    // As long as one of them starts, it opens the run.
    guard runs[name]?.openers.isEmpty == true else { return shut(name, on: engine) }
    advance(.notOpened, of: name, on: engine)
  }

  /// Records the end of a file in its run.
  func noteEnd(of job: UploadEngine.Job, on engine: isolated UploadEngine) {
    guard job.upload.destination.needs.run, !job.isUnderWay else { return }
    let name = job.upload.target.name
    switch job.machine.state {
    case .paused: leaveUnopened([job], on: engine)
    case .finished(let isDelivered):
      leaveUnopened([job], on: engine)
      if !job.isRemoved || isDelivered {
        advance(.ended(job.id, isThere: isDelivered), of: name, on: engine)
      }
    // The file will start again, and the others wait for it.
    case .waiting, .retrying:
      if runs[name]?.openers.contains(job.id) == true { shut(name, on: engine) }
    case .processing: advance(.accepted, of: name, on: engine)
    case .attempting: break
    }
  }

  // MARK: The end

  /// Ends no more runs by itself: files that are broken off when hoist ends stay in the queue.
  func keepOpen() { awaitsMore = true }

  /// Ends the runs that have no file left.
  func endIdle(on engine: isolated UploadEngine) {
    if !runs.isEmpty, !awaitsMore {
      for name in names where runs[name]?.state == .open && engine.scheduler.isIdle(name) {
        let mayWait = runs[name]?.destination?.target.wait != nil
        if mayWait, engine.hasProcessing(for: name) { continue }
        advance(.idle(hasFailed: engine.hooks.hasUnsent(name)), of: name, on: engine)
      }
    }
    guard !runs.values.contains(where: \.isEnding) else { return }
    for waiting in whenEnded { waiting.resume() }
    whenEnded = []
  }

  /// Ends a target's run now that all its files are finished, and reports the result, or that there was no run. If the
  /// user has stopped sending, the run stays open.
  func end(
    _ name: String, hasFailed: Bool, wasStopped: Bool, on engine: isolated UploadEngine
  ) {
    switch runs[name]?.state {
    case .open, .kept:
      if wasStopped {
        if let point = runs[name]?.point { engine.hooks.runReport(name, RunNews(.stopped, point)) }
      } else {
        advance(.idle(hasFailed: hasFailed), of: name, on: engine)
      }
    case nil, .closed, .opening: engine.hooks.runReport(name, RunNews(.none))
    case .ending: break
    }
  }

  /// Returns once no run is about to end. Runs that cannot end yet stay open.
  func haveEnded(on engine: isolated UploadEngine) async {
    await withCheckedContinuation { continuation in
      whenEnded.append(continuation)
      engine.fillSoon()
    }
  }

  /// Sends the request that ends a run, as often as the target allows.
  private func send(
    _ ending: RunMachine.Ending, of name: String, on engine: isolated UploadEngine
  ) async {
    defer {
      endings -= 1
      engine.fillSoon()
    }
    // The server learns that the files are there only once the queue knows.
    await engine.written()
    var attempt = 0
    while let run = runs[name], let destination = run.destination,
      let close = destination.target.run.close,
      let call = ending == .close ? close.call : close.abort
    {
      attempt += 1
      let (number, point) = (attempt, run.point)
      let client = ServerClient(
        to: destination, on: run.occasion, token: engine.access.token(on: destination.route),
        from: engine.tokenSource, cookies: run.cookies, time: engine.time)
      let outcome = await Task.detached { await client.ending(by: call, attempt: number) }.value
      guard case .refused(let failure) = outcome,
        let delay = destination.target.delay(
          after: failure, at: destination.target.url, random: engine.time.random())
      else { return advance(outcome, of: name, on: engine) }
      // Nothing is under way in the meantime, so another process may also try.
      if var open = point {
        open.phase = .open
        _ = engine.hooks.keepingRun(name, open)
      }
      endings -= 1
      engine.fillSoon()
      await engine.time.sleep(delay)
      endings += 1
      guard engine.hooks.keepingRun(name, point) else {
        let failure = Failure(.shortage("the queue cannot be written"))
        return advance(.refused(failure), of: name, on: engine)
      }
    }
  }
}
