import Foundation
import UploadModel

/// One JSON object a line on standard output. Scripts rest on these names.
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
    var sent: Int?
    var failed: Int?
  }

  private let encoder = {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  mutating func queued(_ item: UploadItem) {
    write(line("queued", item, sent: 0, type: item.mediaType))
  }

  mutating func changed(_ item: UploadItem, at now: Moment) {
    switch item.state {
    case .waiting, .paused: break
    case .preparing(let attempt):
      var line = line("started", item, sent: 0)
      line.attempt = attempt
      write(line)
    case .sending(_, let sent, _): write(line("progress", item, sent: sent))
    case .awaitingReply: write(line("sent", item, sent: item.size))
    case .retrying(let failure, let next, let attempts, let at):
      var line = failed("retrying", item, failure)
      line.attempt = next
      line.attempts = attempts
      line.delay = max(0, at - now)
      write(line)
    case .done(let receipt):
      var line = line("finished", item, sent: receipt.bytes)
      line.status = receipt.status
      line.attempt = receipt.attempts
      line.seconds = receipt.seconds
      line.url = receipt.url
      line.reply = receipt.reply.text
      write(line)
    case .failed(let failure): write(failed("failed", item, failure))
    }
  }

  mutating func summary(_ summary: PushSummary) {
    var line = Line(event: "summary")
    line.sent = summary.sent
    line.failed = summary.failed.count
    line.bytesSent = summary.bytes
    line.seconds = summary.seconds
    write(line)
  }

  private func line(
    _ event: String, _ item: UploadItem, sent: Int64, type: String? = nil
  ) -> Line {
    Line(
      event: event, path: item.location.description, bytesSent: sent, bytesTotal: item.size,
      type: type)
  }

  private func failed(_ event: String, _ item: UploadItem, _ failure: Failure) -> Line {
    var line = Line(event: event, path: item.location.description, bytesTotal: item.size)
    line.status = failure.status
    line.attempt = failure.attempts
    line.cause = failure.code
    line.message = failure.explanation
    line.reply = failure.reply.text.isEmpty ? nil : failure.reply.text
    return line
  }

  private func write(_ line: Line) {
    guard let data = try? encoder.encode(line) else { return }
    Output.line(Self.escaped(String(decoding: data, as: UTF8.self)))
  }

  /// JSON leaves alone what a terminal may take for a command (C1 controls) or for an order to write
  /// backwards. Escaped, it is the same JSON.
  private static func escaped(_ json: String) -> String {
    if json.utf8.allSatisfy({ $0 < 0x7F }) { return json }
    return json.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
