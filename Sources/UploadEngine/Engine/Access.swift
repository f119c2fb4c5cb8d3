import Foundation
import HTTPTransport
import UploadModel

/// Access to servers: which credentials a request carries, and what its end says about them and about its server.
///
/// It owns the tokens, and knows how each target's files are sent now: a request may have begun before its target was
/// changed. What follows from a refusal or an outage for other files is the scheduler's decision.
final class Access {
  private let source: TokenSource
  /// The token in force on each route.
  private var tokens: [Route: BearerToken] = [:]
  /// How the files of each route are sent now.
  private var plans: [Route: SendPlan] = [:]

  init(tokens source: TokenSource) { self.source = source }

  func token(on route: Route) -> BearerToken? { tokens[route] }

  /// Takes note of how files of these uploads' targets are sent from now on.
  func notePlans(of uploads: [UploadJob]) {
    var last: SendPlan?
    for plan in uploads.lazy.map(\.destination) where plan !== last {
      plans[plan.route] = plan
      last = plan
    }
  }

  /// What has replaced a plan since its target was changed; nil if it is still in force.
  func replacement(of plan: SendPlan) -> SendPlan? {
    guard let new = plans[plan.route], new !== plan, new.target != plan.target else {
      return nil
    }
    return new
  }

  /// The current credentials of a job's route, for a request to an origin; by default the target's own.
  /// `keepsCredentials` is false if another origin has chosen the destination. `isNamed` is true if the target names
  /// that host as one that also gets credentials.
  func authorization(
    of items: [ItemID], like job: UploadEngine.Job, to origin: Origin?,
    keepsCredentials: Bool = true, isNamed: Bool = false, on engine: isolated UploadEngine
  ) -> Authorization {
    let route = job.route
    return Authorization(
      plan: job.upload.destination, token: tokens[route], number: engine.scheduler.token(on: route),
      origin: origin,
      showsCredentials: keepsCredentials && (origin == route.origin || isNamed),
      command: job.upload.target.tokenCommand, items: items)
  }

  // MARK: What ends say

  /// Records what the end of a file's request says about the server and the credentials. If a new token was refused,
  /// the end then states that. Returns how the uploads start over if their attempt does not count. `isProof` is false
  /// if the end proves nothing about the credentials.
  func settle(
    _ end: inout TransferEnd, _ authorization: Authorization, of job: UploadEngine.Job,
    redirects: Int, isProof: Bool, on engine: isolated UploadEngine
  ) -> Authorization.Restart? {
    let leadsElsewhere = leadsElsewhere(end, job, redirects)
    guard
      noteContact(
        from: end.contact, at: authorization.origin, of: job, leadsElsewhere: leadsElsewhere,
        on: engine)
    else { return .wait(end.trouble ?? .cancelled) }
    guard let status = end.status else { return nil }
    if isProof, (200..<300).contains(status) || status == 303 {
      noteAccepted(authorization, on: engine)
    }
    // A refusal that will pass by itself, or is about what is there already, is no statement about the credentials.
    guard [401, 403].contains(status),
      !job.upload.target.retry.isTemporary(end, now: engine.time.date()),
      !job.upload.target.response.isRefusedDuplicate(end)
    else { return nil }
    switch isProof ? noteDenied(status, authorization, of: job, on: engine) : .stands {
    case .again, .renew:
      var refusal = Failure(.refused, status: status, reply: end.reply, attempts: 1)
      refusal.step = end.step
      return .authorize(refusal)
    case .stands, .close:
      end.trouble = deniedCause(status, after: authorization, of: job) ?? end.trouble
      return nil
    }
  }

