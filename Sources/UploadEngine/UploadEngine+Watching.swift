import Dispatch
import UploadModel

/// What goes by time: progress that is told in portions, and transfers in which nothing moves.
extension UploadEngine {
  /// Lets a tenth of a second of callbacks add up before anybody is told.
  func publishSoon() {
    guard !isPublishing else { return }
    isPublishing = true
    executor.queue.asyncAfter(deadline: .now() + 0.1) { [weak self] in
      self?.assumeIsolated { $0.publish() }
    }
  }

  func publish() {
    isPublishing = false
    var changes: [(ItemID, ItemState)] = []
    for transfer in transfers.values where !transfer.isPublished { changes += transfer.news() }
    tell(changes)
  }

  func startWatching() {
    guard watchdog == nil else { return }
    lastLook = time.now()
    let timer = DispatchSource.makeTimerSource(queue: executor.queue)
    timer.schedule(deadline: .now() + 0.25, repeating: 0.25, leeway: .milliseconds(50))
    timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.lookForStalls() } }
    timer.activate()
    watchdog = timer
  }

  func stopWatching() {
    watchdog?.cancel()
    watchdog = nil
  }

  /// Seconds that libcurl waits between two pieces to keep to the limit.
  var patienceForLimit: Double {
    guard let bound else { return 0 }
    return 2 * Double(Pace.smallest) * Double(max(1, transfers.count)) / Double(bound)
  }

  func lookForStalls() {
    let now = time.now()
    let gap = now - lastLook
    lastLook = now
    guard gap < 2 else {
      // The process was stopped (^Z) or the machine slept: nobody can be blamed for that time.
      for transfer in transfers.values { transfer.lastActivity = now }
      return
    }
    for transfer in transfers.values {
      guard transfer.trouble == nil else { continue }
      let target = transfer.request.target
      let limit = target.stallTimeout
      let late = transfer.items.filter { id in
        guard let deadline = target.deadline, let begin = self.jobs[id]?.begin else { return false }
        return now - begin > deadline
      }
      if now - transfer.lastActivity > limit + transfer.extraPatience + patienceForLimit {
        // Without a connection no byte of the body is asked for.
        transfer.trouble =
          transfer.sent == 0 && !transfer.hasSentAll
          ? .unreachable("nothing could be sent for \(Wording.seconds(limit))")
          : .stalled(seconds: limit)
      } else if !late.isEmpty, let deadline = target.deadline {
        let cause = Failure.Cause.outOfTime(seconds: deadline)
        for id in late { transfer.note(cause, of: id) }
        transfer.trouble = cause
      } else {
        continue
      }
      transfer.task.cancel()
    }
  }
}
