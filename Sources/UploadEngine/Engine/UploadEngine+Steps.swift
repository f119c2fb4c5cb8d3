import Foundation
import JSONText
import MultipartForm
import UploadModel

/// The steps around a request: the prepare command, the ticket, and the record afterwards. None of them runs
/// on the engine's queue.
extension UploadEngine {
  /// Work done outside the engine's queue for uploads under way. Its number is negative and is kept in
  /// `Job.tasks` like that of a transfer.
  struct Step {
    let items: [ItemID]
    let task: Task<Void, Never>
  }

  /// Starts the preparation of uploads that need one. Returns whether they do.
  func makesReady(
    _ ids: [ItemID], to url: URL, attempt: Int, keepsCredentials: Bool
  ) -> Bool {
    guard let target = ids.first.flatMap({ jobs[$0]?.upload.destination })?.value,
      target.prepare != nil || target.ticket != nil || !target.digests.isEmpty
        || target.signsContent,
      ids.contains(where: { ready[$0]?.attempt != attempt })
    else { return false }
    let uploads = ids.compactMap { jobs[$0]?.upload }
    let preparation = Preparation(attempt: attempt, time: time, mediaType: mediaType)
    guard let authorization = authorization(of: ids, to: target.origin) else { return false }
    for id in ids { jobs[id]?.token = authorization.token }
    step(for: ids) { engine, number in
      var made: [(ItemID, Result<PreparedUpload, Failure.Cause>)] = []
      var first: UploadJob?
      for (position, upload) in uploads.enumerated() {
        do throws(Failure.Cause) {
          let ready = try await preparation.ready(upload, at: position)
          if first == nil { first = ready.upload }
          made.append((upload.item.id, .success(ready)))
        } catch {
          made.append((upload.item.id, .failure(error)))
        }
      }
      var ticket: Result<Ticket.Grant?, Failure> = .success(nil)
      do throws(Failure) {
        if let first {
          ticket = .success(try await preparation.ticket(for: first, token: authorization.token))
        }
      } catch {
        ticket = .failure(error)
      }
      let (results, answer) = (made, ticket)
      engine.onQueue { engine in
        guard engine.endStep(number) else { return }
        let sent = engine.recordReady(results, url)
        if engine.recordTicket(answer, for: sent, authorization, target, url) {
          engine.send(sent, to: url, attempt: attempt, keepsCredentials: keepsCredentials)
        }
      }
    }
    return true
  }

  /// The uploads as they were prepared, without those that the target does not accept.
  func attachPrepared(_ uploads: [UploadJob], _ url: URL) -> [UploadJob] {
    uploads.compactMap { upload in
      let upload = ready[upload.item.id]?.upload ?? upload
      let item = upload.item
      if let refusal = upload.target.limits.refusal(of: item) {
        leaveOut([item.id], refusal, url)
        return nil
      }
      return upload
    }
  }

  /// Records prepared uploads and returns those that can be sent.
  private func recordReady(
    _ made: [(ItemID, Result<PreparedUpload, Failure.Cause>)], _ url: URL
  ) -> [ItemID] {
    made.compactMap { id, result in
      switch result {
      case _ where isTakenBack(id): leaveOut([id], .cancelled, url)
      case .failure(let cause): leaveOut([id], cause, url)
      case .success(let made):
        ready[id] = made
        // Digests of the file itself hold for the next attempt as well.
        if made.folder == nil, let digests = made.upload.item.digests {
          jobs[id]?.keep(digests)
        }
        return id
      }
      return nil
    }
  }

