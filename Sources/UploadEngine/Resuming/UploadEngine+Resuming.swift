import Foundation
import HTTPTransport
import MultipartForm
import UploadModel

/// Uploads that resume where they were broken off. An attempt is a conversation of several requests, led by a
/// `ResumeMachine`. It lasts until the file has arrived or the connection fails.
extension UploadEngine {
  /// Called on the engine's queue with the point where an upload can resume, before more of it is sent; nil if
  /// it has to start over.
  package typealias Keeping = @Sendable (_ item: ItemID, _ point: ResumePoint?) -> Void

  /// A conversation under way.
  struct Conversation {
    var machine: any ResumeMachine
    let attempt: Int
    /// Where the attempt was told to go.
    let url: URL
    /// The file, from the first byte to the last.
    let file: HeldFile
    /// The form around the file; nil if it goes without one.
    let form: ResumePoint.Form?
    /// Whether the requests may carry the target's credentials: false after a redirect to another origin.
    let keepsCredentials: Bool
    let start: Instant
    /// The values for placeholders in header fields.
    let values: Template.Values
    /// What the attempt assumed about the server, if only an earlier run found that out.
    let recalled: ResumeServer?
    /// What to do instead of ending the attempt, once its last request has ended.
    var restart: Restart?
    /// How many bytes have been reported as sent, if the pieces go in any order.
    var told: Int64 = 0

    /// Whether more than the request at hand is under way, or has failed.
    var isWide: Bool { machine.width > 1 || machine.isBreakingOff }
  }

  /// What to do about an upload whose attempt does not count.
  enum Restart { case wait, authorize }

  /// Begins an attempt.
  func converse(
    about upload: UploadJob, at url: URL, attempt: Int, keepsCredentials: Bool
  ) {
    guard let job = jobs[upload.item.id] else { return }
    do throws(Failure.Cause) {
      let (upload, file) = try withPresentFile(upload, job)
      if !upload.target.digests.isEmpty, upload.item.digests == nil {
        return digest(upload, of: file, at: url) { engine, upload in
          engine.converse(
            about: upload, at: url, attempt: attempt, keepsCredentials: keepsCredentials)
        }
      }
      let begin: @Sendable (isolated UploadEngine, ResumePoint.Loss?) -> Void = { engine, loss in
        engine.converse(
          about: upload, of: file, without: loss, at: url, attempt: attempt,
          keepsCredentials: keepsCredentials)
      }
      switch try proof(of: file, job) {
      case .same: begin(self, nil)
      case .none: begin(self, .fileUncertain)
      case .inContent:
        step(for: [upload.item.id]) { engine, number in
          let isSame = (try? file.compare()) ?? false
          engine.onQueue { engine in
            guard engine.endStep(number) else { return }
            guard !engine.isTakenBack(upload.item.id) else {
              return engine.leaveOut([upload.item.id], .cancelled, url)
            }
            begin(engine, isSame ? nil : .fileChanged)
          }
        }
      }
    } catch {
      leaveOut([upload.item.id], error, url)
    }
  }

  private func converse(
    about upload: UploadJob, of file: HeldFile, without loss: ResumePoint.Loss?, at url: URL,
    attempt: Int, keepsCredentials: Bool
  ) {
    guard let job = jobs[upload.item.id] else { return }
    do throws(Failure.Cause) {
      let (machine, form, values) = try machine(for: upload, of: file, at: url, job)
      job.conversation = Conversation(
        machine: machine, attempt: attempt, url: url, file: file, form: form,
        keepsCredentials: keepsCredentials, start: time.now(), values: values,
        recalled: recalled.contains(job.route) ? resumeServers[job.route] : nil)
      goOn(upload.item.id) { $0.start(without: loss, now: time.date()) }
    } catch {
      leaveOut([upload.item.id], error, url)
    }
  }

  /// The upload with its file as it is now. If the upload has begun, the file may have changed since: that is
  /// reported, and the upload starts over. Otherwise the file has to be as it was when it was queued.
  private func withPresentFile(
    _ upload: UploadJob, _ job: Job
  ) throws(Failure.Cause) -> (UploadJob, HeldFile) {
    let point = job.resumePoint.flatMap { $0.target == upload.target.name ? $0 : nil }
    let file = try heldFile(of: upload.item, point, job)
    guard point != nil else { return (upload, file) }
    var upload = upload
    if upload.item.identity != file.identity { upload.item.digests = nil }
    (upload.item.identity, upload.item.size) = (file.identity, file.identity.size)
    if let refusal = upload.target.limits.refusal(of: upload.item) { throw refusal }
    job.update(upload)
    return (upload, file)
  }

