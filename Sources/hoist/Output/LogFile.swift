import Foundation
import Logging
import ScalarText
import Synchronization
import UploadModel
import UploadStore

/// Where log lines go: a file that is only ever added to, or standard error.
///
/// A line is the time in UTC, the level, what happened, and `key=value` for everything there is to say
/// about it; values with spaces stand in quotes.
final class LogFile: Sendable {
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  private let lost = Mutex<Int32?>(nil)

  /// Lines to standard error.
  static let standardError = LogFile(STDERR_FILENO)

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
    ownsDescriptor = false
  }

  /// Opens a file to add to. A new one may be read by its owner only.
  /// - Throws: `UserError` where it cannot be written.
  init(_ path: String) throws(UserError) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    ownsDescriptor = true
    guard descriptor >= 0 else {
      throw UserError("--log \(path): cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  deinit { if ownsDescriptor { close(descriptor) } }

  /// Why a line was lost, in the system's words.
  var lostLines: String? { lost.withLock { $0 }.map { String(cString: strerror($0)) } }

  /// Adds a line in one piece, so that several programs can share a file.
  func add(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    lost.withLock { lost in
      let reason = InterruptibleWrite.write(bytes, to: descriptor)
      if reason != 0, lost == nil { lost = reason }
    }
  }
}

/// swift-log's way to a `LogFile`.
struct LogFileHandler: LogHandler {
  let file: LogFile
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    let fields = all.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted("\($0.value)"))" }
    file.add("\(time) \(event.level) \(SafeText.line("\(event.message)"))\(fields.joined())")
  }

  /// A value on its line: what parts fields, or could be taken to, stands in quotes.
  static func quoted(_ value: String) -> String {
    let value = SafeText.line(value)
    let isBare = value.unicodeScalars.allSatisfy { scalar in
      !scalar.isWhiteSpace && scalar != "\"" && scalar != "="
    }
    if isBare, !value.isEmpty { return value }
    return "\""
      + value.replacing(scalars: "\\", with: "\\\\").replacing(scalars: "\"", with: "\\\"")
      + "\""
  }
}

/// Writes down what happens to uploads: `--log` and `-v`.
struct Journal: Sendable {
  private let loggers: [Logger]
  private let files: [LogFile]

  /// A journal in these files.
  init(_ files: [LogFile], level: Logger.Level) {
    self.files = files
    loggers = files.map { file in
      Logger(label: "hoist") { _ in
        LogFileHandler(file: file, logLevel: level)
      }
    }
  }

  /// Why a line was lost, in the system's words.
  var lostLines: String? { files.lazy.compactMap(\.lostLines).first }

  /// Notes something about the program itself.
  func note(_ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
    for logger in loggers { logger.info(message, metadata: metadata) }
  }

  /// Notes an item's new state; progress is no news.
  func note(_ item: UploadItem) {
    var metadata: Logger.Metadata = [
      "item": "\(item.id.rawValue)", "path": "\(item.path)", "bytes": "\(item.size)",
    ]
    func add(_ failure: Failure) {
      metadata["attempt"] = "\(failure.attempts)"
      metadata["cause"] = "\(failure.code)"
      metadata["message"] = "\(failure.explanation)"
      if !failure.reply.text.isEmpty {
        metadata["reply"] = "\(String(failure.reply.text.unicodeScalars.prefix(500)))"
      }
    }
    let (level, message): (Logger.Level, Logger.Message)
    switch item.state {
    case .waiting: (level, message) = (.debug, "queued")
    case .paused: (level, message) = (.debug, "paused")
    case .sending: return
    case .preparing(let attempt):
      (level, message) = (.debug, "started")
      metadata["attempt"] = "\(attempt)"
      metadata["type"] = "\(item.mediaType)"
    case .awaitingReply(let attempt, _):
      (level, message) = (.debug, "awaiting reply")
      metadata["attempt"] = "\(attempt)"
    case .retrying(let failure, let next, let attempts, _):
      (level, message) = (.warning, "will be tried again")
      add(failure)
      metadata["next"] = "\(next) of \(attempts)"
    case .done(let receipt):
      (level, message) = (.info, "sent")
      metadata["attempt"] = "\(receipt.attempts)"
      metadata["status"] = "\(receipt.status)"
      metadata["seconds"] = "\(JSONReporter.rounded(receipt.seconds))"
      if let url = receipt.url { metadata["url"] = "\(url)" }
    case .failed(let failure):
      (level, message) = (.error, "failed")
      add(failure)
    }
    for logger in loggers { logger.log(level: level, message, metadata: metadata) }
  }
}

/// Notes everything in a journal before another reporter tells it.
struct JournalReporter: PushReporter {
  let journal: Journal
  var inner: any PushReporter

  var tickInterval: Double? { inner.tickInterval }

  mutating func queued(_ item: UploadItem) {
    if !item.state.isFinished { journal.note(item) }
    inner.queued(item)
  }

  mutating func allQueued() { inner.allQueued() }

  mutating func skipped(_ item: UploadItem) { inner.skipped(item) }

  mutating func changed(_ item: UploadItem, at now: Moment) {
    journal.note(item)
    inner.changed(item, at: now)
  }

  mutating func tick(at now: Moment) { inner.tick(at: now) }

  mutating func summary(_ summary: PushSummary) {
    journal.note(
      "over",
      [
        "sent": "\(summary.sent)", "failed": "\(summary.failed.count)",
        "bytes": "\(summary.bytes)", "seconds": "\(JSONReporter.rounded(summary.seconds))",
        "interrupted": "\(summary.isInterrupted)",
      ])
    inner.summary(summary)
  }
}
