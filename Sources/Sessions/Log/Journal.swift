import Logging
import ScalarText
import Scheduling
import Settings
import UploadModel

/// Logs what happens to uploads, for `--log` and `-v`.
package struct Journal: Sendable {
  private let logger: Logger
  private let file: LogFile

  /// `isVerbose` logs each attempt and its delays as well.
  package init(_ file: LogFile, isVerbose: Bool) {
    self.file = file
    let level: Logger.Level = isVerbose ? .debug : .info
    logger = Logger(label: "hoist") { _ in LogFileHandler(file: file, logLevel: level) }
  }

  /// Why a line was lost, in the system's words.
  package var lostLines: String? { file.lostLines }

  /// Logs that files are sent to a target from now on.
  package func recordStart(to target: Target) {
    record(
      "begun",
      ["version": "\(UserAgent.version)", "target": "\(TargetURL.shown(target.url))"])
  }

  /// Logs something about the program itself.
  func record(_ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
    logger.info(message, metadata: metadata)
  }

  func record(_ summary: PushSummary) {
    record(
      "over",
      [
        "sent": "\(summary.counts.sentInAll)", "failed": "\(summary.failed.count)",
        "bytes": "\(summary.figures.bytes)",
        "seconds": "\(JSONReporter.rounded(summary.figures.seconds))",
        "interrupted": "\(summary.isInterrupted)",
      ])
  }

  func record(_ news: RunNews, of target: String) {
    guard news.kind != .none else { return }
    logger.log(
      level: news.failure == nil ? news.isTrouble ? .warning : .info : .error,
      "run \(news.event.replacing(scalars: "_", with: " "))",
      metadata: ["target": "\(target)", "message": "\(news.words(isLasting: false))"])
  }

  /// Logs an item's new state, but not its progress.
  func record(_ item: UploadItem) {
    var metadata: Logger.Metadata = [
      "item": "\(item.id.rawValue)", "path": "\(item.path)", "bytes": "\(item.size)",
    ]
    if let attempt = item.state.attempt { metadata["attempt"] = "\(attempt)" }
    let (level, message): (Logger.Level, Logger.Message)
    switch item.state {
    case .waiting: (level, message) = (.debug, "queued")
    case .paused: (level, message) = (.debug, "paused")
    case .sending: return
    case .preparing:
      (level, message) = (.debug, "started")
      metadata["type"] = "\(item.mediaType)"
    case .awaitingReply: (level, message) = (.debug, "awaiting reply")
    case .processing(let processing):
      (level, message) = (processing.trouble == nil ? .info : .warning, "\(processing.words)")
      metadata["status"] = "\(processing.receipt.status)"
    case .retrying(_, let next, let attempts, _):
      (level, message) = (.warning, "will be tried again")
      metadata["next"] = "\(ItemState.attempt(next, of: attempts))"
    case .done(let receipt):
      (level, message) = (
        receipt.isDoubtful ? .warning : .info,
        receipt.skipped != nil
          ? "skipped, the name is taken"
          : receipt.isConfirmed
            ? "arrived, confirmed by hand" : receipt.wasThere ? "there already" : "sent"
      )
      if let doubt = receipt.doubtfulBecause { metadata["doubtful"] = "\(doubt)" }
      metadata["status"] = "\(receipt.status)"
      metadata["seconds"] = "\(JSONReporter.rounded(receipt.seconds))"
      if let url = receipt.url { metadata["url"] = "\(url)" }
      if let verified = receipt.verified { metadata["verified"] = "\(verified)" }
    case .failed: (level, message) = (.error, "failed")
    }
    if let failure = item.state.failure {
      metadata["attempt"] = "\(failure.attempts)"
      metadata["cause"] = "\(failure.code)"
      metadata["message"] = "\(failure.explanation(goesOn: item.canGoOn))"
      if !failure.reply.text.isEmpty {
        metadata["reply"] = "\(String(failure.reply.text.unicodeScalars.prefix(500)))"
      }
    }
    logger.log(level: level, message, metadata: metadata)
  }
}
