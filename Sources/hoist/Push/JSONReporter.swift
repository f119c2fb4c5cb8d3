import Foundation
import UploadModel

/// One JSON object a line on standard output. Scripts depend on these names.
struct JSONReporter: PushReporter {
  private struct Line: Encodable {
    var event: String
    var path: String?
    var bytesSent: Int64?
    var bytesTotal: Int64?
    var type: String?
    var status: Int?
    var attempt: Int?
    var attempts: Int?
    var delay: Double?
    var seconds: Double?
    var cause: String?
    var message: String?
    var reply: String?
    var url: String?
    var deletionURL: String?
    var sent: Int?
    var failed: Int?
    var skipped: Int?
    var leftOut: Int?
    var note: String?
    var incomplete: Bool?
  }

  mutating func queued(_ item: UploadItem) {
    write(line("queued", item, sent: 0, type: item.identity == nil ? nil : item.mediaType))
  }

  mutating func skipped(_ item: UploadItem) {
    var line = line("skipped", item, sent: 0)
    line.note = item.note
    write(line)
  }

  mutating func resumed(_ item: UploadItem, at point: ResumePoint) {
    var line = line("resumed", item, sent: point.start)
    line.note = point.words
    write(line)
  }

  mutating func changed(_ item: UploadItem, at now: Instant) {
    switch item.state {
    case .waiting, .paused: break
    case .preparing(let attempt):
      var line = line("started", item, sent: 0)
      line.attempt = attempt
      write(line)
    case .sending(_, let sent, _): write(line("progress", item, sent: sent))
    case .awaitingReply: write(line("sent", item, sent: item.sentSize))
    case .retrying(let failure, let next, let attempts, let at):
      var line = failed("retrying", item, failure)
      line.attempt = next
      line.attempts = attempts
      line.delay = Self.rounded(max(0, at - now))
      write(line)
    case .done(let receipt):
      var line = line("finished", item, sent: receipt.bytes)
      line.status = receipt.status
      line.attempt = receipt.attempts
      line.seconds = Self.rounded(receipt.seconds)
      line.url = receipt.url
      line.deletionURL = receipt.deletionURL
      line.reply = receipt.reply.text
      write(line)
    case .failed(let failure): write(failed("failed", item, failure))
    }
  }

  mutating func summary(_ summary: PushSummary) {
    var line = Line(event: "summary")
    line.sent = summary.sent
    line.failed = summary.failed.count
    line.skipped = summary.skipped
    line.leftOut = summary.leftOut.isEmpty ? nil : summary.leftOut.count
    line.bytesSent = summary.bytes
    line.seconds = Self.rounded(summary.seconds)
    line.incomplete = summary.isIncomplete ? true : nil
    write(line)
  }

  private func line(
    _ event: String, _ item: UploadItem, sent: Int64, type: String? = nil
  ) -> Line {
    Line(
      event: event, path: item.path.description, bytesSent: sent, bytesTotal: Self.size(of: item),
      type: type)
  }

  private func failed(_ event: String, _ item: UploadItem, _ failure: Failure) -> Line {
    var line = Line(event: event, path: item.path.description, bytesTotal: Self.size(of: item))
    line.status = failure.status
    line.attempt = failure.attempts
    line.cause = failure.code
    line.message = failure.explanation
    line.reply = failure.reply.text.isEmpty ? nil : failure.reply.text
    return line
  }

  /// The size of a file that could not be examined is unknown.
  private static func size(of item: UploadItem) -> Int64? {
    item.identity == nil ? nil : item.sentSize
  }

  /// Seconds to the millisecond.
  static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }

  private func write(_ line: Line) {
    if let text = try? JSONLine.text(line) { Output.line(text) }
  }
}