  /// Computes the checksums that the target asks for, of the file as it is sent.
  private func digest(
    _ upload: UploadJob, of file: HeldFile, at url: URL,
    then goOn: @escaping @Sendable (isolated UploadEngine, UploadJob) -> Void
  ) {
    let id = upload.item.id
    step(for: [id]) { engine, number in
      let digests = FileDigest.digests(upload.target.digests, of: file)
      engine.onQueue { engine in
        guard engine.endStep(number) else { return }
        guard !engine.isTakenBack(id) else { return engine.leaveOut([id], .cancelled, url) }
        guard let digests else {
          return engine.leaveOut(
            [id], .unreadable("its checksums could not be computed"), url)
        }
        var upload = upload
        upload.item.digests = digests
        engine.jobs[id]?.keep(digests)
        goOn(engine, upload)
      }
    }
  }

  /// The file held open since the last attempt, or opened now.
  private func heldFile(
    of item: UploadItem, _ point: ResumePoint?, _ job: Job
  ) throws(Failure.Cause) -> HeldFile {
    if let file = job.file, file.location == item.location, file.isCurrent { return file }
    let file = try item.opened(after: point)
    job.file = file
    return file
  }

  /// How to tell that the file still holds what has been sent of it.
  private func proof(of file: HeldFile, _ job: Job) throws(Failure.Cause) -> HeldFile.Proof {
    // A different file means a different upload, which the machine notices itself.
    guard let point = job.resumePoint, point.identity == file.identity else { return .same }
    guard point.moment != nil else { return .none }
    do throws(FileError) { return try file.proof(of: point.taken) } catch {
      throw Failure.Cause(error, wasSeen: true)
    }
  }

  private func machine(
    for upload: UploadJob, of file: HeldFile, at url: URL, _ job: Job
  ) throws(Failure.Cause) -> (any ResumeMachine, ResumePoint.Form?, Template.Values) {
    let (target, point) = (upload.target, job.resumePoint)
    let identity = file.identity
    let server = server(of: job)
    if let rules = target.resume.pieces {
      let values = Preparation.values(for: upload, now: time.date())
      let base = rules.url == nil ? try UploadRequest.creation(of: target, at: url, values) : url
      let machine = PieceMachine(
        target: target, rules: rules, identity: identity, base: base,
        id: UUID.random().uuidString.lowercased(), values: values, point: point,
        furthest: job.furthest)
      return (machine, nil, values)
    }
    guard target.resume.mode(continuing: point, at: server) == .http else {
      let tus: TusServer? = if case .tus(let known)? = server { known } else { nil }
      let values = Preparation.values(for: upload, now: time.date())
      let machine = TusMachine(
        target: target, identity: identity,
        creation: try UploadRequest.creation(of: target, at: url, values),
        metadata: target.resume.metadataHeader(with: values), point: point, server: tus,
        furthest: job.furthest)
      return (machine, nil, values)
    }
    let whole = try Representation(
      upload, of: file, to: url, credentials: .none, form: point?.form, now: time.date())
    let values = Preparation.values(for: upload, now: whole.form?.made ?? time.date())
    let machine = HTTPResumeMachine(
      target: target, identity: identity,
      creation: try UploadRequest.creation(of: target, at: url, values),
      length: whole.body.contentLength, lead: whole.lead, form: whole.form, point: point,
      server: server, furthest: job.furthest)
    return (machine, whole.form, values)
  }

  /// Handles an interim reply to one of a conversation's requests.
  func inform(_ id: ItemID, of head: ReplyHead, _ transfer: Transfer) {
    guard jobs[id]?.conversation != nil else { return }
    goOn(id, transfer) {
      $0.handle(interim: head.headers, at: transfer.task.request.url, now: time.date())
    }
  }

