import Foundation
import MultipartForm
import ProcessContext
import Testing
import UploadModel

@testable import UploadStore
@testable import hoist

/// What names and servers may say.
private let hostileTexts = [
  "<script>alert(1)</script>", "</td></table><img src=x onerror=alert(1)>", "\"><b>", "'><b>",
  "<\u{301}b>", "&lt;b>&#60;b>", "\"\u{301} onclick=\u{301}x '\u{301}", "--><svg/onload=x>", "]]>",
  "a\r\n<b>\u{0}\u{1B}[2J", "\u{202E}<b>\u{2066}", "</style><style>", "javascript:alert(1)",
  "JAVASCRIPT:alert(1)", "data:text/html,<b>", "file:///etc/passwd", "//h/x", "/x", "http:",
  "http:///x", "https://\u{202E}h/", "ftp://h/", "https://u:p@h/", "https://h/?token=abc",
  "https://h/?a=1&X-Amz-Signature=abc",
]

@Suite("A report of what was sent")
struct ReportTests {
  private static func entry(
    _ path: String, _ outcome: AttemptOutcome? = .done, name: String? = nil, number: Int = 1,
    began: Double = 0, took: Double = 10, bytes: Int64? = 100, status: Int? = nil,
    message: String? = nil, reply: String? = nil, url: String? = nil, target: String = "nas"
  ) -> HistoryEntry {
    var entry = HistoryEntry(
      item: ItemID(1), record: ItemRecord(target: target, location: FileLocation(path)),
      name: name ?? FileLocation(path).lastComponent, mediaType: "text/plain", size: 100,
      attempt: number, began: Date(timeIntervalSince1970: began),
      ended: outcome == nil ? nil : Date(timeIntervalSince1970: began + took), bytes: bytes,
      status: status, outcome: outcome, message: message, reply: reply, url: url)
    if outcome == .unknown { entry.arrival = .unclear }
    return entry
  }

  private static func report(_ entries: [HistoryEntry]) -> UploadReport {
    UploadReport(entries, now: Date(timeIntervalSince1970: 1_000))
  }

  private static func page(_ entries: HistoryEntry...) -> String {
    ReportPage(report: report(entries), now: Date(timeIntervalSince1970: 1_000)).html.source
  }

