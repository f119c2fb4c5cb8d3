import Foundation
import HTTPTransport
import MultipartForm
import Resuming
import Scheduling
import UploadModel

/// The requests of one attempt at a resumable upload. It lasts until the file has arrived or the connection fails.
///
/// A `ResumeMachine` decides what is asked next; this carries that out, in order, and feeds it what happens. It owns
/// the requests under way. It does not judge the end: the attempt does.
final class Conversation: ExchangeObserver {
  enum Ending {
    /// The last request ended like this, with this result for the file. It carried these credentials.
    case ended(TransferEnd, BatchEnd.File, Authorization)
    /// The attempt does not count.
    case restart(Authorization.Restart)
    /// The attempt begins again with what is known now.
    case again
  }

  /// What is to be done, in order.
  private enum Work {
    /// An action, and the request whose news led to it.
    case act(ResumeAction, Exchange?)
    /// Let the rest of a request's body go, now that everything that had to come first is done.
    case releaseBody(Exchange)
    case end(Ending)
  }

  private var machine: any ResumeMachine
  private let job: UploadEngine.Job
  private let attempt: Attempt
  private let way: Attempt.Way
  /// The whole file.
  private let file: HeldFile
  /// Why the file keeps the upload from resuming; nil if it does not.
  private let loss: ResumePoint.Loss?
  private let start: Instant
  /// The attempt's assumption about the server, if it comes only from an earlier session; otherwise nil.
  private let recalled: ResumeServer?
  /// How the upload starts over once its last request has ended; nil if the attempt counts.
  private var restart: Authorization.Restart?
  /// How many bytes have been reported as sent, if the pieces are sent in any order.
  private var reportedBytes: Int64 = 0
  /// How many of the file's bytes are acknowledged; nil if none have been since the server last said what it has, or if
  /// it keeps only whole pieces.
  private var reached: Int64?
  private var underWay: [Exchange] = []
  private var work: [Work] = []
  private var waiting: CheckedContinuation<Void, Never>?
  private var isOver = false

  init(
    about upload: UploadJob, of file: HeldFile, in attempt: Attempt, _ job: UploadEngine.Job,
    _ way: Attempt.Way, loss: ResumePoint.Loss?, on engine: isolated UploadEngine
  ) throws(Failure.Cause) {
    (self.file, self.attempt, self.job, self.way, self.loss) = (file, attempt, job, way, loss)
    let (target, occasion) = (upload.target, attempt.occasion)
    let (point, now) = (job.resumePoint, engine.time.date())
    let server = engine.knownServers.server(on: job.route, of: target)
    let begin = ResumeStart(
      plan: upload.destination, identity: file.identity, url: way.url, point: point,
      server: server, furthest: job.furthest,
      id: UUID.random().uuidString.lowercased(), now: now,
      values: { Preparation.values(for: upload, on: occasion, now: $0) },
      creation: { values throws(Failure.Cause) in
        try UploadRequest.creation(of: upload.destination, at: way.url, values)
      },
      body: { () throws(Failure.Cause) in
        let whole = try Representation(
          upload, on: occasion, of: file, to: way.url, credentials: .none, form: point?.form,
          now: now)
        return (whole.body.contentLength, whole.form)
      })
    machine = try begin.machine()
    start = engine.time.now()
    recalled = engine.knownServers.recalledServer(on: job.route)
  }

  /// Carries out what the machine wants until it has ended.
  func run(on engine: isolated UploadEngine) async -> Ending {
    defer { isOver = true }
    goOn(on: engine) { $0.start(without: loss) }
    var next = 0
    while true {
      guard next < work.count else {
        (work, next) = ([], 0)
        await withCheckedContinuation { waiting = $0 }
        continue
      }
      switch work[next] {
      case .act(let action, let exchange):
        if let ending = await perform(action, exchange, on: engine) { return ending }
      case .releaseBody(let exchange): exchange.task.releaseBody()
      case .end(let ending): return ending
      }
      next += 1
    }
  }

  /// Lets the machine decide, and notes what it wants done.
  private func goOn(
    _ exchange: Exchange? = nil, on engine: isolated UploadEngine,
    _ decide: (inout any ResumeMachine) -> [ResumeAction]
  ) {
    guard !isOver else { return }
    let actions = decide(&machine)
    job.furthest = machine.course.furthest
    if machine.sendsInAnyOrder != file.isReadInAnyOrder { file.isReadInAnyOrder.toggle() }
    engine.adaptLanes(to: machine.width, of: self)
    for action in actions { add(.act(action, exchange)) }
  }