  /// Handles the end of one of a conversation's requests.
  func goOn(_ id: ItemID, after end: TransferEnd, of transfer: Transfer) {
    goOn(id, transfer) { $0.handle(end, now: time.date()) }
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
        // If the file has changed, the next request says so.
        try? conversation.file.beginAnew()
        job.conversation?.told = 0
      case .verify: verify(id, conversation)
      case .keep(var point):
        point.moment = conversation.file.moment.whileReading
        job.resumePoint = point
        keeping(id, point)
      case .forget:
        job.resumePoint = nil
        keeping(id, nil)
      case .learn(let server): learn(server, of: job)
      case .assume(let server): resumeServers[job.route] = server
      case .startAgain: startAgain(conversation, job)
      case .stop(let cause):
        transfer?.trouble = cause
        transfer?.task.cancel()
      case .end(let end):
        if let restart = conversation.restart {
          job.conversation = nil
          startOver(restart, [id])
          return
        }
        let isFirst = recalled.remove(job.route) != nil
        if let server = conversation.recalled, server.isRefuted(by: end) {
          // The others use what the first one finds out.
          if isFirst { learn(nil, of: job) }
          startAgain(conversation, job)
        } else {
          conclude(conversation, end, of: id, transfer)
        }
      }
    }
  }

  /// Computes digests of a range of the file, which a request about it is to name.
  private func digest(
    _ range: Range<Int64>, _ wanted: Set<ContentDigests.Algorithm>, _ request: Int, of id: ItemID,
    _ conversation: Conversation
  ) {
    step(for: [id]) { engine, number in
      let digests = FileDigest.digests(wanted, of: conversation.file, in: range)
      engine.onQueue { engine in
        guard engine.endStep(number) else { return }
        guard !engine.isTakenBack(id) else {
          return engine.broken(.cancelled, id, conversation, conversation.url, request)
        }
        guard let digests else {
          return engine.broken(
            .unreadable("its checksums could not be computed"), id, conversation, conversation.url,
            request)
        }
        engine.goOn(id) { $0.handle(digests, number: request) }
      }
    }
  }

  /// Finds out whether the file held everything that was sent of it at one moment.
  private func verify(_ id: ItemID, _ conversation: Conversation) {
    step(for: [id]) { engine, number in
      var trouble: Failure.Cause?
      do throws(FileError) { try conversation.file.verify() } catch {
        trouble = Failure.Cause(error, wasSeen: true)
      }
      let found = trouble
      engine.onQueue { engine in
        guard engine.endStep(number) else { return }
        guard !engine.isTakenBack(id) else {
          return engine.broken(.cancelled, id, conversation, conversation.url, 0)
        }
        engine.goOn(id) { $0.handle(verified: found) }
      }
    }
  }

  // MARK: Several requests at once

  /// Sends more pieces at once of the uploads that can use it, on lanes that no file waits for.
  func widen() {
    var goesOn = true
    while goesOn {
      goesOn = false
      for id in widening.sorted() {
        guard let job = jobs[id], job.conversation?.machine.wantsMore == true, !isTakenBack(id)
        else {
          widening.remove(id)
          continue
        }
        guard scheduler.takeLane(beside: id) else { continue }
        goesOn = true
        goOn(id) { $0.sendMore() }
      }
    }
  }

  func sendsInAnyOrder(_ id: ItemID) -> Bool {
    jobs[id]?.conversation?.machine.sendsInAnyOrder == true
  }

  /// Reports what the server has of an upload, with what it has of the pieces under way. That never falls: a piece that
  /// is lost counts again in the next attempt.
  func tellProgress(of id: ItemID) {
    guard let job = jobs[id], let conversation = job.conversation else { return }
    let course = conversation.machine.course
    let underWay = job.tasks.reduce(into: Int64(0)) { sum, task in
      sum += transfers[task]?.files.first?.bytes ?? 0
    }
    let sent = min(course.size, course.taken + underWay)
    guard sent > conversation.told else { return }
    job.conversation?.told = sent
    let attempt = conversation.attempt
    tell([
      (
        id,
        sent < course.size
          ? .sending(attempt: attempt, sent: sent, total: course.size)
          : .awaitingReply(attempt: attempt, since: time.now())
      )
    ])
  }

  private func send(_ request: ResumeRequest, of id: ItemID, _ conversation: Conversation) {
    guard let job = jobs[id] else { return }
    if conversation.machine.sendsInAnyOrder {
      tellProgress(of: id)
    } else if let content = request.content, content.lowerBound > 0 {
      tell([
        (
          id,
          .sending(
            attempt: conversation.attempt,
            sent: conversation.machine.course.fileOffset(content.lowerBound),
            total: conversation.machine.course.size)
        )
      ])
    }
    // The user may have taken it back between two requests.
    if case .running(let run) = job.machine.state, run.stop != nil {
      return broken(.cancelled, id, conversation, request.url, request.number)
    }
    let isSigned = job.upload.target.signsContent
    guard let content = request.content, request.checksum != nil || isSigned else {
      return send(request, sum: nil, sha256: nil, of: id, conversation)
    }
    step(for: [id]) { engine, number in
      let file = conversation.file
      let sum = request.checksum.flatMap { FileDigest.sum($0, of: file, in: content) }
      // A form has bytes of its own, and no signature.
      let signed =
        isSigned && conversation.form == nil
        ? FileDigest.digests([.sha256], of: file, in: content) : nil
      engine.onQueue { engine in
        guard engine.endStep(number) else { return }
        engine.send(request, sum: sum, sha256: signed?[.sha256], of: id, conversation)
      }
    }
  }

  private func send(
    _ request: ResumeRequest, sum: [UInt8]?, sha256: String?, of id: ItemID,
    _ conversation: Conversation
  ) {
    guard let job = jobs[id] else { return }
    if case .running(let run) = job.machine.state, run.stop != nil {
      return broken(.cancelled, id, conversation, request.url, request.number)
    }
    var asked = request
    if !conversation.keepsCredentials { asked.staysAway = true }
    let (origin, isTrusted) = (Origin(request.url), !asked.staysAway)
    guard let authorization = authorization(of: [id], to: origin, keepsCredentials: isTrusted)
    else { return }
    if let sum, let algorithm = request.checksum {
      asked.addChecksum(algorithm, sum)
    }
    let credentials: RequestHead.Credentials =
      authorization.showsCredentials ? .all(token: authorization.token?.secret) : .none
    do throws(Failure.Cause) {
      let made = try self.request(asked, of: job.upload, conversation, credentials, sha256)
      if asked.isTargetsOwn,
        let cause = sentAddresses.claim(
          made.exchange.url.absoluteString, for: job.upload.item, of: job.upload.target)
      {
        throw cause
      }
      begin(
        made, to: request.url, attempt: conversation.attempt, authorization: authorization)
    } catch {
      broken(error, id, conversation, request.url, request.number)
    }
  }

  private func request(
    _ asked: ResumeRequest, of upload: UploadJob, _ conversation: Conversation,
    _ credentials: RequestHead.Credentials, _ sha256: String?
  ) throws(Failure.Cause) -> UploadRequest {
    guard type(of: conversation.machine).sendsTargetsBody else {
      return try UploadRequest(
        asked, of: upload, conversation.file, conversation.values,
        credentials: credentials, sha256: sha256, now: time.date())
    }
    let whole = try Representation(
      upload, of: conversation.file, to: conversation.url, credentials: credentials,
      form: conversation.form,
      now: time.date())
    return try UploadRequest(
      asked, of: upload, whole, conversation.values, credentials: credentials,
      mayExpect: mayExpect(at: asked.url), sha256: sha256, now: time.date())
  }

  /// Ends an attempt that could not go on.
  private func broken(
    _ cause: Failure.Cause, _ id: ItemID, _ conversation: Conversation, _ url: URL, _ number: Int
  ) {
    var end = TransferEnd(url: url, trouble: cause, sentAll: false)
    end.number = number
    let conversation = jobs[id]?.conversation ?? conversation
    if conversation.isWide {
      let broken = end
      return goOn(id) { $0.handle(broken, now: time.date()) }
    }
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
      // Another process that resumes the upload cannot use what this one has in memory.
      point.moment = conversation.file.moment
      job.resumePoint = point
      keeping(id, point)
    }
    var end = end
    end.seconds = time.now() - conversation.start
    // What the last request says of the file goes with the reply.
    let last = transfer?.files.first
    let files = [BatchEnd.File(id: id, bytes: end.bytes, cause: last?.cause, sent: last?.sent)]
    let (target, attempt, judged) = (job.upload.target, conversation.attempt, end)
    guard let transfer,
      makesRecords(
        of: transfer, end,
        then: { engine, failures in
          engine.conclude(judged, of: files, attempt, to: target, withoutRecord: failures)
        })
    else { return conclude(end, of: files, attempt, to: target) }
  }

  // MARK: Taking back

  /// Asks servers to delete what they have of uploads that are no longer wanted. The caller stops those under way.
  package nonisolated func terminate(_ uploads: [UploadJob]) {
    onQueue { engine in
      for upload in uploads {
        guard upload.target.resume.isOn else { continue }
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
    let isHome = Origin(point.url) == target.origin
    guard isHome || Origin(point.url).map(target.redirectOrigins.contains) == true,
      case let values = Preparation.values(for: upload, now: time.date()),
      let termination = point.termination(at: target, values),
      let request = try? UploadRequest(
        termination, of: upload, values,
        credentials: termination.mayCarryCredentials(of: target)
          ? .all(token: tokens[Route(to: target)]?.secret) : .none,
        now: time.date())
    else { return }
    let (session, exchange, timeout, time) = (
      session, request.exchange, target.stallTimeout, time
    )
    // If this fails, the server's own expiry does the same later.
    Task.detached { _ = await session.end(of: exchange, stallTimeout: timeout, time: time) }
  }
}

extension UploadItem {
  /// The file, held open. Unless its upload has begun, it has to be as it was when it was queued.
  func opened(after point: ResumePoint? = nil) throws(Failure.Cause) -> HeldFile {
    do throws(FileError) {
      return try HeldFile(
        self.location, expecting: point == nil ? self.identity : nil, resuming: point?.moment)
    } catch {
      throw Failure.Cause(error, wasSeen: self.identity != nil)
    }
  }
}
