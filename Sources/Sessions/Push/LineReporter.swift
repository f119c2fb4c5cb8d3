import ProcessContext
import Scheduling
import UploadModel

/// Reports in plain lines, for people and logs: one for each file that ends, one now and then for a file that takes a
/// long time, and a summary. URLs of results go to standard output, everything else to `write`.
struct LineReporter: PushReporter {
  private let write: (String) -> Void
  private let writeResult: (String) -> Void
  /// Seconds between two lines about the same file.
  var interval: Double
  static let usualInterval = 5.0
  /// Whether only failures are reported.
  private let isQuiet: Bool
  /// Whether a line says when a file was sent before.
  private let showsNotes: Bool
  private let retry: RetryHint?
  /// Explanations that have been given: each is given once, however many files fail for the same reason.
  private var explained: Set<String> = []

  /// When a line was last printed about each file under way, or its attempt began.
  private var told: [ItemID: Instant] = [:]
  /// Whether the summary must report failures that no line has reported.
  private var hasUntold = false

  init(
    interval: Double = usualInterval, isQuiet: Bool = false, showsNotes: Bool = false,
    retry: RetryHint? = nil,
    write: @escaping (String) -> Void, writeResult: @escaping (String) -> Void
  ) {
    (self.interval, self.isQuiet, self.showsNotes) = (interval, isQuiet, showsNotes)
    self.retry = retry
    (self.write, self.writeResult) = (write, writeResult)
  }

  /// Results go to standard output, everything else to standard error.
  init(
    to output: Output, interval: Double = usualInterval, isQuiet: Bool = false,
    showsNotes: Bool = false, retry: RetryHint? = nil
  ) {
    self.init(
      interval: interval, isQuiet: isQuiet, showsNotes: showsNotes, retry: retry,
      write: { output.error($0) },
      writeResult: { output.line($0) })
  }

  mutating func queued(_ item: UploadItem) {
    if showsNotes, let note = item.note {
      write("· \(SafeText.line(item.path.description)): \(note)")
    }
  }

  mutating func allQueued(repeated: Int, perhapsRepeated: Int) {
    if isQuiet { return }
    if repeated > 0 {
      let (were, them) = repeated == 1 ? ("was", "it") : ("were", "them")
      write(
        "· \(HumanReadable.count(repeated, "file")) \(were) sent before and \(repeated == 1 ? "is" : "are") sent again; "
          + "--skip-sent leaves \(them) out")
    }
    if perhapsRepeated > 0 {
      let are = perhapsRepeated == 1 ? "is" : "are"
      write(
        "· \(HumanReadable.count(perhapsRepeated, "file")) may have arrived before and \(are) sent again"
      )
    }
  }

  mutating func omitted(_ item: UploadItem, _ why: Omission) {
    if isQuiet { return }
    let skipped = why == .skipped ? "skipped, " : ""
    write("· \(SafeText.line(item.path.description)): \(skipped)\(item.note ?? "")")
  }

  mutating func resumed(_ item: UploadItem, at point: ResumePoint) {
    guard !isQuiet, let words = point.words else { return }
    write("↻ \(SafeText.line(item.path.description)): \(words)")
  }

  mutating func startsAgain(_ item: UploadItem) {
    if !isQuiet { write("↻ \(SafeText.line(Remark(grew: item.fileName).text))") }
  }

  mutating func disposed(_ item: UploadItem, _ outcome: FileDisposal.Outcome) {
    guard outcome.isKept || !isQuiet else { return }
    let sign = outcome.isKept ? "!" : "·"
    write("\(sign) \(SafeText.line(item.path.description)): \(SafeText.line(outcome.words))")
  }

  mutating func run(of target: String, _ news: RunNews) {
    let words = news.words(isLasting: false)
    // If the run could not be opened, the lines about its files say so.
    guard !words.isEmpty, news.kind != .notOpened, news.isTrouble || !isQuiet else { return }
    let sign =
      switch news.kind {
      case .ended(.close), .ended(nil): "✓"
      case .refused: "✗"
      case .unknown: "?"
      default: news.isTrouble ? "!" : "·"
      }
    write("\(sign) \(SafeText.line(target)): \(words)")
  }