  private func add(_ one: Work) {
    work.append(one)
    waiting.take()?.resume()
  }

  private func perform(
    _ action: ResumeAction, _ exchange: Exchange?, on engine: isolated UploadEngine
  ) async -> Ending? {
    switch action {
    case .send(let request): send(request, on: engine)
    case .digest(let range, let wanted, let number):
      digest(range, wanted, number: number, on: engine)
    case .verify: verify(on: engine)
    case .readAnew:
      // If the file has changed, the next request reports that.
      try? file.begin(anew: true)
      reportedBytes = 0
    case .keep(var point):
      point.moment = file.moment.whileReading
      (point.reached, reached) = (nil, nil)
      job.resumePoint = point
      if point.isAtStart, job.sentFrom == nil { job.sentFrom = point.start }
      engine.hooks.keeping(job.id, point)
      await engine.written()
    case .forget:
      job.resumePoint = nil
      engine.hooks.keeping(job.id, nil)
      await engine.written()
    case .record(let server): record(server, on: engine)
    case .assume(let server): engine.knownServers.assume(server, on: job.route)
    case .startAgain: return .again
    case .stop(let cause): exchange?.breakOff(because: cause)
    case .end(let end): return self.end(end, exchange, on: engine)
    }
    return nil
  }

  private func end(
    _ end: TransferEnd, _ exchange: Exchange?, on engine: isolated UploadEngine
  ) -> Ending {
    if let restart { return .restart(restart) }
    let isFirst = engine.knownServers.settle(job.route)
    if let recalled, recalled.isRefuted(by: end) {
      // Only the first upload to notice this deletes the record. The others use what that upload finds out.
      if isFirst { record(nil, on: engine) }
      return .again
    }
    return conclude(end, exchange, on: engine)
  }

  private func conclude(
    _ end: TransferEnd, _ exchange: Exchange?, on engine: isolated UploadEngine
  ) -> Ending {
    if end.status.map({ $0 >= 300 }) ?? true, var point = job.resumePoint {
      // Another process that resumes the upload cannot use data that only this one has in memory.
      point.moment = file.moment
      point.reached = reached ?? point.reached
      job.resumePoint = point
      engine.hooks.keeping(job.id, point)
    }
    var end = end
    end.seconds = engine.time.now() - start
    end.pieces = machine.course.point?.pieceCount
    // The file's description in the last request is recorded with the reply.
    let last = exchange?.files.first
    var share = BatchEnd.File(id: job.id)
    (share.bytes, share.cause, share.sent) = (end.bytes, last?.cause, last?.sent)
    if job.upload.target.after.way != nil { share.moment = file.moment }
    let authorization =
      exchange?.authorization
      ?? engine.access.authorization(of: [id], like: job, to: job.route.origin, on: engine)
    return .ended(end, share, authorization)
  }

  private func record(_ server: ResumeServer?, on engine: isolated UploadEngine) {
    engine.knownServers.record(
      server, on: job.route, of: job.upload.target, isElsewhere: way.redirects > 0)
  }

  // MARK: Requests

  private func send(_ request: ResumeRequest, on engine: isolated UploadEngine) {
    let course = machine.course
    if machine.isFinishing {
      engine.note([(job.id, .awaitingReply(attempt: attempt.number, since: engine.time.now()))])
    } else if machine.sendsInAnyOrder {
      reportProgress(on: engine)
    } else if let content = request.content, content.lowerBound > 0 {
      let sent = course.fileOffset(content.lowerBound)
      engine.note([(job.id, .sending(attempt: attempt.number, sent: sent, total: course.size))])
    }
    Task {
      await withTaskExecutorPreference(engine.executor) { await exchange(request, on: engine) }
    }
  }

