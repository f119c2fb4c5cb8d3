import Scheduling
import UploadModel

/// Reports what happens to files that are uploaded without a screen.
protocol PushReporter {
  /// Seconds between two calls of `tick`; nil for none.
  var tickInterval: Double? { get }
  mutating func queued(_ item: UploadItem)
  /// No more items will come. Some of them were sent before, and others may have arrived before.
  mutating func allQueued(repeated: Int, perhapsRepeated: Int)
  /// An item is not sent; its note says more.
  mutating func omitted(_ item: UploadItem, _ why: Omission)
  /// An item has a new state, which is counted in `progress`.
  mutating func changed(_ item: UploadItem, in progress: SendingProgress, at now: Instant)
  /// A file that was sent has been moved or deleted, or could not be.
  mutating func disposed(_ item: UploadItem, _ outcome: FileDisposal.Outcome)
  /// An attempt resumes an item, or cannot.
  mutating func resumed(_ item: UploadItem, at point: ResumePoint)
  mutating func advanced(_ item: UploadItem, to pieces: PieceCount)
  /// A file has grown while it was sent, and is sent again from its beginning.
  mutating func startsAgain(_ item: UploadItem)
  /// There is news of a target's run: of the requests before the first file and after the last.
  mutating func run(of target: String, _ news: RunNews)
  /// Another `tickInterval` has passed.
  mutating func tick(_ progress: SendingProgress, at now: Instant)
  /// The push has ended.
  mutating func summary(_ summary: PushSummary)
}

extension PushReporter {
  var tickInterval: Double? { nil }
  mutating func allQueued(repeated: Int, perhapsRepeated: Int) {}
  mutating func resumed(_ item: UploadItem, at point: ResumePoint) {}
  mutating func advanced(_ item: UploadItem, to pieces: PieceCount) {}
  mutating func startsAgain(_ item: UploadItem) {}
  mutating func tick(_ progress: SendingProgress, at now: Instant) {}
}

/// Why an item is not sent. The raw value is the event that `--json` prints.
enum Omission: String {
  /// It was sent before.
  case skipped
  /// It accompanies another one, and is not sent on its own.
  case accompanies
}
