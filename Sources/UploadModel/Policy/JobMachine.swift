import Foundation

/// Decides what happens to one upload: state and event in, actions out. It does no I/O.
///
/// ```
///            start              prepared            all sent
///  waiting ────────► preparing ──────────► sending ──────────► awaiting reply
///     ▲                  │                    │                     │ ended: judged
///     │ retry, timer     └─────── ended ──────┴─────────┬───────────┘
///     ├──────────────────────────────── retrying ◄──────┼──► finished
///     └──────────────────────────────── paused          └──► processing ──► finished
/// ```
///
/// What happens within an attempt (tickets, redirects, the requests of an upload in pieces) is not decided here.
package struct JobMachine: Sendable {
  /// Where the upload stands.
  package enum State: Hashable, Sendable {
    /// In line. Goes to `attempting` on `start`.
    case waiting
    /// An attempt is under way. Goes to `processing` or `finished`, to `retrying` or `waiting`, or to `paused`.
    case attempting(CurrentAttempt)
    /// The server has accepted the file. Goes to `finished` once the server has finished with it, or the time is up.
    indirect case processing(Processing)
    /// Not in line until a timer fires. Goes to `waiting` on `timerFired` or `retry`, and to `attempting` on `start`.
    case retrying
    /// Not in line until the user resumes it. Goes to `waiting` on `retry`.
    case paused
    /// Over. Goes to `waiting` on `retry` unless it was delivered.
    case finished(delivered: Bool)
  }

  /// One attempt under way.
  package struct CurrentAttempt: Hashable, Sendable {
    /// Its number, from 1.
    package var number: Int
    /// Set if the user has stopped the attempt and it has not ended yet.
    package var stop: Stop?
  }

  /// How the user stopped an attempt.
  package enum Stop: Hashable, Sendable {
    case cancel
    case pause
  }

  package enum Event: Sendable {
    /// The upload is next. If it shares a request with others, this event can cut short its delay before the
    /// next attempt.
    case start
    /// The file's last request ended, and this is what its reply means.
    indirect case ended(
      TransferEnd, Verdict, isRedirected: Bool, at: Instant, wall: Date, random: Double)
    /// The attempt failed before the file's request: by a request around it, or because it could not be made.
    indirect case failed(Failure, at: Instant, random: Double)
    /// A request that asks whether the server has finished with the file has ended.
    indirect case answered(WaitRule.Answer, wall: Date)
    /// The request was cancelled because of another file, or refused because of a token that has been replaced since, so
    /// the attempt does not count. The refusal is how the upload has failed if there will be no other attempt.
    indirect case startOver(after: Failure?)
    /// The request was prepared but never began, so there was no attempt.
    case notBegun
    /// The delay before the next attempt is over.
    case timerFired
    case cancel
    case pause
    /// The user wants the file to be sent (again).
    case retry
    /// The upload cannot begin, for a reason of its own that was found before it started.
    indirect case fail(Failure)
    /// There is no point in waiting longer, because of what became of other uploads; in a few words.
    case giveUp(because: String)

    /// How the attempt has failed, if it has.
    package var failure: Failure? {
      switch self {
      case .ended(_, .failed(let failure), _, _, _, _), .failed(let failure, _, _): failure
      default: nil
      }
    }
  }

  /// What the caller must do about the upload, in order.
  package enum Action: Hashable, Sendable {
    /// Cancel the attempt; its end is reported as usual.
    case breakOff
    /// Ask the server, after this many seconds, whether it has finished with the file, and call back with `answered`.
    case ask(URL, after: Double)
    /// Call back with `timerFired` after this many seconds.
    case startTimer(seconds: Double)
    case report(ItemState)
  }

  package private(set) var state: State = .waiting
  /// Whether servers are waited for, however long that takes.
  package var waitsForServers = false
  /// How many attempts have begun, not counting those that had to start over.
  package private(set) var attempts = 0
  /// Whether the last attempt left open whether the server has the whole file. Another attempt can find out.
  private var mayBeWhole = false
  /// Whether an attempt broke off after the server had received some of the file, so that it may have kept that.
  package private(set) var mayHaveLeftRemnant = false
  /// When the server was first busy, if all failures since then pass by themselves.
  private var busySince: Instant?
  /// How the last attempt failed, if another one was to follow. It is boxed, since few uploads have one.
  private var lastFailure: Boxed<Failure>?

  /// Whether the upload waits for its next attempt because the server has asked for that.
  package var isAskedToWait: Bool { state == .retrying && lastFailure?.value.retryAfter != nil }

  /// `mayHaveLeftRemnant` says that an attempt of an earlier process broke off.
  package init(mayHaveLeftRemnant: Bool = false) { self.mayHaveLeftRemnant = mayHaveLeftRemnant }

  /// A machine for a file that the server has accepted already.
  package init(_ processing: Processing) {
    state = .processing(processing)
    attempts = processing.receipt.attempts
  }

  /// Handles an event and returns the actions. Events that make no sense in the current state (an outdated
  /// timer, a second cancel) are ignored. `target` is where the file goes now; the next call may pass another.
  package mutating func handle(_ event: Event, for target: Target) -> [Action] {
    switch (state, event) {
    case (.waiting, .start), (.retrying, .start):
      attempts += 1
      return go(to: .attempting(CurrentAttempt(number: attempts)), .preparing(attempt: attempts))

    case (
      .attempting(let current),
      .ended(let end, let verdict, let isRedirected, let instant, let wall, let random)
    ):
      return conclude(
        current, end, verdict, isRedirected: isRedirected, for: target, at: instant, wall: wall,
        random: random)
    case (.attempting(let current), .failed(let failure, let instant, let random)):
      switch current.stop {
      case .pause: return go(to: .paused, .paused)
      case .cancel: return fail(Failure(.cancelled, attempts: current.number))
      case nil:
        return tryAgain(
          current, after: noteRemnant(failure), of: target.url, for: target, at: instant,
          random: random)
      }

    case (.attempting(let current), .startOver(let refusal)):
      if let refusal { lastFailure = Boxed(refusal) }
      return startOver(current, counted: current.number)
    case (.attempting(let current), .notBegun):
      return startOver(current, counted: current.number - 1)

    case (.attempting(var current), .cancel):
      current.stop = .cancel
      state = .attempting(current)
      return [.breakOff]
    case (.attempting(var current), .pause):
      guard current.stop == nil else { return [] }
      current.stop = .pause
      state = .attempting(current)
      return [.breakOff]

    case (.processing(let processing), .answered(let answer, let wall)):
      return conclude(processing, answer, for: target, wall: wall)
    case (.processing(let processing), .retry): return ask(processing, for: target, after: 0)
    case (.processing(let processing), .cancel):
      return fail(
        processing,
        processing.trouble.map { "hoist stopped asking; the last status request led to: \($0)" }
          ?? "it was still at work when hoist stopped asking")

    case (.retrying, .timerFired), (.retrying, .retry): return go(to: .waiting, .waiting)

    case (.paused, .retry), (.finished(delivered: false), .retry):
      (attempts, lastFailure, busySince) = (0, nil, nil)
      return go(to: .waiting, .waiting)

    case (.waiting, .pause), (.retrying, .pause): return go(to: .paused, .paused)
    case (.waiting, .cancel), (.retrying, .cancel), (.paused, .cancel):
      return fail(Failure(.cancelled, attempts: attempts))

    case (.waiting, .fail(var failure)), (.retrying, .fail(var failure)):
      failure.attempts = attempts
      return fail(failure)
    // An upload that was tried fails as its own last attempt did.
    case (.waiting, .giveUp(let why)), (.retrying, .giveUp(let why)):
      return fail(lastFailure?.value ?? Failure(.notTried(why)))

    case (.waiting, _), (.attempting, _), (.processing, _), (.retrying, _), (.paused, _),
      (.finished, _):
      return []
    }
  }

  private mutating func go(to state: State, _ item: ItemState) -> [Action] {
    self.state = state
    return [.report(item)]
  }

  /// - Parameter counted: how many attempts the failure reports if the user has cancelled the upload.
  private mutating func startOver(_ current: CurrentAttempt, counted: Int) -> [Action] {
    attempts -= 1
    switch current.stop {
    case nil: return go(to: .waiting, .waiting)
    case .pause: return go(to: .paused, .paused)
    case .cancel: return fail(Failure(.cancelled, attempts: counted))
    }
  }

  /// Ends without a success. If the server may nevertheless have the whole file, the failure says so.
  private mutating func fail(_ failure: Failure) -> [Action] {
    var failure = failure
    if mayBeWhole, !failure.mayHaveArrived {
      let why =
        switch failure.cause {
        case .unusable(let why): why
        case .redirected(let place?, _): "\(failure.headline), which leads to \(place)"
        default: failure.headline
        }
      failure.cause = .outcomeUnknown("the upload may be complete: \(why)")
      failure.arrival = .unclear
    }
    if mayHaveLeftRemnant { failure.mayMeetRemnant = true }
    return go(to: .finished(delivered: false), .failed(failure))
  }

  /// Notes whether a failed attempt may have left something on the server. Returns the failure, which says if what an
  /// earlier one left may be the reason.
  private mutating func noteRemnant(_ failure: Failure, after end: TransferEnd? = nil) -> Failure {
    var failure = failure
    if mayHaveLeftRemnant { failure.mayMeetRemnant = true }
    if end?.mayLeaveRemnant(failure) == true { mayHaveLeftRemnant = true }
    return failure
  }

  /// Ends with a success, unless the server has yet to finish with the file.
  private mutating func accept(
    _ receipt: Receipt, _ current: CurrentAttempt, _ end: TransferEnd, isRedirected: Bool,
    for target: Target,
    wall: Date
  ) -> [Action] {
    var receipt = receipt
    receipt.disposal = target.after.disposal(
      for: receipt, after: end, of: target, isRedirected: isRedirected)
    guard let wait = target.wait, wait.holds(for: receipt) else {
      return go(to: .finished(delivered: true), .done(receipt))
    }
    // The address that the reply names is where to ask, not where the file is.
    if wait.place != nil, target.response.url == nil { receipt.url = nil }
    var processing = Processing(receipt, askingAt: nil, since: wall)
    do throws(InvalidInput) {
      processing.url = try wait.address(after: end, of: target, now: wall)
    } catch {
      return fail(processing, error.description)
    }
    state = .processing(processing)
    if current.stop == .cancel { return handle(.cancel, for: target) }
    return [.report(.processing(processing))] + ask(processing, for: target, after: wait.interval)
  }

  /// Asks the server whether it has finished with the file.
  private mutating func ask(
    _ processing: Processing, for target: Target, after seconds: Double
  ) -> [Action] {
    guard target.wait != nil else {
      return fail(processing, "the target no longer says how to ask (wait)")
    }
    guard let url = processing.url else {
      return fail(processing, "the status address was not saved")
    }
    guard Origin(url) == target.origin else {
      return fail(processing, "the target now names another server")
    }
    return [.ask(url, after: seconds)]
  }

  private mutating func conclude(
    _ processing: Processing, _ answer: WaitRule.Answer, for target: Target, wall: Date
  ) -> [Action] {
    switch answer {
    case .finished(let url, let isDuplicate):
      var receipt = processing.receipt
      receipt.url = url ?? receipt.url
      // What the server says at the end counts more than its first reply.
      receipt.doubt = nil
      if isDuplicate {
        receipt.wasThere = true
        // The status of the first reply proves nothing about what was there.
        if receipt.verified == nil { receipt.disposal = nil }
      }
      return go(to: .finished(delivered: true), .done(receipt))
    case .failed(var failure):
      failure.attempts = attempts
      return fail(failure)
    case .open(let trouble, let delay):
      let rule = target.wait ?? WaitRule()
      guard wall.timeIntervalSince(processing.since) < rule.limit else {
        let limit = HumanReadable.seconds(rule.limit)
        return fail(
          processing,
          "after \(limit) it had not finished with the file: \(trouble ?? "it is still at work")")
      }
      var news: [Action] = []
      if trouble != processing.trouble {
        var processing = processing
        processing.trouble = trouble
        news = go(to: .processing(processing), .processing(processing))
      }
      return news
        + ask(processing, for: target, after: max(rule.interval, min(delay ?? 0, rule.limit)))
    }
  }

  /// Ends without knowing what became of a file that the server has accepted.
  private mutating func fail(_ processing: Processing, _ why: String) -> [Action] {
    let receipt = processing.receipt
    return fail(
      Failure(
        .outcomeUnknown(why), status: receipt.status, reply: receipt.reply, attempts: attempts))
  }

  private mutating func conclude(
    _ current: CurrentAttempt, _ end: TransferEnd, _ verdict: Verdict, isRedirected: Bool,
    for target: Target,
    at instant: Instant, wall: Date, random: Double
  ) -> [Action] {
    // Attempts are counted so that nothing is tried for ever. An attempt that made progress restarts the count.
    var (current, verdict) = (current, verdict)
    if end.hasAdvanced { (current.number, attempts, busySince) = (1, 1, nil) }
    mayBeWhole = end.mayBeWhole
    if case .failed(let failure) = verdict { verdict = .failed(noteRemnant(failure, after: end)) }
    switch verdict {
    // A reply that came before the stop counts, since the server has the file.
    case .delivered(var receipt):
      receipt.attempts = current.number
      return accept(receipt, current, end, isRedirected: isRedirected, for: target, wall: wall)
    // A reply counts, too, if the file was delivered but its record could not be created.
    case .failed(let failure) where failure.arrival == .arrived:
      return go(to: .finished(delivered: false), .failed(failure))
    case .failed, .follow: break
    }
    // The outcome is in doubt if the verdict says so, or if no answer came.
    let doubt: Failure? =
      if case .failed(let failure) = verdict, failure.mayHaveArrived {
        failure
      } else if end.sentAll, end.status == nil {
        Failure(
          .outcomeUnknown("the upload was stopped before an answer came"), attempts: current.number)
      } else {
        nil
      }
    switch current.stop {
    // If the server may have the whole file, a pause is a cancel: resuming could store the file twice.
    case .pause where doubt == nil || target.isIdempotent(at: end.url):
      return go(to: .paused, .paused)
    case .pause, .cancel: return fail(doubt ?? Failure(.cancelled, attempts: current.number))
    case nil: break
    }
    // The attempt itself follows redirects, unless the user has stopped it.
    guard case .failed(let failure) = verdict else { return [] }
    return tryAgain(current, after: failure, of: end.url, for: target, at: instant, random: random)
  }

  /// Plans another attempt after a failure of a request to `url`, or ends if there is to be none.
  private mutating func tryAgain(
    _ current: CurrentAttempt, after failure: Failure, of url: URL, for target: Target,
    at instant: Instant,
    random: Double
  ) -> [Action] {
    var failure = failure
    failure.attempts = current.number
    // While it restarts, it can also be away.
    if failure.isOfBusyServer { busySince = busySince ?? instant }
    if !failure.isTransient { busySince = nil }
    let busyFor = busySince.map { instant - $0 } ?? .infinity
    guard
      let delay = target.delay(
        after: failure, at: url, isPatient: waitsForServers, busyFor: busyFor, random: random)
    else { return fail(failure) }
    (state, lastFailure) = (.retrying, Boxed(failure))
    // A shortage on this machine does not count as an attempt.
    if case .shortage = failure.cause { attempts -= 1 }
    let limit = target.retry.limit(
      after: failure, busyFor: busyFor + delay, isPatient: waitsForServers)
    let next = ItemState.retrying(failure, next: attempts + 1, of: limit, at: instant + delay)
    return [.report(next), .startTimer(seconds: delay)]
  }
}