  @Test("a file counts once for each target, as its latest attempt left it")
  func files() {
    let report = Self.report([
      Self.entry("/a", .failed("http-503"), status: 503), Self.entry("/b", .failed("missing")),
      Self.entry("/a", number: 2, began: 20), Self.entry("/a", target: "desk"),
      Self.entry("/c", .unknown), Self.entry("/d", nil), Self.entry("/e", .paused),
      Self.entry("-", name: "x"),
    ])
    #expect(report.files.count == 7)
    #expect(
      report.counts.map { "\($0.count) \($0.end.words)" }
        == ["3 sent", "1 failed", "1 may have arrived", "2 not finished"])
    #expect(report.counts.reduce(0) { $0 + $1.count } == report.files.count)
    #expect(report.bytes == 300)
    #expect(report.files.first { !$0.earlier.isEmpty }?.earlier.map(\.status) == [503])
    #expect(report.span?.upperBound == Date(timeIntervalSince1970: 1_000))
  }

  @Test("both ends of the time in the title are as exact as each other")
  func title() {
    let page = Self.page(Self.entry("/a", took: 300))
    let times = [0, 300.0].map { Date(timeIntervalSince1970: $0).localMinute }
    #expect(page.contains("Sent on \(times[0]) to \(times[1].suffix(5))<"), "\(page)")
  }

  @Test("failures are grouped by reason, the most frequent first, and before what may have arrived")
  func reasons() {
    let report = Self.report([
      Self.entry("/a", .failed("missing"), message: "There is no file."),
      Self.entry("/b", .failed("http-413"), status: 413, message: "Too large."),
      Self.entry("/c", .failed("http-413"), status: 413, message: "Too large."),
      Self.entry("/d", .failed("rejected"), status: 200, message: "It said no."),
      Self.entry("/e", .unknown, message: "No answer."),
    ])
    #expect(
      report.reasons.map(\.reason.words) == [
        "413 Content Too Large", "file is missing", "rejected by the server",
        "no complete answer, may have arrived",
      ])
    #expect(report.reasons.map(\.members.count) == [2, 1, 1, 1])
  }

  @Test("the picture shows all bytes whose time is known, and no others")
  func speeds() {
    let entries = [
      Self.entry("/a", bytes: 1_000), Self.entry("/b", began: 5, bytes: 500),
      Self.entry("/c", began: 40, took: 0, bytes: 70),
      Self.entry("/d", .failed("missing"), began: 50, bytes: nil),
      Self.entry("/e", .failed("stalled"), began: 60, took: 7, bytes: 333),
      Self.entry("/f", began: 70, took: 0.001, bytes: 9),
    ]
    for count in [1, 7, 120] {
      let parts = Self.report(entries).parts(count)
      let bytes = parts.reduce(0) { $0 + $1.bytes }
      #expect(abs(bytes - 1_842) < 1e-3, "\(count): \(bytes)")
      // Two attempts were under way at the same time.
      let seconds = parts.reduce(0) { $0 + $1.seconds }
      #expect(abs(seconds - 22.001) < 1e-6, "\(count): \(seconds)")
      #expect(parts.allSatisfy { $0.seconds <= 70.001 / Double(count) + 1e-6 })
    }
    #expect(SpeedChart(report: Self.report([Self.entry("/a", bytes: nil)])).html.source.isEmpty)
    // A clock that was set back.
    #expect(Self.report([Self.entry("/a", took: -5)]).parts(3).map(\.speed) == [0, 0, 0])
  }

  /// Two short bursts in an hour: no part of the picture is slower than it was while anything was sent.
  @Test("the average is not above the most")
  func bursts() throws {
    let report = Self.report([
      Self.entry("/a", took: 1, bytes: 1_000_000),
      Self.entry("/b", began: 3_600, took: 1, bytes: 1_000_000),
    ])
    let chart = SpeedChart(report: report).html.source
    let words = "at most 1.0 MB/s, on average 1.0 MB/s while anything was sent"
    #expect(chart.contains(words), "\(chart)")
  }

  @Test("nothing that a name or a server says becomes markup", arguments: hostileTexts)
  func hostile(text: String) {
    let page = Self.page(
      Self.entry("/x/\(text)", name: text, url: text, target: text),
      Self.entry("/y/\(text)", .failed(text), message: text, reply: text, target: text))
    let plain = Self.page(
      Self.entry("/x/a", name: "a", url: "a", target: "a"),
      Self.entry("/y/a", .failed("a"), message: "a", reply: "a", target: "a"))
    #expect(Self.tags(page) == Self.tags(plain), "\(page)")
    #expect(!page.unicodeScalars.contains { !SafeText.isShown($0) && $0 != "\n" })
  }

  /// The tags of a page without what an attribute says, which a picture depends on, and without quotations: not
  /// every reply has words.
  private static func tags(_ page: String) -> [String] {
    page.matches(of: #/<[^>]*>/#).map { match in
      String(match.output).replacing(#/ (d|aria-label|x|y)="[^"]*"/#, with: "")
    }.filter { !["<q>", "</q>", "<br>"].contains($0) }
  }

  @Test("an address is a link if it is whole and a web server's, and shown as it is")
  func links() {
    let page = Self.page(
      Self.entry("/a", url: "https://h/a?x=1&y='2'"), Self.entry("/b", url: "HTTP://h:81/é"),
      Self.entry("/c", url: "https://h/c?sig=s3cret"), Self.entry("/d", url: "javascript:x"))
    let links = page.matches(of: #/href="([^"]*)"/#).map { String($0.1) }
    #expect(links == ["https://h/a?x=1&amp;y=&#39;2&#39;", "HTTP://h:81/é"])
    #expect(page.contains("https://h/c?sig=(secret)") && !page.contains("s3cret"))
    #expect(page.contains("javascript:x"))
  }

  @Test("secrets in what was recorded stay out")
  func secrets() {
    let text = "see https://u:s3cret@h/?password=s3cret"
    let page = Self.page(
      Self.entry("/a", .failed("redirected"), message: text, reply: text, target: text))
    #expect(!page.contains("s3cret"))
  }

  @Test("a time without attempts has a page too, and a page asks for nothing from elsewhere")
  func empty() {
    #expect(Self.page().contains("Nothing was sent"))
    for page in [Self.page(), Self.page(Self.entry("/a"))] {
      #expect(!page.contains("<script") && !page.contains("url(") && !page.contains("src="))
      #expect(page.contains("default-src 'none'"))
    }
  }
}

extension AttemptOutcome {
  fileprivate static let unknown = AttemptOutcome.failed("outcome-unknown")
}
