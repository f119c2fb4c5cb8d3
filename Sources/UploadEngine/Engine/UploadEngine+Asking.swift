import Dispatch
import UploadModel

/// What one can ask of the engine.
extension UploadEngine {
  /// Puts uploads at the end of the line, or aside as paused, without one of those beginning before.
  public nonisolated func submit(_ uploads: [UploadJob], paused: Set<ItemID> = []) {
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
      files.append(job.file)
    }
    perform(scheduler.add(files))
  }

  /// Stops uploads for good; those that had not begun leave the line.
  public nonisolated func cancel(_ items: [ItemID]) {
    onQueue { engine in items.forEach { engine.handle(.cancel, for: $0) } }
  }

  /// Takes uploads out of the line until `retry`. What was sent of them is lost.
  public nonisolated func pause(_ items: [ItemID]) {
    onQueue { engine in items.forEach { engine.handle(.pause, for: $0) } }
  }

  /// Sends failed, waiting-to-retry, waiting and paused uploads (again), each at its place in line. Where
  /// a server or credentials hold them back, the first of them shows how things are. `uploads` brings
  /// what the queue knows of the files by now.
  public nonisolated func retry(_ uploads: [UploadJob]) {
    onQueue { engine in
      var tried: [ItemID] = []
      for upload in uploads {
        let id = upload.item.id
        if let job = engine.jobs[id] {
          guard !job.isUnderWay else { continue }
          job.renew(upload)
          engine.perform(engine.scheduler.change(job.file))
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

  /// Forgets uploads, stopping them first if they are under way. Of the others nothing is told any more.
  public nonisolated func remove(_ items: [ItemID]) {
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

  /// Lets an upload stand before another one in line, or last.
  public nonisolated func move(_ item: ItemID, before other: ItemID?) {
    onQueue { engine in
      engine.scheduler.move(item, before: other)
      engine.fillSoon()
    }
  }

  /// Puts uploads in this order, at the places in line that they have now among them.
  public nonisolated func arrange(_ order: [ItemID]) {
    onQueue { engine in engine.scheduler.arrange(order) }
  }

  /// Changes how uploads that are not under way shall be sent, wherever they stand.
  public nonisolated func update(_ uploads: [UploadJob]) {
    onQueue { engine in
      for upload in uploads {
        guard let job = engine.jobs[upload.item.id], !job.isUnderWay else { continue }
        job.update(upload)
        engine.perform(engine.scheduler.change(job.file))
      }
      engine.fillSoon()
    }
  }

  /// Tries servers again that could not be reached, without waiting any longer, and those that refused
  /// the credentials.
  public nonisolated func tryServers() {
    onQueue { engine in
      engine.perform(engine.scheduler.tryEverything(at: engine.time.now()))
      engine.fillSoon()
    }
  }

  /// Changes how many requests are under way at once in all. None is broken off for it.
  public nonisolated func setLanes(_ count: Int) {
    onQueue { engine in
      engine.scheduler.setLanes(min(count, Self.mostLanes))
      engine.fillSoon()
    }
  }

  /// Changes how many requests to the target of this name are under way at once, whatever its
  /// configuration says. None is broken off for it.
  public nonisolated func setConcurrency(_ count: Int, of target: String) {
    onQueue { engine in
      engine.scheduler.setConcurrency(count, of: target)
      engine.fillSoon()
    }
  }

  /// Holds or lets go the start of further uploads.
  public nonisolated func setStarted(_ isStarted: Bool) {
    onQueue { engine in
      engine.perform(engine.scheduler.setStarted(isStarted))
      engine.fillSoon()
    }
  }

  /// Breaks off what is under way. Returns when the end of all that has been
  /// told; what waits is left as it is. The engine takes no more work.
  public func shutDown() async {
    perform(scheduler.setStarted(false))
    await withCheckedContinuation { continuation in
      whenIdle = continuation
      for (id, job) in jobs where job.task != nil { handle(.cancel, for: id) }
      fillSoon()
      // A command that does not let itself be stopped must not keep the person waiting.
      executor.queue.asyncAfter(deadline: .now() + Self.patience) {
        self.assumeIsolated { $0.leaveIdle() }
      }
    }
    deliverNews()
  }

  func leaveIdle() {
    whenIdle?.resume()
    whenIdle = nil
  }

  /// How long the end of what was broken off is waited for, in seconds.
  private static let patience = 3.0
}
