import Dispatch
import UploadModel

/// What one can ask of the engine.
extension UploadEngine {
  /// Puts uploads at the end of the line, or aside as paused, without one of those beginning before.
  public nonisolated func submit(_ uploads: [UploadJob], paused: Set<ItemID> = []) {
    onQueue { engine in
      for upload in uploads {
        if let job = engine.jobs[upload.item.id] {
          if job.isRemoved { job.successor = upload }
          continue
        }
        engine.jobs[upload.item.id] = Job(upload)
        engine.lanes.queue(upload.item.id, atHead: false)
      }
      for id in paused { engine.handle(.pause, for: id) }
      engine.fillSoon()
    }
  }

  /// Stops uploads for good; those that had not begun leave the line.
  public nonisolated func cancel(_ items: [ItemID]) {
    onQueue { engine in items.forEach { engine.handle(.cancel, for: $0) } }
  }

  /// Takes uploads out of the line until `retry`. What was sent of them is lost.
  public nonisolated func pause(_ items: [ItemID]) {
    onQueue { engine in items.forEach { engine.handle(.pause, for: $0) } }
  }

  /// Sends failed, waiting-to-retry and paused uploads again. `replacing` brings what the queue
  /// knows of the files by now.
  public nonisolated func retry(_ uploads: [UploadJob]) {
    onQueue { engine in
      var left: Set<Door.Key> = []
      for upload in uploads {
        let id = upload.item.id
        if let job = engine.jobs[id], job.task == nil {
          let again = Job(upload, machine: job.machine, timer: job.timer)
          if again.door != job.door { left.insert(job.door) }
          engine.jobs[id] = again
          engine.letGo(id)
          engine.handle(.retry, for: id)
        } else if engine.jobs[id] == nil {
          engine.submit([upload])
        }
      }
      for door in left { engine.letGoElsewhere(from: door) }
    }
  }

  /// Forgets uploads that are over, stopping them first if they are not.
  public nonisolated func remove(_ items: [ItemID]) {
    onQueue { engine in
      for id in items {
        engine.handle(.cancel, for: id)
        if engine.jobs[id]?.task == nil {
          engine.jobs[id] = nil
        } else {
          engine.jobs[id]?.isRemoved = true
          engine.jobs[id]?.successor = nil
        }
      }
    }
  }

  /// Lets an upload that waits stand before another one that waits, or last.
  public nonisolated func move(_ item: ItemID, before other: ItemID?) {
    onQueue { engine in
      engine.lanes.move(item, before: other)
      engine.moveAtDoor(item, before: other)
      engine.moveAtGate(item, before: other)
    }
  }

  /// Gives the uploads that wait this order; those that are not named come last.
  public nonisolated func arrange(_ order: [ItemID]) {
    onQueue { engine in
      engine.lanes.arrange(order)
      engine.arrangeAtDoors(order)
      engine.arrangeAtGates(order)
    }
  }

  /// Changes how uploads that are not under way shall be sent, wherever they stand.
  public nonisolated func update(_ uploads: [UploadJob]) {
    onQueue { engine in
      var left: Set<Door.Key> = []
      for upload in uploads {
        guard let job = engine.jobs[upload.item.id], job.task == nil else { continue }
        let door = job.door
        job.update(upload)
        if job.door != door { left.insert(door) }
      }
      for door in left { engine.letGoElsewhere(from: door) }
    }
  }

  /// Tries servers again that could not be reached, without waiting any longer, and those that refused
  /// the credentials.
  public nonisolated func tryServers() {
    onQueue { engine in
      for key in Array(engine.doors.keys) { engine.reopen(key) }
      engine.letAllThrough()
    }
  }

  /// Changes how many uploads run at once. Those under way are not broken off.
  public nonisolated func setLanes(_ count: Int) {
    onQueue { engine in
      engine.lanes.count = min(max(count, 1), Self.mostLanes)
      engine.fillSoon()
    }
  }

  /// Holds or lets go the start of further uploads.
  public nonisolated func setStarted(_ isStarted: Bool) {
    onQueue { engine in
      engine.isStarted = isStarted
      // Whoever says "go on" means those who wait for better credentials as well.
      if isStarted { for key in engine.doors.keys { engine.reopen(key) } }
      engine.fillSoon()
    }
  }

  /// Breaks off what is under way. Returns when the end of all that has been
  /// told; what waits is left as it is. The engine takes no more work.
  public func shutDown() async {
    isStarted = false
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