  /// Records the ticket that uploads share. Returns whether they can be sent.
  private func recordTicket(
    _ ticket: Result<Ticket.Grant?, Failure>, for ids: [ItemID], _ authorization: Authorization,
    _ target: Target, _ url: URL
  ) -> Bool {
    guard let first = ids.first else { return false }
    switch ticket {
    case .success(nil): return true
    case .success(let grant?):
      // The file goes elsewhere without credentials, so only this reply shows that they are valid.
      _ = judgeCredentials(of: authorization, TransferEnd(url: url, status: 200), to: target)
      for id in ids {
        guard var target = ready[id]?.upload.target else { continue }
        target.fields = grant.fields + target.fields
        target.publicHeaders += grant.headers
        target.ticketReply = grant.reply
        ready[id]?.upload.target = target
        ready[id]?.address = grant.url
      }
      return true
    case .failure(let failure):
      // A status is judged like that of any reply; other failures already have a cause.
      let isReply = failure.cause == .refused
      var end = TransferEnd(
        url: url, status: isReply ? failure.status : nil, reply: failure.reply,
        trouble: isReply ? nil : failure.cause, sentAll: false)
      end.retryAfter = failure.retryAfter
      end.earlierStatus = failure.status
      end.step = .ticket
      guard learn(from: end, at: authorization.origin, of: first) else {
        wait(again: ids)
        return false
      }
      switch judgeCredentials(of: authorization, end, to: target) {
      case .again, .renew: authorize(again: ids)
      case .stands, .close:
        if end.status == 401 || end.status == 403 {
          end.trouble = deniedCause(for: target, on: authorization.route)
        }
        let event = ended(end)
        handle(ids.map { ($0, event) })
      }
      return false
    }
  }

  /// Whether the upload was cancelled, paused or removed while it was prepared.
  func isTakenBack(_ id: ItemID) -> Bool {
    guard case .running(let run)? = jobs[id]?.machine.state else { return true }
    return run.stop != nil
  }

  // MARK: Afterwards

  /// Creates the record for each delivered file, then calls back with the failures. Returns false if the
  /// target wants no records.
  func makesRecords(
    of transfer: Transfer, _ end: TransferEnd,
    then: @escaping @Sendable (isolated UploadEngine, [ItemID: Failure]) -> Void
  ) -> Bool {
    guard let create = transfer.request.target.server.create else { return false }
    let target = transfer.request.target
    let uploads = transfer.request.files.map { UploadJob(item: $0.item, target: target) }
    let now = time.date()
    let document = JSONValue(text: end.reply.text)
    let files = uploads.enumerated().compactMap { index, upload -> (ItemID, Template.Values)? in
      var own = end
      own.place = TransferEnd.Place(index, of: uploads.count)
      guard
        case .delivered = Verdict.judge(
          own, target: target, attempt: transfer.attempt, redirects: 0, now: now)
      else { return nil }
      var values = Preparation.values(for: upload, now: now)
      values.resultURL = target.response.address(in: own) ?? ""
      values.reply = document
      values.index = index + 1
      return (upload.item.id, values)
    }
    guard !files.isEmpty else { return false }
    let client = ServerClient(
      target: target, token: transfer.authorization.token, from: tokenSource, time: time)
    step(for: Array(transfer.items)) { engine, number in
      var failures: [ItemID: Failure] = [:]
      for (id, values) in files {
        do throws(Failure) { _ = try await client.reply(to: create, values) } catch {
          failures[id] = error
        }
      }
      let result = failures
      engine.onQueue { engine in
        if engine.endStep(number) { then(engine, result) }
      }
    }
    return true
  }

  /// The result for a file that arrived but whose record could not be created.
  static func end(_ end: TransferEnd, without record: Failure) -> TransferEnd {
    var end = end
    end.status = nil
    end.trouble = .notRecorded(record.headline)
    end.reply = record.reply
    return end
  }

  // MARK: Steps

  func step(
    for ids: [ItemID], _ work: @escaping @Sendable (UploadEngine, Int) async -> Void
  ) {
    lastStep -= 1
    let number = lastStep
    steps[number] = Step(items: ids, task: Task.detached { await work(self, number) })
    for id in ids { jobs[id]?.tasks.insert(number) }
  }

  /// Cancels a step once all of its uploads have been taken back.
  func stopStep(_ number: Int) {
    guard let step = steps[number], step.items.allSatisfy(isTakenBack) else { return }
    step.task.cancel()
  }

  func endStep(_ number: Int) -> Bool {
    guard let step = steps.removeValue(forKey: number) else { return false }
    for id in step.items { jobs[id]?.tasks.remove(number) }
    return true
  }
}
