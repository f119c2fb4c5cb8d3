import Testing

@testable import Scheduling
@testable import UploadModel

@Suite("A summary in words")
struct SendingCountsTests {
  private static let figures = SendingFigures(seconds: 4.6, bytes: 24)

  private static func counts(_ change: (inout SendingCounts) -> Void) -> SendingCounts {
    var counts = SendingCounts()
    change(&counts)
    return counts
  }

  private static let rows: [(SendingCounts, String)] = [
    (counts { $0.sent = 3 }, "3 of 3 files sent, 24 B in 4.6 s"),
    (
      counts { ($0.sent, $0.doubtful) = (2, 1) },
      "2 of 3 files sent, 24 B in 4.6 s; 1 doubtful"
    ),
    (
      counts { ($0.failed, $0.doubtful) = (1, 2) },
      "0 of 3 files sent; 1 failed; 2 doubtful, 24 B in 4.6 s"
    ),
    (
      counts { ($0.sent, $0.failed, $0.left) = (1, 1, 2) },
      "1 of 4 files sent, 24 B in 4.6 s; 1 failed"
    ),
    (counts { ($0.sent, $0.there) = (1, 1) }, "1 of 2 files sent, 24 B in 4.6 s; 1 there already"),
    (
      counts { ($0.sent, $0.taken) = (1, 1) },
      "1 of 2 files sent, 24 B in 4.6 s; 1 skipped, its name is taken"
    ),
    (counts { $0.there = 1 }, "the file is there already"),
    (counts { $0.there = 2 }, "all 2 files are there already"),
    (
      counts { ($0.failed, $0.unknown, $0.notTried, $0.cancelled) = (1, 2, 3, 4) },
      "0 of 10 files sent; 1 failed; 2 unknown; 3 not tried; 4 cancelled"
    ),
  ]

  @Test("Each file is counted once", arguments: rows.indices)
  func words(_ row: Int) {
    let (counts, words) = Self.rows[row]
    #expect(counts.words(Self.figures) == words)
  }

  @Test("A failure is counted as what is known of the file")
  func failures() {
    let failures = [
      Failure(.refused, status: 413, attempts: 1), Failure(.cancelled),
      Failure(.outcomeUnknown("nobody knows")), Failure(.notTried("the server is away")),
    ]
    let counts = SendingCounts(
      Totals(
        of: failures.enumerated().map { index, failure in
          UploadItem(
            id: ItemID(Int64(index)), location: "f", size: 1, state: .failed(failure))
        }))
    #expect((counts.failed, counts.cancelled, counts.unknown, counts.notTried) == (1, 1, 1, 1))
    #expect(counts.all == 4)
  }

  @Test("The line of a failure has the server's words, cut and made safe")
  func line() {
    func line(_ text: String) -> String {
      Failure(.refused, status: 413, reply: Reply(text: text, mediaType: "text/plain")).line
    }
    #expect(line("too large") == "413 Content Too Large, the server said: too large")
    #expect(line("") == "413 Content Too Large")
    #expect(line(String(repeating: "x", count: 300)).hasSuffix("xxx…"))
    #expect(!line("a\u{1B}[31mb").contains("\u{1B}"))
  }
}
