import Foundation
import UploadModel

/// Plain lines for people and logs: one for each file that ends, one now and then for a file that
/// takes long, and a summary. URLs of results go to standard output, everything else to `write`.
struct LineReporter: PushReporter {
  /// Seconds between two lines about the same file.
  var interval = 5.0
  var write: (String) -> Void = Output.error

  private var estimates: [ItemID: ThroughputEstimate] = [:]
  private var lastLine: [ItemID: Moment] = [:]

  init(interval: Double = 5, write: @escaping (String) -> Void = Output.error) {
    self.interval = interval
    self.write = write
  }

  mutating func queued(_ item: UploadItem) {}

  mutating func changed(_ item: UploadItem, at now: Moment) {
    let name = SafeText.line(item.location.description)
    switch item.state {
    case .waiting, .paused, .awaitingReply: break
    case .preparing:
      estimates[item.id] = ThroughputEstimate(start: now)
      lastLine[item.id] = now
    case .sending(_, let sent, let total):
      estimates[item.id]?.note(total: sent, at: now)
      guard let last = lastLine[item.id], now - last >= interval else { return }
      lastLine[item.id] = now
      let percent = Wording.percent(sent, of: total)
      let speed = estimates[item.id]?.speed(at: now).map { ", \(Wording.speed($0))" } ?? ""
      let eta = estimates[item.id]?.eta(remaining: total - sent, at: now)
      let left = eta.map { ", \(Wording.clock($0)) left" } ?? ""
      write("… \(name): \(percent)% of \(Wording.bytes(total))\(speed)\(left)")
    case .retrying(let failure, let next, let attempts, let at):
      write(
        "↻ \(name): \(failure.headline)\(Self.words(of: failure)); "
          + "attempt \(next) of \(attempts) in \(Wording.seconds(max(0, at - now)))")
    case .done(let receipt):
      forget(item)
      let speed = receipt.seconds > 0 ? Double(receipt.bytes) / receipt.seconds : 0
      write(
        "✓ \(name): \(Failure.statusLine(receipt.status)), \(Wording.bytes(receipt.bytes)) in "
          + "\(Wording.seconds(receipt.seconds)), \(Wording.speed(speed))")
      if let url = receipt.url { Output.line(SafeText.line(url)) }
    case .failed(let failure):
      forget(item)
      write("✗ \(name): \(failure.headline)\(Self.words(of: failure))")
      write("  \(SafeText.line(failure.explanation))")
    }
  }

  mutating func summary(_ summary: PushSummary) {
    let total = summary.sent + summary.failed.count
    var line = "\(summary.sent) of \(Wording.count(total, "file")) sent"
    line += ", \(Wording.bytes(summary.bytes)) in \(Wording.seconds(summary.seconds))"
    if !summary.failed.isEmpty { line += "; \(summary.failed.count) failed" }
    if summary.isInterrupted { line += "; interrupted" }
    write(line)
  }

  private mutating func forget(_ item: UploadItem) {
    estimates[item.id] = nil
    lastLine[item.id] = nil
  }

  /// What the server said, on one line and not too long.
  private static func words(of failure: Failure) -> String {
    let text = SafeText.line(
      failure.reply.text.trimmingCharacters(in: .whitespacesAndNewlines).prefix(200))
    return text.isEmpty ? "" : ", the server said: \(text)"
  }
}