  /// Sends a request and hands its end to the machine.
  private func exchange(_ request: ResumeRequest, on engine: isolated UploadEngine) async {
    let digests = await digests(for: request, on: engine)
    // The user may have cancelled or paused the upload between two requests.
    if job.isStopped {
      return breakOff(.cancelled, at: request.url, number: request.number, on: engine)
    }
    var asked = request
    if !way.keepsCredentials { asked.staysAway = true }
    if let algorithm = request.checksum, let sum = digests?[algorithm] {
      asked.addChecksum(algorithm, sum)
    }
    let authorization = engine.access.authorization(
      of: [id], like: job, to: Origin(request.url), keepsCredentials: !asked.staysAway, on: engine)
    let made: UploadRequest
    do throws(Failure.Cause) {
      made = try make(asked, authorization, digests, on: engine)
      if asked.isTargetsOwn, let cause = engine.claim(made.exchange.url, for: job) { throw cause }
    } catch {
      return breakOff(error, at: request.url, number: request.number, on: engine)
    }
    job.token = authorization.token
    let exchange = engine.exchanges.begin(
      made, to: request.url, attempt: attempt.number, authorization,
      cookies: engine.cookies(of: job), isAhead: false, observer: self, on: engine)
    underWay.append(exchange)
    let ending = await exchange.end(on: engine)
    underWay.removeAll { $0 === exchange }
    guard case .ended(var end) = ending else { return }
    engine.judgeAhead(after: exchange, end)
    guard
      let restart = engine.access.settle(
        &end, authorization, of: job, redirects: way.redirects, isProof: exchange.isProof(end),
        on: engine)
    else { return goOn(exchange, on: engine) { $0.handle(end, now: engine.time.date()) } }
    guard isWide else { return add(.end(.restart(restart))) }
    // The upload's other requests end first. If one of them has failed, its failure decides what happens.
    if !machine.isBreakingOff { self.restart = restart }
    var cut = TransferEnd(url: exchange.url, trouble: .cancelled, sentAll: false)
    cut.number = exchange.request.number
    goOn(exchange, on: engine) { $0.handle(cut, now: engine.time.date()) }
  }

  /// The digests that a request states about its part of the file.
  private func digests(
    for request: ResumeRequest, on engine: isolated UploadEngine
  ) async -> ContentDigests? {
    // A form also contains bytes that are not the file's, and is not signed.
    let isSigned = job.upload.destination.signsContent && machine.course.form == nil
    let wanted = Set([request.checksum, isSigned ? .sha256 : nil].compactMap(\.self))
    guard let content = request.content, !wanted.isEmpty, !job.isStopped else { return nil }
    let file = file
    return await attempt.offQueue(on: engine) { FileDigest.digests(wanted, of: file, in: content) }
  }

  private func make(
    _ asked: ResumeRequest, _ authorization: Authorization, _ digests: ContentDigests?,
    on engine: isolated UploadEngine
  ) throws(Failure.Cause) -> UploadRequest {
    let credentials: RequestHead.Credentials =
      authorization.showsCredentials ? .all(token: authorization.token?.secret) : .none
    let sha256 = job.upload.destination.signsContent ? digests?[.sha256] : nil
    let (course, now) = (machine.course, engine.time.date())
    guard type(of: machine).sendsTargetsBody else {
      return try UploadRequest(
        asked, of: job.upload, on: attempt.occasion, file, course.values,
        credentials: credentials, sha256: sha256, now: now)
    }
    let whole = try Representation(
      job.upload, on: attempt.occasion, of: file, to: way.url, credentials: credentials,
      form: course.form, now: now)
    return try UploadRequest(
      asked, of: job.upload, on: attempt.occasion, whole, course.values, credentials: credentials,
      mayExpect: engine.exchanges.mayExpect(at: asked.url), sha256: sha256, now: now)
  }

  /// Ends an attempt that cannot continue.
  private func breakOff(
    _ cause: Failure.Cause, at url: URL, number: Int, on engine: isolated UploadEngine
  ) {
    var end = TransferEnd(url: url, trouble: cause, sentAll: false)
    end.number = number
    if isWide { return goOn(on: engine) { $0.handle(end, now: engine.time.date()) } }
    end.hasAdvanced = machine.course.hasAdvanced
    end.mayBeWhole = machine.mayBeWhole
    add(.end(conclude(end, nil, on: engine)))
  }

  /// Computes digests of a range of the file, for a request that must state them.
  private func digest(
    _ range: Range<Int64>, _ wanted: Set<ContentDigests.Algorithm>, number: Int,
    on engine: isolated UploadEngine
  ) {
    let file = file
    Task {
      let digests = await attempt.offQueue(on: engine) {
        FileDigest.digests(wanted, of: file, in: range)
      }
      if job.isTakenBack {
        breakOff(.cancelled, at: way.url, number: number, on: engine)
      } else if let digests {
        goOn(on: engine) { $0.handle(digests, number: number) }
      } else {
        breakOff(FileDigest.failure, at: way.url, number: number, on: engine)
      }
    }
  }

