import Foundation
import MultipartForm
import UploadModel

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests: how one begins, what it tells on its way, how it ends.
extension UploadEngine {
  func send(_ ids: [ItemID], to url: URL, attempt: Int, keepsCredentials: Bool) {
    let start = time.now()
    var uploads: [UploadJob] = []
    for id in ids {
      guard let job = jobs[id] else { continue }
      let (begin, deadline) = (job.begin ?? start, job.upload.target.deadline ?? .infinity)
      jobs[id]?.begin = begin
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
    uploads = takeReady(uploads, url)
    guard let first = uploads.first, let home = jobs[first.item.id]?.door.origin else { return }
    let ticketed = ready[first.item.id]?.address
    let url = if url == first.target.url, let ticketed { ticketed } else { url }
    let origin = url == first.target.url ? home : Origin(url)
    guard let visit = visit(of: uploads.map(\.item.id), to: origin) else { return }
    // Whatever has been decided elsewhere: credentials are for the target's own origin.
    let mayShowThem = keepsCredentials && origin == home
    do throws(Failure.Cause) {
      try OriginRules.shared.admit(first.target)
    } catch {
      leaveOut(uploads.map(\.item.id), error, url)
      return
    }
    let key = jobs[first.item.id]?.company?.key ?? first.item.uuid
    let (request, faults) = UploadRequest.make(
      uploads, key: key, to: url,
      credentials: mayShowThem ? .all(visit.token) : .none,
      mayExpect: mayExpect(at: url), now: time.date())
    for fault in faults { leaveOut(fault.items, fault.cause, url) }
    guard let request else { return }

    let fate = BodyFate(mayRepeat: request.target.isIdempotent(at: url))
    var head = request.head
    head.httpBodyStream = BodyStream(request.body, fate: fate, now: time.now)
    let task = session.dataTask(with: head)
    delegate.remember(request.body, fate: fate, for: task.taskIdentifier)
    let transfer = Transfer(
      attempt: attempt, visit: visit, task: task, request: request, url: url, fate: fate,
      start: start)
    transfers[task.taskIdentifier] = transfer
    for id in transfer.items {
      jobs[id]?.task = task.taskIdentifier
      jobs[id]?.token = visit.token
    }
    startWatching()
    charge(transfer.advance)
    task.resume()
  }

  /// Files that cannot be sent fail by themselves; the request is made without them.
  func leaveOut(_ ids: [ItemID], _ cause: Failure.Cause, _ url: URL) {
    let end = TransferEnd(url: url, trouble: cause, sentAll: false)
    if let first = ids.first { learn(from: end, at: jobs[first]?.door.origin, of: first) }
    handle(ids.map { ($0, ended(end)) })
    if transfers.isEmpty { stopWatching() }
  }

  func take(_ event: TaskEvent, of task: Int) {
    guard let transfer = transfers[task] else { return }
    transfer.lastActivity = time.now()
    switch event {
    case .sent(let total):
      if transfer.hasWaitedInVain(until: transfer.lastActivity) { noteDeaf(transfer) }
      charge(transfer.noteSent(total: total))
      if transfer.hasSentAll {
        tell(transfer.news())
        return
      }
      transfer.isPublished = false
      publishSoon()
    case .bodyRestarted:
      transfer.noteRestart()
    // An interim reply (RFC 9110 §15.2) is no reply, though URLSession takes it for one.
    case .responded(let status, _) where status < 200: break
    case .responded(let status, let headers):
      transfer.status = status
      transfer.headers = headers
    case .received(let data):
      if !transfer.noteReply(data) { transfer.task.cancel() }
    case .ended(let error, let status, let headers):
      transfers[task] = nil
      if let status, status >= 200, transfer.status == nil {
        transfer.status = status
        transfer.headers = headers
      }
      transfer.trouble = trouble(of: transfer, error)
      if transfer.status == 417 { noteDeaf(transfer) }
      conclude(transfer)
    }
  }

  /// Why a transfer failed, the most telling reason first: the file's, the engine's own, the line's.
  func trouble(of transfer: Transfer, _ error: (any Error)?) -> Failure.Cause? {
    if let error = transfer.fate.error { return Failure.Cause(error, wasSeen: true) }
    if let trouble = transfer.trouble { return trouble }
    if transfer.fate.wasAskedAgain {
      return .connectionLost("the server closed the connection without a reply")
    }
    let cause = TransportTrouble.cause(
      of: error, host: transfer.url.host ?? "", isBrokenOff: transfer.isBrokenOff)
    guard cause == TransportTrouble.endless, transfer.status != nil else { return cause }
    transfer.isReplyCut = true
    return nil
  }

  private func conclude(_ transfer: Transfer) {
    for id in transfer.items { jobs[id]?.task = nil }
    let target = transfer.request.target
    var end = transfer.end(at: time.now())
    learn(from: end, at: transfer.origin, of: transfer.shares[0].item.id)
    defer {
      giveUpIfHopeless(transfer.visit.door)
      if transfers.isEmpty { stopWatching() }
    }
    switch judgeAccess(of: transfer.visit, end, to: target) {
    case .stands, .close:
      if end.status == 401 || end.status == 403 {
        end.trouble = deniedCause(for: target, doors[transfer.visit.door]) ?? end.trouble
      }
    case .again, .renew:
      return letIn(again: Array(transfer.items))
    }
    let (judged, files, attempt) = (end, transfer.files, transfer.attempt)
    let isRecorded = makesRecords(of: transfer, end) { engine, failures in
      engine.conclude(judged, of: files, attempt, to: target, withoutRecord: failures)
    }
    if !isRecorded { conclude(end, of: files, attempt, to: target) }
  }

  /// - Parameter failures: why the records that go with some files could not be made.
  private func conclude(
    _ end: TransferEnd, of files: [BatchEnd.File], _ attempt: Int, to target: Target,
    withoutRecord failures: [ItemID: Failure] = [:]
  ) {
    let outcome = BatchEnd(
      end, files: files, target: target, attempt: attempt, now: time.date())
    settle(outcome.companies)
    let again = outcome.fates.filter { $0.fate == .startsOver }.reversed()
    // One moment and one draw for all: they come back together.
    let (moment, wall, random) = (time.now(), time.date(), time.random())
    var events: [(ItemID, JobMachine.Event)] = []
    for (id, fate) in outcome.fates {
      guard case .ended(var end) = fate else { continue }
      if let failure = failures[id] { end = Self.end(end, without: failure) }
      events.append((id, .ended(end, at: moment, wall: wall, random: random)))
    }
    handle(events + again.map { ($0.id, .startOver) })
  }

  func ended(_ end: TransferEnd) -> JobMachine.Event {
    .ended(end, at: time.now(), wall: time.date(), random: time.random())
  }

  private func mayExpect(at url: URL) -> Bool {
    if deafToExpect.isEmpty { return true }
    return Origin(url).map { !deafToExpect.contains($0) } ?? false
  }

  func noteDeaf(_ transfer: Transfer) {
    guard transfer.request.expectsContinue, let origin = transfer.origin else { return }
    deafToExpect.insert(origin)
  }
}
