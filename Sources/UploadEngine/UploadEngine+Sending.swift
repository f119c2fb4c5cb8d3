import Foundation
import FoundationNetworking
import MultipartForm
import UploadModel

/// Requests: how one begins, what it tells on its way, how it ends.
extension UploadEngine {
  func send(_ id: ItemID, to url: URL, attempt: Int, keepsCredentials: Bool) {
    guard let job = jobs[id] else { return }
    let start = time.now()
    jobs[id]?.begin = job.begin ?? start
    let request: UploadRequest
    do throws(Failure.Cause) {
      if let deadline = job.upload.target.deadline, let begin = job.begin, start - begin > deadline
      {
        throw .outOfTime(seconds: deadline)
      }
      try OriginRules.shared.admit(job.upload.target)
      request = try UploadRequest(
        job.upload, to: url, keepsCredentials: keepsCredentials,
        mayExpect: Origin(url).map { !deafToExpect.contains($0) } ?? false, now: time.date())
    } catch {
      conclude(id, TransferEnd(url: url, trouble: error, sentAll: false))
      return
    }
    let fate = BodyFate()
    var head = request.head
    head.httpBodyStream = BodyStream(request.body, fate: fate, now: time.now)
    let task = session.dataTask(with: head)
    delegate.remember(request.body, fate: fate, for: task.taskIdentifier)
    transfers[task.taskIdentifier] = Transfer(
      item: id, attempt: attempt, task: task, request: request, url: url, fate: fate, start: start)
    jobs[id]?.task = task.taskIdentifier
    startWatching()
    task.resume()
  }

  func take(_ event: TaskEvent, of task: Int) {
    guard var transfer = transfers[task] else { return }
    transfer.lastActivity = time.now()
    switch event {
    case .sent(let total):
      if transfer.hasWaitedInVain(until: transfer.lastActivity) { noteDeaf(transfer) }
      transfer.noteSent(total: total)
      if transfer.hasSentAll {
        transfer.isPublished = true
        transfers[task] = transfer
        report([(transfer.item, transfer.itemState)])
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
      jobs[transfer.item]?.task = nil
      conclude(transfer.item, transfer.end(at: time.now()))
      return
    }
    transfers[task] = transfer
  }

  /// Why a transfer failed, the most telling reason first: the file's, the engine's own, the line's.
  func trouble(of transfer: Transfer, _ error: (any Error)?) -> Failure.Cause? {
    if let error = transfer.fate.error { return Failure.Cause(error, wasSeen: true) }
    if let trouble = transfer.trouble { return trouble }
    guard let error else { return nil }
    let cause = TransportTrouble.cause(of: error, host: transfer.url.host ?? "")
    // A refused challenge and a reply that was cut off end in a "cancelled" that nobody asked for.
    if cause == .cancelled, !transfer.isStopped { return nil }
    return cause
  }

  func conclude(_ id: ItemID, _ end: TransferEnd) {
    learn(from: end, of: id)
    handle(
      .ended(end, at: time.now(), wall: time.date(), random: time.random()), for: id)
    if transfers.isEmpty { stopWatching() }
  }

  func noteDeaf(_ transfer: Transfer) {
    guard transfer.request.expectsContinue, let origin = Origin(transfer.url) else { return }
    deafToExpect.insert(origin)
  }
}
