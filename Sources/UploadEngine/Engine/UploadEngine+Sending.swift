import Foundation
import HTTPTransport
import MultipartForm
import UploadModel

/// Requests: start, progress and end.
extension UploadEngine {
  func send(_ ids: [ItemID], to url: URL, attempt: Int, keepsCredentials: Bool) {
    let start = time.now()
    var uploads: [UploadJob] = []
    for id in ids {
      guard let job = jobs[id] else { continue }
      let (begin, deadline) = (job.begin ?? start, job.upload.target.deadline ?? .infinity)
      if !scheduler.isAhead(id) { job.begin = begin }
      if start - begin > deadline {
        leaveOut([id], .outOfTime(seconds: deadline), url)
      } else {
        uploads.append(job.upload)
      }
    }
    if makesReady(
      uploads.map(\.item.id), to: url, attempt: attempt, keepsCredentials: keepsCredentials)
    {
      return
    }
    uploads = attachPrepared(uploads, url)
    func goesOn(_ upload: UploadJob) -> Bool {
      upload.target.resume.holds(for: upload.item.size)
        || upload.target.resume.isOn && jobs[upload.item.id]?.resumePoint != nil
    }
    let resuming = uploads.filter(goesOn)
    for upload in resuming {
      converse(about: upload, at: url, attempt: attempt, keepsCredentials: keepsCredentials)
    }
    uploads.removeAll { upload in resuming.contains { $0.item.id == upload.item.id } }
    guard let first = uploads.first, let home = jobs[first.item.id]?.route.origin else { return }
    let ticketed = ready[first.item.id]?.address
    let url = if url == first.target.url, let ticketed { ticketed } else { url }
    let origin = url == first.target.url ? home : Origin(url)
    // Only the target's own origin gets credentials, whatever was decided elsewhere.
    guard
      let authorization = authorization(
        of: uploads.map(\.item.id), to: origin, keepsCredentials: keepsCredentials)
    else { return }
    let (request, faults) = UploadRequest.make(
      uploads, to: url, token: authorization.token,
      hidesCredentials: !authorization.showsCredentials,
      mayExpect: mayExpect(at: url), now: time.date())
    for fault in faults { leaveOut(fault.items, fault.cause, url) }
    guard let request else { return }
    // What a prepare command has made lies somewhere else in each attempt.
    let file = jobs[first.item.id]?.upload.item ?? first.item
    if let cause = sentAddresses.claim(
      request.exchange.url.absoluteString, for: file, of: first.target)
    {
      return leaveOut([first.item.id], cause, url)
    }
    if first.target.prepare != nil {
      // The prepared file differs in size from the original.
      tell(
        request.files.map { item, content in
          (item.id, .sending(attempt: attempt, sent: 0, total: Int64(content.count)))
        })
    }
    begin(request, to: url, attempt: attempt, authorization: authorization)
  }

  /// Starts a request, or queues it if it was prepared ahead.
  func begin(
    _ request: UploadRequest, to url: URL, attempt: Int, authorization: Authorization
  ) {
    var asked = request.exchange
    asked.limits = limits(for: request.target)
    let isAhead = request.files.contains { scheduler.isAhead($0.item.id) }
    if isAhead { asked.body = UploadBody(request.body).readAhead() }
    let route = authorization.route
    let task = session.task(
      asked, delegate: TransferListener(self, route, request.target.response))
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
    ahead.withLock { $0.append(RequestAhead(route: route, task: task)) }
  }

  /// Fails files that cannot be sent; the request is made without them.
  func leaveOut(_ ids: [ItemID], _ cause: Failure.Cause, _ url: URL) {
    for id in ids { recordBegun(id) }
    let end = TransferEnd(url: url, trouble: cause, sentAll: false)
    if let first = ids.first { _ = learn(from: end, at: jobs[first]?.route.origin, of: first) }
    handle(ids.map { ($0, ended(end)) })
  }

  /// Brings news of a task to the engine's queue.
  nonisolated func receive(_ news: News, of number: Int) {
    receive([(number, news)], canWait: true)
  }

  /// Brings a task's end to the engine's queue, with what the rules read in the reply.
  nonisolated func receive(
    _ end: ExchangeEnd, of number: Int, on route: Route, _ rules: ReplyRules
  ) {
    guard rules.needsContent else { return receive(end, nil, of: number, on: route) }
    replyQueue.async {
      let content = rules.read(Reply(text: Transfer.text(of: end)))
      self.receive(end, content, of: number, on: route)
    }
  }

  /// Brings an end to the engine's queue. After a success, the route's next request begins.
  nonisolated private func receive(
    _ end: ExchangeEnd, _ content: ReplyContent?, of number: Int, on route: Route
  ) {
    let news = News.ended(end, content)
    guard end.trouble == nil, let status = end.head?.status, (200..<300).contains(status),
      let (next, left) = takeNext(on: route)
    else { return receive([(number, news)], canWait: false) }
    // In this order, because the second request takes the lane that the first one leaves.
    receive(
      [(number, news), (next.task.taskIdentifier, .begun(at: time.now()))],
      canWait: left >= Self.manyAhead)
    next.task.resume()
  }