  /// Records what the failure of a request around files says about the server and the credentials. If a new token was
  /// refused, the failure then states that. Returns how the uploads start over if their attempt does not count.
  func settleRefusal(
    _ failure: inout Failure, of job: UploadEngine.Job, _ authorization: Authorization,
    on engine: isolated UploadEngine
  ) -> Authorization.Restart? {
    guard noteContact(from: failure.contact, at: authorization.origin, of: job, on: engine) else {
      return .wait(failure.cause)
    }
    holdBack(askedBy: failure, authorization, on: engine)
    if let load = failure.load {
      let now = engine.time.now()
      let why = failure.status.map(Failure.statusLine) ?? failure.headline
      engine.tune(for: job.id, because: why, at: now) { tuner, underWay in
        tuner.recordEnd(load, began: job.begin ?? now, underWay: underWay, at: now)
      }
    }
    // A store that hides which files it has forbids the question whether one is there.
    let isAboutQuestion = failure.step == .existence && failure.status == 403
    guard failure.cause == .refused, let status = failure.status, failure.isTemporary != true,
      !isAboutQuestion
    else { return nil }
    switch noteDenied(status, authorization, of: job, on: engine) {
    case .again, .renew: return .authorize(failure)
    case .stands, .close:
      failure.cause = deniedCause(status, after: authorization, of: job) ?? failure.cause
      return nil
    }
  }

  /// Records that the server has done what a request around files asked for.
  func noteAnswer(
    to job: UploadEngine.Job, _ authorization: Authorization, on engine: isolated UploadEngine
  ) {
    _ = noteContact(from: .answered, at: authorization.origin, of: job, on: engine)
    noteAccepted(authorization, on: engine)
  }

  /// Holds back the files for a server that asks to wait, and for the target's own server if that is another one.
  func holdBack(
    askedBy failure: Failure, _ authorization: Authorization, on engine: isolated UploadEngine
  ) {
    guard failure.isTransient, let seconds = failure.retryAfter else { return }
    // All listeners are told of the wait. The reply belongs to the file alone, and may contain secrets.
    var failure = failure
    failure.reply = Reply(text: "")
    let origins = [authorization.origin, authorization.route.origin].compactMap(\.self)
    engine.schedule {
      [failure] in
      $0.recordWait(
        of: Set(origins), until: engine.time.now() + seconds, failure,
        of: authorization.items.first)
    }
  }

  /// Records that a server takes a large file, and so has been reached long before it answers.
  func noteProgress(of exchange: Exchange, on engine: isolated UploadEngine) {
    guard exchange.acknowledged > 0, let home = exchange.authorization.route.origin,
      engine.scheduler.isDoubted(home),
      exchange.origin != home || exchange.request.target.redirectOrigins.isEmpty
    else { return }
    engine.schedule { $0.recordReached(home) }
    engine.fillSoon()
  }

  /// Records whether the server could be reached, by a request that went to `reached`. Returns whether the attempt
  /// counts: it does not if the engine waits for servers and the attempt never reached one, which is not the file's
  /// fault. `leadsElsewhere` says that a redirect to another server will be followed.
  private func noteContact(
    from contact: Contact, at reached: Origin?, of job: UploadEngine.Job,
    leadsElsewhere: Bool = false, on engine: isolated UploadEngine
  ) -> Bool {
    guard let origin = job.route.origin else { return true }
    let waitsForServers = engine.scheduler.waitsForServers
    // An engine that waits for servers also waits for one that the target's own server redirects to.
    if case .unreachable(let trouble, let sentAll) = contact, reached == origin || waitsForServers {
      let (now, random) = (engine.time.now(), engine.time.random())
      engine.schedule {
        $0.recordUnreachable(by: job.id, Failure(trouble), at: now, random: random)
      }
      if case .unreachable = trouble, sentAll { return true }
      return !waitsForServers
    }
    // It is not yet known whether the server that the redirect leads to can be reached.
    if reached == origin, leadsElsewhere { return true }
    if reached != origin || contact != .none { engine.schedule { $0.recordReached(origin) } }
    return true
  }

