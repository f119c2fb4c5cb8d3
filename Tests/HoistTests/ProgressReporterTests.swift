import Foundation
import MultipartForm
import TestSupport
import Testing
import UploadModel

@testable import hoist

@Suite("What a push shows on a terminal")
struct ProgressReporterTests {
  /// What is written when three files end.
  private static func written(hasColours: Bool) throws -> String {
    let folder = try ScratchDirectory()
    let file = open(folder.path("out"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    let output = Output(results: file, errors: file)
    var reporter = ProgressReporter(
      to: output, ascii: false, hasColours: hasColours,
      retry: RetryHint(report: nil, target: "nas"))
    let now = Instant(seconds: 1)
    let states: [ItemState] = [
      .done(Receipt(status: 201)), .failed(Failure(.refused, status: 413, attempts: 1)),
      .failed(Failure(.outcomeUnknown("closed"), attempts: 1)),
    ]
    let items = states.indices.map {
      UploadItem(id: ItemID(Int64($0) + 1), location: FileLocation("/f/\($0)\u{1B}[2J"), size: 10)
    }
    for item in items { reporter.queued(item) }
    reporter.allQueued()
    reporter.tick(at: now)
    for (item, state) in zip(items, states) { reporter.changed(item.with(state), at: now) }
    reporter.tick(at: now + 1)
    return try String(
      decoding: #require(FileManager.default.contents(atPath: folder.path("out"))), as: UTF8.self)
  }

  @Test("signs have the colours of the screen, and names none of their own")
  func colours() throws {
    let text = try Self.written(hasColours: true)
    for (sign, colour) in [("✓", 32), ("✗", 31), ("?", 33)] {
      #expect(text.contains("\u{1B}[0;\(colour)m\(sign)\u{1B}[m /f/"), "\(text.debugDescription)")
    }
    #expect(!text.contains("\u{1B}[2J"))
    // Each line ends without a colour.
    for line in text.split(separator: "\n") {
      let last = line.matches(of: #/\u{1B}\[([0-9;]*)m/#).last.map { String($0.1) }
      #expect(last == nil || last == "", "\(line.debugDescription)")
    }
    let plain = try Self.written(hasColours: false)
    #expect(plain.contains("✗ /f/") && !plain.contains(#/\u{1B}\[[0-9;]*m/#))
  }

  @Test("bars are drawn once, and taken away before a line is written")
  func bars() throws {
    let text = try Self.written(hasColours: false)
    #expect(text.hasPrefix("0 of 3 files"), "\(text.debugDescription)")
    let parts = text.components(separatedBy: "\u{1B}[1A\r\u{1B}[J")
    #expect(parts.count == 2 && parts[1].hasPrefix("✓ ") && parts[1].contains("\n3 of 3 files"))
  }
}
