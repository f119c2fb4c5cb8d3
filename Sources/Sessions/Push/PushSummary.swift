import ProcessContext
import Scheduling
import UploadModel

/// What became of the files of a push.
package struct PushSummary {
  /// What became of the files, in numbers.
  package var counts = SendingCounts()
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

  package var status: ExitStatus {
    if isInterrupted { return .interrupted }
    return failed.isEmpty && leftOut.isEmpty && run?.isTrouble != true ? .success : .someFailed
  }
}
