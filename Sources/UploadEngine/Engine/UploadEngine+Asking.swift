import Dispatch
import UploadModel

/// What callers can ask of the engine.
extension UploadEngine {
  /// Appends uploads to the line. Paused ones are set aside, and none of them starts in between.
  package nonisolated func submit(_ uploads: [UploadJob], paused: Set<ItemID> = []) {
    onQueue { engine in
      engine.accept(uploads)
      for id in paused { engine.handle(.pause, for: id) }
      engine.fillSoon()
    }
  }

  private func accept(_ uploads: [UploadJob]) {
    var files: [Scheduler.File] = []
    for upload in uploads {
      let id = upload.item.id
      if let job = jobs[id] {
        if job.isRemoved { job.successor = upload }
        continue
      }
      let job = Job(upload)
      jobs[id] = job
      files.append(job.entry)
    }
    perform(scheduler.add(files))
  }

  /// Cancels uploads. Those that had not started leave the line.
  package nonisolated func cancel(_ items: [ItemID]) {
    onQueue { engine in items.forEach { engine.handle(.cancel, for: $0) } }
  }

  /// Takes uploads out of the line until `retry`. Their progress is lost.
  package nonisolated func pause(_ items: [ItemID]) {
    onQueue { engine in items.forEach { engine.handle(.pause, for: $0) } }
  }

  /// Sends or resends these uploads, whether failed, retrying, waiting or paused, each at its place in line. If a
  /// server or its credentials are holding them back, the first of them is sent as a probe. `uploads` carries the
  /// current state of the files.
  package nonisolated func retry(_ uploads: [UploadJob]) {
    onQueue { engine in
      var tried: [ItemID] = []
      for upload in uploads {
        let id = upload.item.id
        if let job = engine.jobs[id] {
          guard !job.isUnderWay else { continue }
          job.renew(upload)
          engine.perform(engine.scheduler.change(job.entry))
          engine.handle(.retry, for: id)
        } else {
          engine.accept([upload])
        }
        tried.append(id)
      }
      engine.perform(engine.scheduler.tryNow(tried, at: engine.time.now()))
      engine.fillSoon()
    }
  }

  /// Forgets uploads. Those under way are cancelled first; nothing more is reported about the others.
  package nonisolated func remove(_ items: [ItemID]) {
    onQueue { engine in
      for id in items {
        guard let job = engine.jobs[id] else { continue }
        if job.isUnderWay {
          (job.isRemoved, job.successor) = (true, nil)
          engine.handle(.cancel, for: id)
        } else {
          engine.forget(id)
        }
      }
      engine.fillSoon()
    }
  }

  /// Moves an upload before another one in line, or to the end.
  package nonisolated func move(_ item: ItemID, before other: ItemID?) {
    onQueue { engine in
      engine.scheduler.move(item, before: other)
      engine.fillSoon()
    }
  }

  /// Arranges uploads in this order, within the places they now occupy in line.
  package nonisolated func arrange(_ order: [ItemID]) {
    onQueue { engine in engine.scheduler.arrange(order) }
  }

  /// Keeps uploads that are not under way from starting until `update` or `retry` says how to send them.
  package nonisolated func hold(_ items: [ItemID]) {
    onQueue { engine in
      for id in items {
        guard let job = engine.jobs[id], !job.isUnderWay else { continue }
        job.isHeld = true
        guard job.machine.state == .waiting else { continue }
        engine.perform(engine.scheduler.park(id, .held))
      }
    }
  }

  /// Changes how uploads that are not under way are sent.
  package nonisolated func update(_ uploads: [UploadJob]) {
    onQueue { engine in
      for upload in uploads {
        guard let job = engine.jobs[upload.item.id] else { continue }
        job.isHeld = false
        guard !job.isUnderWay else { continue }
        job.update(upload)
        engine.perform(engine.scheduler.change(job.entry))
        guard job.machine.state == .waiting else { continue }
        // It may have been held back.
        engine.perform(
          engine.scheduler.queue(upload.item.id, attempts: job.machine.attempts))
      }
      engine.fillSoon()
    }
  }

  /// Tries unreachable servers, and those that refused the credentials, again at once.
  package nonisolated func tryServers() {
    onQueue { engine in
      engine.perform(engine.scheduler.tryEverything(at: engine.time.now()))
      engine.fillSoon()
    }
  }

  /// Sets the number of concurrent requests to a target, overriding its configuration. Requests under way are
  /// not cancelled.
  package nonisolated func setConcurrency(_ count: Int, of target: String) {
    onQueue { engine in
      engine.takeBack()
      engine.scheduler.setConcurrency(count, of: target)
      engine.fillSoon()
    }
  }

  /// Stops or resumes starting further uploads.
  package nonisolated func setStarted(_ isStarted: Bool) {
    onQueue { engine in
      if !isStarted { engine.takeBack() }
      engine.perform(engine.scheduler.setStarted(isStarted))
      engine.fillSoon()
    }
  }

  /// Cancels uploads under way and returns when their ends have been reported. Waiting uploads are left as
  /// they are. The engine accepts no more work.
  ///
  /// - Parameter seconds: how long to wait for the replies to uploads that have been handed over completely. If
  ///   these were cancelled, nobody would know whether they arrived.
  package func shutDown(awaitingReplies seconds: Double = 0) async {
    takeBack()
    perform(scheduler.setStarted(false))
    if seconds > 0 {
      await becomeIdle(within: seconds) { engine, task in
        engine.transfers[task]?.hasSentAll != true
      }
    }
    // A command that ignores its signal must not keep the user waiting.
    await becomeIdle(within: Self.patience) { _, _ in true }
    deliverNews()
  }

  /// Cancels some of what is under way, and returns when nothing is left, or when the time is up.
  private func becomeIdle(
    within seconds: Double, cancelling isCancelled: (isolated UploadEngine, _ task: Int) -> Bool
  ) async {
    var limit: TimeSource.Timer?
    await withCheckedContinuation { continuation in
      whenIdle = continuation
      for (id, job) in jobs {
        if job.tasks.contains(where: { isCancelled(self, $0) }) { handle(.cancel, for: id) }
      }
      fillSoon()
      limit = time.after(seconds, executor.queue) {
        self.assumeIsolated { $0.leaveIdle() }
      }
    }
    limit?.cancel()
  }

  func leaveIdle() {
    whenIdle?.resume()
    whenIdle = nil
  }

  /// How long to wait for cancelled uploads to end, in seconds.
  private static let patience = 3.0
}