  /// Brings news to the engine's queue, together with more that arrives meanwhile: with small files, a
  /// thread switch for each item would be expensive.
  ///
  /// - Parameter canWait: whether the transport may first send what it can send now.
  nonisolated private func receive(_ news: [(transfer: Int, news: News)], canWait: Bool) {
    let isFirst = inbox.withLock { inbox in
      defer { inbox.news += news }
      return inbox.news.isEmpty
    }
    if !canWait {
      callForNews()
    } else if isFirst {
      session.postpone { [weak self] in self?.callForNews() }
    }
  }

  /// Has the engine's queue handle the inbox, unless that has been done or is about to be.
  nonisolated private func callForNews() {
    let isNeeded = inbox.withLock { inbox in
      guard !inbox.isCalled, !inbox.news.isEmpty else { return false }
      inbox.isCalled = true
      return true
    }
    guard isNeeded else { return }
    onQueue { engine in
      let news = engine.inbox.withLock { inbox in
        defer { inbox = Inbox() }
        return inbox.news
      }
      engine.inOneTurn {
        for (number, news) in news { engine.handle(news, of: number) }
      }
    }
  }

  private func handle(_ news: News, of number: Int) {
    guard let transfer = transfers[number] else { return }
    let now = time.now()
    if case .begun(let instant) = news { return recordBegun(transfer, at: instant) }
    transfer.recordActivity(at: now)
    switch news {
    case .begun: break
    case .acknowledged(let bytes):
      transfer.recordAcknowledged(bytes)
      if let id = transfer.shares.first?.item.id, sendsInAnyOrder(id) {
        tellProgress(of: id)
      } else {
        tell(transfer.news(at: now))
      }
    case .expectIgnored:
      if let origin = transfer.origin { deafToExpect.insert(origin) }
    case .informed(let head):
      if head.status == 104, let id = transfer.shares.first?.item.id {
        inform(id, of: head, transfer)
      }
      transfer.task.releaseBody()
    case .responded(let head):
      transfer.recordHead(head)
    case .ended(let end, let content):
      transfers[number] = nil
      transfer.recordEnd(end, content)
      conclude(transfer)
    }
  }

  private func conclude(_ transfer: Transfer) {
    for id in transfer.items { jobs[id]?.tasks.remove(transfer.task.taskIdentifier) }
    let target = transfer.request.target
    var end = transfer.end(at: time.now())
    if isAhead(transfer) {
      remove { $0.task === transfer.task }
      return handle(transfer.items.map { ($0, .notBegun) })
    }
    judgeAhead(after: transfer, end)
    let first = transfer.shares[0].item.id
    guard learn(from: end, at: transfer.origin, of: first) else {
      return startOver(.wait, after: transfer)
    }
    // Servers answer OPTIONS without checking credentials.
    let isProof = transfer.request.exchange.method != "OPTIONS" || end.status == 401
    switch isProof ? judgeCredentials(of: transfer.authorization, end, to: target) : .stands {
    case .stands, .close:
      if end.status == 401 || end.status == 403 {
        end.trouble = deniedCause(for: target, on: transfer.authorization.route) ?? end.trouble
      }
    case .again, .renew:
      return startOver(.authorize, after: transfer)
    }
    if jobs[first]?.conversation != nil { return goOn(first, after: end, of: transfer) }
    let (judged, files, attempt) = (end, transfer.files, transfer.attempt)
    let isRecorded = makesRecords(of: transfer, end) { engine, failures in
      engine.conclude(judged, of: files, attempt, to: target, withoutRecord: failures)
    }
    if !isRecorded { conclude(end, of: files, attempt, to: target) }
  }

  private func startOver(_ restart: Restart, after transfer: Transfer) {
    let id = transfer.shares[0].item.id
    guard let conversation = jobs[id]?.conversation, conversation.isWide else {
      return startOver(restart, Array(transfer.items))
    }
    // The upload's other requests end first. If one of them has failed, that decides.
    if !conversation.machine.isBreakingOff { jobs[id]?.conversation?.restart = restart }
    var end = TransferEnd(url: transfer.url, trouble: .cancelled, sentAll: false)
    end.number = transfer.request.number
    goOn(id, after: end, of: transfer)
  }

  func startOver(_ restart: Restart, _ ids: [ItemID]) {
    switch restart {
    case .wait: wait(again: ids)
    case .authorize: authorize(again: ids)
    }
  }

  /// - Parameter failures: why the records for some files could not be created.
  func conclude(
    _ end: TransferEnd, of files: [BatchEnd.File], _ attempt: Int, to target: Target,
    withoutRecord failures: [ItemID: Failure] = [:]
  ) {
    let batch = BatchEnd(
      end, files: files, target: target, attempt: attempt, now: time.date())
    for members in batch.groups { scheduler.group(members) }
    let again = batch.outcomes.filter { $0.outcome == .startsOver }
    // All share one time and one random number, so that they are retried together.
    let (instant, wall, random) = (time.now(), time.date(), time.random())
    var events: [(ItemID, JobMachine.Event)] = []
    for (id, outcome) in batch.outcomes {
      guard case .ended(var end) = outcome else { continue }
      if let failure = failures[id] { end = Self.end(end, without: failure) }
      events.append((id, .ended(end, at: instant, wall: wall, random: random)))
    }
    handle(events + again.map { ($0.id, .startOver) })
  }

  func ended(_ end: TransferEnd) -> JobMachine.Event {
    .ended(end, at: time.now(), wall: time.date(), random: time.random())
  }

  func mayExpect(at url: URL) -> Bool {
    if deafToExpect.isEmpty { return true }
    return Origin(url).map { !deafToExpect.contains($0) } ?? false
  }
}
