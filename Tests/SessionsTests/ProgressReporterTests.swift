import Foundation
import MultipartForm
import Scheduling
import TestSupport
import Testing
import UploadModel

@testable import ProcessContext
@testable import Sessions

@Suite("What a push shows on a terminal")
struct ProgressReporterTests {
  private static let names = [
    "sent.jpg", "refused\u{1B}[2J.jpg", "refused too, with quite a long name.jpg", "unknown.jpg",
    "cut off.jpg", "never begun.jpg",
  ]
  private static let reply = Reply(
    text: #"""
      {"error": "the virus scanner found Eicar-Test-Signature in this file, so it was not stored"}
      """#, mediaType: "application/json")

  private static var ends: [ItemState] {
    var refused = Failure(.refused, status: 422, attempts: 1)
    refused.reply = reply
    return [
      .done(Receipt(status: 201, seconds: 2, bytes: 1_000_000)), .failed(refused), .failed(refused),
      .failed(Failure(.outcomeUnknown("closed"), attempts: 1)),
      .failed(Failure(.cancelled, attempts: 1)), .failed(Failure(.cancelled)),
    ]
  }

  /// What comes to a terminal of this width, an end after each frame.
  private static func written(
    columns: Int, hasColours: Bool = false, ascii: Bool = false
  ) throws -> [String] {
    let terminal = try PseudoTerminal()
    terminal.resize(columns: columns, rows: 24)
    let file = terminal.file.fileDescriptor
    var reporter = ProgressReporter(
      to: Output(results: file, errors: file), ascii: ascii, hasColours: hasColours,
      retry: RetryHint(report: "a report of this push.json", target: "nas"))
    let items = names.indices.map {
      UploadItem(
        id: ItemID(Int64($0) + 1), location: FileLocation("/f/\(names[$0])"), size: 1_000_000)
    }
    var written: [String] = []
    var progress = SendingProgress()
    var known = items
    func tick(_ seconds: Double) {
      progress.settle(at: Instant(seconds: seconds))
      reporter.tick(progress, at: Instant(seconds: seconds))
      written.append(terminal.take())
    }
    func change(_ index: Int, to state: ItemState, _ seconds: Double) {
      let now = Instant(seconds: seconds)
      progress.record(items[index].with(state), from: known[index], at: now)
      known[index] = items[index].with(state)
      reporter.changed(known[index], in: progress, at: now)
    }
    for item in items {
      progress.add(item)
      reporter.queued(item)
    }
    progress.isComplete = true
    reporter.allQueued(repeated: 0, perhapsRepeated: 0)
    tick(1)
    for (second, sent) in [(2.0, Int64(250_000)), (3, 500_000)] {
      for index in items.indices.prefix(5) {
        change(index, to: .sending(attempt: 1, sent: sent, total: 1_000_000), second)
      }
      tick(second)
    }
    for (index, end) in ends.enumerated() { change(index, to: end, 4) }
    tick(4)
    var summary = PushSummary()
    summary.counts = SendingCounts(progress.totals)
    summary.figures = SendingFigures(seconds: 3, bytes: 1_000_000)
    summary.isInterrupted = true
    summary.failed = zip(items, ends).compactMap { item, end in
      end.failure.map { (item.with(end), $0) }
    }
    reporter.summary(summary)
    return written + [terminal.take()]
  }

  @Test("lines and bars as they come", arguments: [40, 80, 120])
  func golden(columns: Int) throws {
    let frames = try Self.written(columns: columns)
    let text = frames.enumerated().map { "--- \($0)\n\($1.replacing("\u{1B}", with: "ESC"))" }
      .joined()
    let difference = try Golden.difference(
      of: text.replacing("\r\n", with: "\n").replacing("\r", with: "CR"),
      from: URL(filePath: Repository.root).appending(
        path: "Tests/SessionsTests/Goldens/push-\(columns).txt"))
    #expect(difference == nil)
  }

  @Test("no line is wider than the terminal or has a word broken", arguments: [40, 80, 120])
  func whole(columns: Int) throws {
    let text = try Self.written(columns: columns).joined()
    let lines = text.replacing(#/\u{1B}\[[0-9;]*[A-Za-z]/#, with: "")
      .split(whereSeparator: \.isNewline)
    #expect(lines.count > 15)
    // The command stands as it is to be copied.
    for line in lines where !line.contains("--retry-failed") {
      #expect(line.count < columns, "\(line)")
      #expect(!line.hasSuffix("Eicar-"), "\(line)")
    }
    #expect(text.contains("hoist push --retry-failed 'a report of this push.json'"))
    #expect(text.components(separatedBy: "Retrying").count == 2, "advice is given once")
    #expect(
      text.replacing("\r\n  ", with: " ").contains(
        "; 2 failed; 1 unknown; 2 cancelled; interrupted"))
  }

  @Test("signs have the colours of the screen, and names none of their own")
  func colours() throws {
    let text = try Self.written(columns: 80, hasColours: true).joined()
    for (sign, colour) in [("✓", 32), ("✗", 31), ("?", 33)] {
      #expect(text.contains("\u{1B}[0;\(colour)m\(sign)\u{1B}[m /f/"), "\(text.debugDescription)")
    }
    #expect(!text.contains("\u{1B}[2J"))
    // Each line ends without a colour.
    for line in text.split(separator: "\r\n") {
      let last = line.matches(of: #/\u{1B}\[([0-9;]*)m/#).last.map { String($0.1) }
      #expect(last == nil || last == "", "\(line.debugDescription)")
    }
    let plain = try Self.written(columns: 80).joined()
    #expect(plain.contains("✗ /f/") && !plain.contains(#/\u{1B}\[[0-9;]*m/#))
  }

  @Test(
    "bars are drawn once, and taken away before a line is written; ASCII where nothing else is known"
  )
  func bars() throws {
    let frames = try Self.written(columns: 80)
    #expect(frames[0].hasPrefix("0 of 6 files"), "\(frames[0].debugDescription)")
    #expect(frames[1].hasPrefix("\u{1B}[1A\r\u{1B}[J") && frames[1].contains("sent.jpg"))
    #expect(frames[3].hasPrefix("\u{1B}[6A\r\u{1B}[J✓ "), "\(frames[3].debugDescription)")
    #expect(frames[4].hasPrefix("\u{1B}[1A\r\u{1B}[J1 of 6 files sent"))
    let plain = try Self.written(columns: 80, ascii: true).joined()
    #expect(!plain.unicodeScalars.contains { !$0.isASCII }, "\(plain.debugDescription)")
  }
}
