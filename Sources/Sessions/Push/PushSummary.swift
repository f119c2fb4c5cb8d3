import ProcessContext
import Scheduling
import UploadModel

/// What became of the files of a push.
package struct PushSummary {
  package var sent = 0
  /// How many of the files that were sent are doubtful: their replies seem to say no, or they have grown.
  var doubtful = 0
  /// How many files the server already had.
  var there = 0
  /// How many files were skipped because their names were taken on the server.
  var taken = 0
  var failed: [(item: UploadItem, failure: Failure)] = []
  /// How many files were left out because they were sent before.
  var skipped = 0
  /// Entries of an earlier report that this push left out because they may have arrived.
  var leftOut: [PushReport.Entry] = []
  /// Every file with its result, in the order of the queue, if a report was asked for.
  var results: [UploadItem] = []
  /// How the target's run ended; nil if the target has no run.
  var run: RunNews?
  /// The run, if it stays open and can be continued.
  var openRun: RunPoint?
  /// The addresses that files were sent to, with those of the pushes that this one retries.
  var addresses = SentAddresses()
  var figures = SendingFigures()
  /// The most requests that were under way at once.
  var lanes = 0
  /// Whether hoist found that number.
  var findsLanes = false
  /// Whether the user or the system stopped the push.
  var isInterrupted = false
  /// Whether the first failure stopped the push.
  var isCutShort = false
  /// Whether the push was stopped before its inputs had ended, so that files may be missing here.
  var isIncomplete = false

  /// How many files were not tried, because of what became of others.
  var notTried: Int { failed.count { $0.failure.isNotTried } }

  /// What became of the files, in numbers.
  package var counts: SendingCounts {
    var counts = SendingCounts()
    (counts.sent, counts.doubtful, counts.there, counts.taken) = (sent, doubtful, there, taken)
    for (_, failure) in failed { counts.count(failure) }
    return counts
  }

  package var status: ExitStatus {
    if isInterrupted { return .interrupted }
    return failed.isEmpty && leftOut.isEmpty && run?.isTrouble != true ? .success : .someFailed
  }
}