  mutating func changed(_ item: UploadItem, in progress: SendingProgress, at now: Instant) {
    var name: String { SafeText.line(item.path.description) }
    switch item.state {
    case .waiting, .paused, .awaitingReply: break
    case .processing(let processing):
      if !isQuiet { write("… \(name): \(SafeText.line(processing.words))") }
    case .preparing: told[item.id] = now
    case .sending(_, let sent, let total):
      guard !isQuiet, let last = told[item.id], now - last >= interval else { return }
      told[item.id] = now
      let percent = HumanReadable.percent(sent, of: total)
      let speeds = progress.speeds
      let speed = speeds.speed(of: item.id, at: now).map { ", \(HumanReadable.speed($0))" } ?? ""
      let eta = speeds.eta(of: item.id, remaining: total - sent, at: now)
      let left = eta.map { ", \(HumanReadable.timeLeft($0)) left" } ?? ""
      write("… \(name): \(percent)% of \(HumanReadable.bytes(total))\(speed)\(left)")
    case .retrying where isQuiet: break
    case .retrying(let failure, let next, let attempts, let at):
      write(
        "↻ \(name): \(failure.line); "
          + "attempt \(ItemState.attempt(next, of: attempts)) in "
          + HumanReadable.seconds(max(0, at - now)))
    case .done(let receipt):
      told[item.id] = nil
      // A doubt is news even for those who only want to hear of failures.
      if !isQuiet || receipt.isDoubtful {
        let sign = receipt.isDoubtful ? "!" : receipt.skipped != nil ? "·" : "✓"
        var line = "\(sign) \(name): \(SafeText.line(receipt.words))"
        if !receipt.wasThere {
          line += ", \(HumanReadable.bytes(receipt.bytes))"
          line += " in \(HumanReadable.seconds(receipt.seconds))"
          line += ", \(HumanReadable.speed(receipt.meanSpeed ?? 0))"
        }
        write(line)
      }
      if let url = receipt.url { writeResult(SafeText.line(url)) }
    case .failed(let failure) where failure.cause == .cancelled && failure.attempts == 0:
      // Never started: after a stop there may be thousands of these, and the summary counts them.
      hasUntold = true
    case .failed(let failure) where failure.isNotTried:
      told[item.id] = nil
      // The summary names these files. The reason is given once.
      hasUntold = true
      let line = "· not trying the rest: \(SafeText.line(failure.reason))"
      if explained.insert(line).inserted { write(line) }
    case .failed(let failure):
      told[item.id] = nil
      write("\(failure.sign) \(name): \(failure.line)")
      // A user who stopped the upload knows why.
      if failure.cause != .cancelled { explain(failure) }
    }
  }

  private mutating func explain(_ failure: Failure) {
    if explained.count == 1_000 { explained = [] }
    let explanation = SafeText.line(failure.explanationBelowHeadline)
    if explained.insert(explanation).inserted { write("  \(explanation)") }
  }

  mutating func summary(_ summary: PushSummary) {
    if isQuiet, summary.failed.isEmpty, summary.counts.doubtful == 0 { return }
    let counts = summary.counts
    let isEmpty = counts.all == 0 && summary.skipped == 0 && summary.leftOut.isEmpty
    // The number that hoist begins with is no news.
    let isFound = summary.findsLanes && summary.lanes > Concurrency.automatic.first
    var line =
      isEmpty
      ? "nothing was sent: no files were found"
      : counts.words(summary.figures, atOnce: isFound ? summary.lanes : nil)
    if summary.skipped > 0 { line += "; \(HumanReadable.grouped(summary.skipped)) skipped" }
    if !summary.leftOut.isEmpty {
      line += "; \(HumanReadable.grouped(summary.leftOut.count)) left out"
    }
    if summary.isInterrupted { line += "; interrupted" }
    if summary.isCutShort { line += "; stopped at the first failure" }
    if summary.isIncomplete { line += "; inputs that were not read to the end are not counted" }
    write(line)
    // A single failure has just been reported, so do not repeat it.
    if summary.failed.count > 1 || hasUntold { Self.causes(of: summary).forEach(write) }
    if let hint = retry?.text(for: summary) { write(hint) }
  }

  /// A line for each reason of failures, the most frequent first.
  private static func causes(of summary: PushSummary) -> [String] {
    let groups = FailureGroup.gathered(
      summary.failed.map { (FailureReason($0.failure, of: $0.item.fileName), $0.item) })
    return ReasonLines.cut(groups) { group in
      let names = group.members.prefix(3).map { SafeText.line($0.path.description) }
      let more = group.members.count - names.count
      return "\(group.line): \(names.joined(separator: ", "))"
        + (more > 0 ? " and \(HumanReadable.grouped(more)) more" : "")
    }
  }
}
