import UploadModel

/// Notes everything in a journal before another reporter tells it.
struct JournalReporter: PushReporter {
  let journal: Journal
  var inner: any PushReporter

  var tickInterval: Double? { inner.tickInterval }

  mutating func queued(_ item: UploadItem) {
    if !item.state.isFinished { journal.record(item) }
    inner.queued(item)
  }

  mutating func allQueued() { inner.allQueued() }

  mutating func skipped(_ item: UploadItem) { inner.skipped(item) }

  mutating func resumed(_ item: UploadItem, at point: ResumePoint) {
    journal.record("resumed", ["path": "\(item.path)", "offset": "\(point.start)"])
    inner.resumed(item, at: point)
  }

  mutating func changed(_ item: UploadItem, at now: Instant) {
    journal.record(item)
    inner.changed(item, at: now)
  }

  mutating func tick(at now: Instant) { inner.tick(at: now) }

  mutating func summary(_ summary: PushSummary) {
    journal.record(
      "over",
      [
        "sent": "\(summary.sent)", "failed": "\(summary.failed.count)",
        "bytes": "\(summary.bytes)", "seconds": "\(JSONReporter.rounded(summary.seconds))",
        "interrupted": "\(summary.isInterrupted)",
      ])
    inner.summary(summary)
  }
}
