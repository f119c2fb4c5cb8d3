import Dispatch
import UploadModel

/// Time-outs: transfers that stall, or whose deadline has passed.
extension UploadEngine {
  func startWatching() {
    guard watchdog == nil else { return }
    lastLook = time.now()
    let timer = DispatchSource.makeTimerSource(queue: executor.queue)
    timer.schedule(deadline: .now() + 0.25, repeating: 0.25, leeway: .milliseconds(50))
    timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.lookForStalls() } }
    timer.activate()
    watchdog = timer
  }

  private func lookForStalls() {
    // Not as soon as the last one ends: with small files another one begins at once.
    guard !transfers.isEmpty else {
      watchdog?.cancel()
      watchdog = nil
      return
    }
    let now = time.now()
    let gap = now - lastLook
    lastLook = now
    guard gap < 2 else {
      // The process was stopped (^Z) or the machine slept: that time does not count.
      for transfer in transfers.values { transfer.resetClocks(at: now) }
      return
    }
    for transfer in transfers.values {
      guard transfer.trouble == nil, !transfer.isAhead else { continue }
      let target = transfer.request.target
      transfer.recordActivity(at: now)
      let late = transfer.items.filter { id in
        guard let deadline = target.deadline, let begin = self.jobs[id]?.begin else { return false }
        return now - begin > deadline
      }
      if let stall = transfer.stall(at: now) {
        transfer.trouble = stall
      } else if !late.isEmpty, let deadline = target.deadline {
        let cause = Failure.Cause.outOfTime(seconds: deadline)
        for id in late { transfer.record(cause, of: id) }
        transfer.trouble = cause
      } else {
        continue
      }
      transfer.exchange.cancel()
    }
  }
}
