import Foundation
import ProcessContext
import Queue
import Scheduling
import UploadModel
import UploadStore

/// What is printed on standard error after the screen has gone, and the exit status.
struct SessionReport {
  var items: ItemList
  /// Whether the queue had not been read to its end.
  var isReading = false
  /// Whether another process was sending the queue.
  var isAside = false
  /// Whether that process continues in the background for a screen that was left.
  var isSentInBackground = false
  /// How many other processes look on, one of which will go on sending; 0 if the queue is stopped.
  var successors = 0
  var isStopped = false
  /// Why the queue could not be read or taken over, so that its content is unknown; nil if it could.
  var fault: StoreError?
  var figures = SendingFigures()
  var unwritten: QueueRecorder.UnsavedResults?
  /// News of runs that deserves a person's attention, by target.
  var runTroubles: [String: RunNews] = [:]
  /// The lines about files that were printed when those ended, and are not repeated as long as they hold.
  var told: [ItemID: String] = [:]
  /// The option that commands need to act on this queue; see `UsualQueue.option`.
  var queueOption = ""
  /// The process that continues sending the queue, if any.
  var successor: pid_t?
  /// Whether the next hoist gets this queue.
  var isKept = true
  /// Whether the next hoist sends a file once more whose reply is not awaited any longer.
  var startsAgain: (UploadItem) -> Bool = { _ in false }

  /// The most lines that are printed before the summary: enough to see what happened. `hoist queue list` has the rest.
  private static let mostLines = 40

  var lines: [String] {
    if goesOnElsewhere {
      let who = isSentInBackground ? "hoist in the background" : "another hoist process"
      return ["\(who) is sending the queue"]
    }
    let unread =
      (fault.map { ["! \(SafeText.line($0.description))"] } ?? [])
      + (isReading ? ["… the rest of the queue was still being read and is not shown"] : [])
    guard hasContent else { return unread }
    let folder = FileManager.default.currentDirectoryPath
    let lines =
      fates(in: folder)
      + runTroubles.sorted { $0.key < $1.key }.map {
        "! \(SafeText.line($0.key)): \($0.value.words(isLasting: true))"
      } + (unwritten.map { losses($0, in: folder) } ?? [])
    let more = lines.count - Self.mostLines
    return unread + lines.prefix(Self.mostLines)
      + (more > 0 ? ["… and \(HumanReadable.grouped(more)) more"] : [])
      + reasons + choice + summary
  }

  /// The items that were not sent, or perhaps not: first what has failed, then what may be on the server, then what is
  /// left to send, each in the order in which it was added. If the counts say that there
  /// are no such items, the list is not searched: with 20,000 files, that would delay the end of the program.
  private var remarkable: [UploadItem] {
    guard unsent > 0 || items.totals.doubtful > 0 else { return [] }
    return items.items.filter {
      (!$0.state.isDone || $0.state.receipt?.isDoubtful == true) && !items.isFromBefore($0)
    }
    .sorted { (Self.rank(of: $0), $0.id) < (Self.rank(of: $1), $1.id) }
  }

  private static func rank(of item: UploadItem) -> Int {
    switch item.state {
    case .failed(let failure): failure.isOutcomeUnknown ? 1 : 0
    case _ where item.state.isHandedOver: 1
    case .done: 2
    default: 3
    }
  }

  /// Why files failed, if several failed: a line for each reason.
  private var reasons: [String] {
    guard unsent > 1 else { return [] }
    let groups = items.sessionProblemGroups
    guard groups.reduce(0, { $0 + $1.members.count }) > 1 else { return [] }
    return ReasonLines.cut(groups, \.line)
  }

  /// How to choose what becomes of files whose names are taken: only the screen asks.
  private var choice: [String] {
    remarkable.contains { $0.state.failure?.taken != nil } ? ["  \(Failure.nameAdvice)"] : []
  }

  var status: ExitStatus {
    if goesOnElsewhere { return .success }
    let isWhole = !isReading && fault == nil
    guard hasContent else { return isWhole ? .success : .someFailed }
    if isTakenOver {
      let hasFailed = items.items.contains { $0.state.failure != nil && $0.state.isFinished }
      return hasFailed || fault != nil || !runTroubles.isEmpty ? .someFailed : .success
    }
    return unsent == 0 && runTroubles.isEmpty && isWhole && unwritten == nil
      ? .success : .someFailed
  }

  /// Whether anything has failed or is unknown, even if all of it will be retried.
  var hasFailures: Bool {
    fault != nil || unwritten != nil || !runTroubles.isEmpty
      || items.items.contains { $0.state.failure != nil }
  }

  /// Whether another process continues to send. If nothing is left to send, this is false, since this process has seen
  /// the result of each file.
  private var goesOnElsewhere: Bool { isAside && !isAtRest }
  /// Whether another process goes on with what is left, since this one has left it.
  private var isTakenOver: Bool {
    successor != nil
      || successors > 0 && !isAside && unwritten == nil && items.totals.busy > cutOff
  }
  /// How many files still await their replies, which nobody will hear.
  private var cutOff: Int {
    remarkable.count { $0.state.isHandedOver && !$0.state.isProcessed && !startsAgain($0) }
  }
  private var isAtRest: Bool { items.totals.busy == 0 && !isReading }
  private var hasContent: Bool {
    items.sessionCounts.all > 0 || !runTroubles.isEmpty
  }
  private var unsent: Int { items.count - items.totals.done }