  /// Whether the end is a redirect to another origin that will be followed.
  private func leadsElsewhere(
    _ end: TransferEnd, _ job: UploadEngine.Job, _ redirects: Int
  ) -> Bool {
    // Another room gets a copy of the whole target: ask only about redirects.
    guard end.status == 307 || end.status == 308, !job.isStopped else { return false }
    return Verdict.leadsElsewhere(end, target: job.upload.target, redirects: redirects)
  }

  /// Records that a server has carried out a request with these credentials.
  private func noteAccepted(_ authorization: Authorization, on engine: isolated UploadEngine) {
    // A reply to a request without credentials says nothing about them, nor does one to a request with former ones.
    guard authorization.showsCredentials, replacement(of: authorization.plan) == nil else { return }
    engine.schedule {
      $0.recordAccepted(
        on: authorization.route, with: authorization.number,
        hasCommand: authorization.command != nil)
    }
  }

  /// Records that a server has refused a request with these credentials, by a 401 or 403.
  private func noteDenied(
    _ status: Int, _ authorization: Authorization, of job: UploadEngine.Job,
    on engine: isolated UploadEngine
  ) -> Credentials.Consequence {
    guard [401, 403].contains(status), authorization.showsCredentials else { return .stands }
    // What was refused is no longer in use, so the waiting files need not learn of it.
    guard replacement(of: authorization.plan) == nil else { return .again }
    let failure = Failure(
      deniedCause(status, after: authorization, of: job) ?? .refused, status: status)
    let isSecondTime = engine.wereAuthorizedAgain(authorization.items)
    var consequence = Credentials.Consequence.stands
    engine.schedule {
      let decided = $0.recordRefused(
        authorization.items, on: authorization.route, with: authorization.number, status: status,
        isSecondTime: isSecondTime, command: authorization.command,
        authorization.token?.secrets.hidden(in: failure) ?? failure)
      consequence = decided.0
      return decided.1
    }
    return consequence
  }

  /// What a 401 or 403 means if it persists after the token was renewed, or if the target has no credentials.
  private func deniedCause(
    _ status: Int, after authorization: Authorization, of job: UploadEngine.Job
  ) -> Failure.Cause? {
    guard status == 401 || status == 403 else { return nil }
    if let command = authorization.command, tokens[authorization.route] != nil {
      return .denied("even with a new token from \(command.name)")
    }
    return status == 401 && !job.upload.target.hasCredentials ? .anonymous : nil
  }

  // MARK: New tokens

  /// Runs the command that gives a route's token.
  func renew(_ route: Route, with command: TokenCommand, on engine: isolated UploadEngine) {
    let (refused, source) = (tokens[route], source)
    Task { [weak engine] in
      let result: Result<(token: BearerToken, isNew: Bool), Failure.Cause>
      do throws(Failure.Cause) {
        result = .success(try await source.token(of: command, insteadOf: refused))
      } catch {
        result = .failure(error)
      }
      engine?.onQueue { [result] in $0.access.takeToken(result, of: route, on: $0) }
    }
  }

  private func takeToken(
    _ result: Result<(token: BearerToken, isNew: Bool), Failure.Cause>, of route: Route,
    on engine: isolated UploadEngine
  ) {
    switch result {
    case .success(let (token, isNew)):
      tokens[route] = token
      // A token that is not new may have expired as well. Let the uploads be resent once more with yet another token.
      if !isNew { engine.forgetSecondTime(on: route) }
      engine.schedule { $0.recordRenewed(route, isNew: isNew) }
    case .failure(let cause):
      tokens[route] = nil
      engine.schedule { $0.recordRenewalFailure(route, Failure(cause)) }
    }
    engine.fillSoon()
  }
}

/// What a request shows about whether its server can be reached.
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
  /// What a request around files shows by failing like this.
  fileprivate var contact: Contact {
    guard status == nil else { return .answered }
    if cause.isUnreachable { return .unreachable(cause, sentAll: false) }
    return cause.isLocal ? .none : .answered
  }
}
