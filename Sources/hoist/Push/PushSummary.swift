import UploadModel

/// What became of the files of a push.
struct PushSummary {
  var sent = 0
  /// How many the server had already.
  var there = 0
  var failed: [(item: UploadItem, failure: Failure)] = []
  /// How many were left out because they were sent before.
  var skipped = 0
  /// Entries of an earlier report that this push left out because they may have arrived.
  var leftOut: [PushReport.Entry] = []
  /// Every file and its end, in the order of the queue, if that was asked for.
  var results: [UploadItem] = []
  /// What has become of the target's run; nil if it has none.
  var run: RunNews?
  /// The run, if it stays open and can be continued.
  var openRun: RunPoint?
  /// The bytes of the files that were sent.
  var bytes: Int64 = 0
  var seconds = 0.0
  /// Whether the user or the system stopped it.
  var isInterrupted = false
  /// Whether the first failure stopped it.
  var isCutShort = false
  /// Whether it was stopped before the inputs had ended, so that files may be missing here.
  var isIncomplete = false

  /// How many of the failed ones failed only because the push was stopped.
  var cancelled: Int { failed.count { $0.failure.cause == .cancelled } }

  var total: Int { sent + there + failed.count }

  var status: ExitStatus {
    if isInterrupted { return .interrupted }
    return failed.isEmpty && leftOut.isEmpty && run?.isTrouble != true ? .success : .someFailed
  }
}
