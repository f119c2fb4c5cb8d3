import ProcessContext
import UploadModel

/// Uploads files from beginning to end and reports on them.
package struct Push {
  /// What to send. It is enumerated on a thread of its own while the first files are uploaded.
  let inputs: PushInputs
  @Boxed private(set) var target: Target
  var reporter: any PushReporter
  let context: Context
  /// Where events are logged.
  var journal: Journal?
  /// Whether the first failure ends everything.
  var failsFast = false
  /// Whether the summary lists every file, for a report.
  var keepsResults = false
  package var history: PushHistory?
  /// The run that the files belong to, if an earlier push left it open.
  package var openRun: RunPoint?

  package init(
    inputs: PushInputs, target: Target, style: PushStyle, retry: RetryHint? = nil,
    context: Context, journal: Journal? = nil, failsFast: Bool = false, keepsResults: Bool = false
  ) {
    (self.inputs, self.context, self.journal) = (inputs, context, journal)
    (self.failsFast, self.keepsResults) = (failsFast, keepsResults)
    reporter = style.reporter(to: context.output, retry)
    _target = Boxed(wrappedValue: target)
  }

  /// Whether the push runs until it is stopped, so that stopping it is not an interruption.
  var isWatching: Bool { inputs.watch != nil }

  /// Returns when everything is sent or has failed. A first interrupt stops the uploads and still prints the summary,
  /// including all files that were not sent. A second one ends the program at once.
  @MainActor
  package func run() async -> PushSummary { await PushLoop(self).run() }
}
