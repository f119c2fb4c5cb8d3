import Foundation
import MultipartForm
import UploadModel

/// What happens around a request: the command that makes the file, the ticket, the record afterwards.
/// None of it runs on the engine's queue.
extension UploadEngine {
  /// Something that goes on outside of the engine for uploads that are under way. Its number stands in
  /// for a task's in `Job.task`, and is negative.
  struct Step {
    let items: [ItemID]
    let task: Task<Void, Never>
  }

  /// Whether uploads have to be made ready before their request can be; then that has begun.
  func makesReady(
    _ ids: [ItemID], to url: URL, attempt: Int, keepsCredentials: Bool
  ) -> Bool {
    let uploads = ids.compactMap { jobs[$0]?.upload }
    guard let target = uploads.first?.target, target.prepare != nil || target.ticket != nil,
      ids.contains(where: { ready[$0]?.attempt != attempt })
    else { return false }
    let preparation = Preparation(attempt: attempt, now: time.date(), mediaType: mediaType)
    let token = token(for: ids)
    step(for: ids) { engine, number in
      var made: [(ItemID, Result<Ready, Failure>)] = []
      for upload in uploads {
        do throws(Failure.Cause) {
          made.append((upload.item.id, .success(try await preparation.ready(upload))))
        } catch {
          made.append((upload.item.id, .failure(Failure(error))))
        }
      }
      do throws(Failure) {
        if case .success(let first)? = made.lazy.map(\.1).first(where: { (try? $0.get()) != nil }),
          let grant = try await preparation.ticket(
            for: first.upload, token: token)
        {
          made = made.map { id, result in
            (
              id,
              result.map { ready in
                var ready = ready
                ready.address = grant.url
                ready.upload.target.fields = grant.fields + ready.upload.target.fields
                return ready
              }
            )
          }
        }
      } catch {
        made = made.map { id, result in
          if case .failure = result { return (id, result) }
          return (id, .failure(error))
        }
      }
      let results = made
      engine.onQueue { engine in
        guard engine.endStep(number) else { return }
        engine.noteReady(
          results, url: url, attempt: attempt, keepsCredentials: keepsCredentials)
      }
    }
    return true
  }

  /// The uploads as they were made ready, without those that the target does not take.
  func takeReady(_ uploads: [UploadJob], _ url: URL) -> [UploadJob] {
    uploads.compactMap { upload in
      let upload = ready[upload.item.id]?.upload ?? upload
      let item = upload.item
      if let refusal = upload.target.limits.refusal(ofSize: item.size, type: item.mediaType) {
        leaveOut([item.id], refusal, url)
        return nil
      }
      return upload
    }
  }

  private func noteReady(
    _ made: [(ItemID, Result<Ready, Failure>)], url: URL, attempt: Int, keepsCredentials: Bool
  ) {
    var sent: [ItemID] = []
    for (id, result) in made {
      if isTakenBack(id) {
        leaveOut([id], .cancelled, url)
        continue
      }
      switch result {
      case .success(let made):
        ready[id] = made
        sent.append(id)
      case .failure(let failure):
        // A status is judged like that of any reply; everything else is known by its cause.
        let isReply = failure.cause == .refused
        let end = TransferEnd(
          url: url, status: isReply ? failure.status : nil, reply: failure.reply,
          trouble: isReply ? nil : failure.cause, sentAll: false)
        learn(from: end, at: jobs[id]?.door.origin, of: id)
        handle([(id, ended(end))])
      }
    }
    if !sent.isEmpty {
      send(sent, to: url, attempt: attempt, keepsCredentials: keepsCredentials)
    }
  }

  /// Whether the person has taken an upload back while it was made ready.
  private func isTakenBack(_ id: ItemID) -> Bool {
    guard case .running(let run)? = jobs[id]?.machine.state else { return true }
    return run.stop != nil
  }

  // MARK: Afterwards

  /// Has the record made that goes with each delivered file, and then calls back with why some could
  /// not be. Returns false where there is nothing to be made.
  func makesRecords(
    of transfer: Transfer, _ end: TransferEnd,
    then: @escaping @Sendable (isolated UploadEngine, [ItemID: Failure]) -> Void
  ) -> Bool {
    let uploads = transfer.items.compactMap { jobs[$0]?.upload }
    guard let target = uploads.first?.target, let create = target.server.create,
      case .delivered = Verdict.judge(
        end, target: target, attempt: transfer.attempt, redirects: 0, now: time.date())
    else { return false }
    let client = ServerClient(
      target: target, token: doors[transfer.door]?.token)
    let now = time.date()
    step(for: Array(transfer.items)) { engine, number in
      var failures: [ItemID: Failure] = [:]
      for upload in uploads {
        var values = Preparation.values(for: upload, now: now)
        values.resultURL = receipt.url ?? ""
        do throws(Failure) { _ = try await client.reply(to: create, values) } catch {
          failures[upload.item.id] = error
        }
      }
      let result = failures
      engine.onQueue { engine in
        if engine.endStep(number) { then(engine, result) }
      }
    }
    return true
  }

    let files = uploads.enumerated().map { index, upload in
      var values = Preparation.values(for: upload, now: now)
      var own = end
      own.place = TransferEnd.Place(index, of: uploads.count)
      values.resultURL = target.response.address(in: own) ?? ""
      return (upload.item.id, values)
    }
  /// The end of a request whose file arrived and whose record could not be made.
  static func end(_ end: TransferEnd, without record: Failure) -> TransferEnd {
    var end = end
    end.status = nil
    end.trouble = .notRecorded(record.headline)
    end.reply = record.reply
    return end
  }

  // MARK: Steps

  private func step(
    for ids: [ItemID], _ work: @escaping @Sendable (UploadEngine, Int) async -> Void
  ) {
    lastStep -= 1
    let number = lastStep
    steps[number] = Step(items: ids, task: Task.detached { await work(self, number) })
    for id in ids { jobs[id]?.task = number }
  }

  /// Breaks a step off once nobody wants its outcome any more.
  func stopStep(_ number: Int) {
    guard let step = steps[number], step.items.allSatisfy(isTakenBack) else { return }
    step.task.cancel()
  }

  private func endStep(_ number: Int) -> Bool {
    guard let step = steps.removeValue(forKey: number) else { return false }
    for id in step.items where jobs[id]?.task == number { jobs[id]?.task = nil }
    return true
  }

  private func token(for ids: [ItemID]) -> BearerToken? {
    ids.first.flatMap { jobs[$0]?.door }.flatMap { doors[$0]?.token }
  }
}