  /// Checks whether all the bytes that were sent were in the file at a single moment.
  private func verify(on engine: isolated UploadEngine) {
    let file = file
    Task {
      let trouble = await attempt.offQueue(on: engine) { () -> Failure.Cause? in
        do throws(FileError) { try file.verify() } catch {
          return Failure.Cause(error, wasSeen: true)
        }
        return nil
      }
      if job.isTakenBack {
        breakOff(.cancelled, at: way.url, number: 0, on: engine)
      } else {
        goOn(on: engine) { $0.handle(verified: trouble) }
      }
    }
  }

  /// Whether requests other than the current one are under way, or one has failed.
  private var isWide: Bool { machine.width > 1 || machine.isBreakingOff }

  // MARK: Several requests at once

  /// Whether one more piece could be sent at once if a lane were free.
  var wantsMore: Bool { machine.wantsMore && !job.isTakenBack }

  var id: ItemID { job.id }

  func sendMore(on engine: isolated UploadEngine) { goOn(on: engine) { $0.sendMore() } }

  // MARK: What happens before an end

  /// Breaks off what is under way, except what is `spared`. No other request begins.
  func stop(_ id: ItemID, sparing spared: Attempt.Spared) {
    for exchange in underWay {
      exchange.stop(id, isSpared: spared == .request || spared == .end && mayEnd(by: exchange))
    }
  }

  /// Whether a request may end the upload. After the loss of any other one, the server says what it has, or the request
  /// is repeated.
  private func mayEnd(by exchange: Exchange) -> Bool {
    exchange.request.endsUpload || machine.mayFinish && exchange.carriesEnd
  }

  /// Whether the server may have received the end of the upload, or will soon, at the speed so far.
  func hasSentAll(orWillWithin seconds: Double) -> Bool {
    !underWay.isEmpty
      && underWay.allSatisfy { mayEnd(by: $0) && $0.hasSentAll(orWillWithin: seconds) }
  }

  func exchangeProgressed(_ exchange: Exchange, on engine: isolated UploadEngine) {
    engine.access.noteProgress(of: exchange, on: engine)
    if machine.sendsInAnyOrder { return reportProgress(on: engine) }
    var news = exchange.changes(at: engine.time.now())
    // The reply to a piece is not the reply that the upload awaits.
    if case .awaitingReply? = news.first?.1, !machine.mayFinish {
      let size = machine.course.size
      news = [(job.id, .sending(attempt: attempt.number, sent: size, total: size))]
    }
    if machine.course.point?.pieces == nil, let state = news.first?.1 {
      reached = state.bytesAcknowledged(of: machine.course.size) ?? reached
    }
    engine.note(news)
  }

  /// Reports how much of an upload the server has, including the pieces under way. Within an attempt, the number never
  /// falls, even if a piece is lost.
  private func reportProgress(on engine: isolated UploadEngine) {
    let course = machine.course
    let pieces = underWay.reduce(0) { $0 + ($1.files.first?.bytes ?? 0) }
    let sent = min(course.size, course.taken + pieces)
    guard sent > reportedBytes else { return }
    reportedBytes = sent
    engine.note([(job.id, .sending(attempt: attempt.number, sent: sent, total: course.size))])
  }

  func exchangeHoldsEnd(_ exchange: Exchange, on engine: isolated UploadEngine) {
    goOn(exchange, on: engine) { $0.handleHeldEnd() }
    add(.releaseBody(exchange))
  }

  func exchangeReceived(
    _ interim: ReplyHead, _ exchange: Exchange, on engine: isolated UploadEngine
  ) {
    if interim.status == 104 {
      goOn(exchange, on: engine) {
        $0.handle(interim: interim.headers, at: exchange.task.request.url, now: engine.time.date())
      }
    }
    guard interim.status == 100, machine.awaitsOffer else { return add(.releaseBody(exchange)) }
    // The 100 may have come from a proxy. If no offer comes in time, the machine decides what happens to the request.
    let number = exchange.task.taskIdentifier
    _ = engine.after(Self.offerPatience) { $0.exchanges[number]?.waitedForOffer(on: $0) }
  }

  /// How many seconds the content of a request waits for an offer after a 100 reply.
  private static let offerPatience = 0.3

  func exchangeWaitedForOffer(_ exchange: Exchange, on engine: isolated UploadEngine) {
    guard machine.awaitsOffer else { return add(.releaseBody(exchange)) }
    goOn(exchange, on: engine) { $0.handleLackOfOffer() }
  }
}