  private func fates(in folder: String) -> [String] {
    remarkable.compactMap { item in
      if let line = Self.end(of: item, in: folder) { return told[item.id] == line ? nil : line }
      let name = SafeText.line(item.location.relative(to: folder).description)
      return switch item.state {
      case .processing(let processing):
        "· \(name): \(SafeText.line(processing.words)); hoist asks the server again when it next runs"
      case _ where item.state.isHandedOver && startsAgain(item):
        isTakenOver
          ? nil : "· \(name): no reply yet; the next hoist sends it once more, which does no harm"
      case _ where item.state.isHandedOver:
        "? \(name): may have arrived; check the server before you send it again"
      case .paused where !isTakenOver: "· \(name): not sent, since it is paused"
      case _ where !item.state.isFinished && !isTakenOver:
        "· \(name): not sent" + (lastFailure(of: item).map { ": \(SafeText.line($0))" } ?? "")
      default: nil
      }
    }
  }

  /// What the last attempt at a file met with that is to be tried again.
  private func lastFailure(of item: UploadItem) -> String? {
    if case .retrying(let failure, _, _, _) = item.state { return failure.headline }
    return items.row(item.id)?.attempts.last.flatMap { $0.isGood ? nil : $0.words }
  }

  /// The line about a file that has ended and was not sent, or perhaps not; nil for any other.
  static func end(of item: UploadItem, in folder: String) -> String? {
    var name: String { SafeText.line(item.location.relative(to: folder).description) }
    return switch item.state {
    case .done(let receipt) where receipt.isDoubtful:
      "! \(name): \(SafeText.line(receipt.words))"
    case .failed(let failure): "\(failure.sign) \(name): \(failure.line)\(obstacle(failure))"
    default: nil
    }
  }

  /// What the headline leaves open: only the reason says what to do.
  private static func obstacle(_ failure: Failure) -> String {
    guard case .unsendable(let why) = failure.cause else { return "" }
    return ": \(SafeText.line(why))"
  }

  /// Lines about results that are not in the queue.
  private func losses(_ unwritten: QueueRecorder.UnsavedResults, in folder: String) -> [String] {
    let names = unwritten.items.sorted().map { id in
      items.item(id).map { SafeText.line($0.location.relative(to: folder).description) } ?? "\(id)"
    }
    let count = HumanReadable.count(names.count, "file")
    let fate =
      if let place = unwritten.place {
        "they are in \(SafeText.line(place)), which the next hoist reads"
      } else {
        "the next hoist does not know them and may send again what has arrived"
      }
    return names.map { "! \($0): its result was not saved in the queue" }
      + ["! \(unwritten.reason); the results of \(count) are not in the queue: \(fate)"]
  }

  private var summary: [String] {
    // If files have left the list, the figures may be those of other files. What another process sent may not be in
    // them.
    let figures = items.removed.isEmpty && self.figures.bytes > 0 ? self.figures : nil
    // All files count that were in the list, so that the numbers add up.
    var counts = items.sessionCounts
    // The next hoist finds the same, since this one ended before their replies.
    counts.unknown += cutOff
    counts.left -= cutOff
    var kept = ""
    if isKept, !isTakenOver {
      if counts.left > 0 {
        kept = "; \(HumanReadable.count(counts.left, "file")) left in the queue for the next hoist"
      } else if unsent > 0 {
        kept = "; what was not sent stays in the queue"
      }
    }
    var lines = [counts.words(figures) + kept]
    if isStopped, unsent > 0, isKept {
      lines.append(
        "the queue is stopped; to resume it, run \"hoist queue start\(queueOption)\" or press s on the screen"
      )
    }
    if let successor {
      lines.append(
        "the remaining files are being sent in the background (process \(successor)); run hoist to watch"
      )
    } else if isTakenOver {
      lines.append("another hoist, which has this queue open, goes on sending the remaining files")
    }
    return lines
  }
}

extension SessionReport {
  /// The report on a session that has ended.
  @MainActor
  init(
    _ queue: SharedQueue, unwritten: QueueRecorder.UnsavedResults?, queueOption: String,
    successor: pid_t?, isKept: Bool = true, told: [ItemID: String] = [:]
  ) {
    self.init(
      items: queue.items, isReading: queue.isReading, isAside: queue.isAside,
      isSentInBackground: queue.isSentInBackground,
      successors: queue.settings.isStarted ? queue.successors : 0,
      isStopped: queue.isStopped, fault: queue.fault, figures: queue.figures,
      unwritten: unwritten, runTroubles: queue.runTroubles, told: told, queueOption: queueOption,
      successor: successor, isKept: isKept, startsAgain: queue.startsAgain)
  }
}
