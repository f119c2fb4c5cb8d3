import UploadModel

/// Time-outs: transfers that stall, or whose deadline has passed.
extension UploadEngine {
  func startWatching() {
    guard watchdog == nil else { return }
    watchdog = time.after(StallWatch.interval, executor.queue) { [weak self] in
      self?.assumeIsolated { $0.lookForStalls() }
    }
  }

  private func lookForStalls() {
    watchdog = nil
    // Watching does not stop as soon as a transfer ends, since with small files another begins at once.
    guard !transfers.isEmpty else { return }
    startWatching()
    let now = time.now()
    for transfer in transfers.values {
      guard transfer.trouble == nil, !isAhead(transfer) else { continue }
      let target = transfer.request.target
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
      transfer.task.cancel()
    }
  }
}
