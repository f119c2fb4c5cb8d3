import ArgumentParser
import Foundation
import ProcessContext
import UploadModel
import UploadStore

struct ReportCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Make a page about what was sent, and what failed.",
    usage: "hoist report [options]",
    discussion: """
      The page is one HTML file that needs no script and nothing from elsewhere. Without a time, it covers the \
      latest uploads: everything since the last gap of 15 minutes or more. "--since yesterday --until today" is one day.
      """)

  @OptionGroup var queue: QueueOptions
  @OptionGroup var times: TimeOptions

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write the page to this file. Default: standard output.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var output: String?

  /// A gap of this many seconds separates the latest uploads from earlier ones.
  private static let gap = 900.0

  func run(in context: Context) throws {
    guard output != nil || !context.output.isTerminal else {
      throw UserError("a page is of no use on a terminal: -o report.html writes it to a file")
    }
    let now = context.time.date()
    let store = try queue.store(in: context, mustExist: true)
    var query = try times.query(at: now)
    if times.since == nil, times.until == nil {
      query.since = try store.beginningOfLastBurst(gap: Self.gap)
    }
    let report = UploadReport(try store.history(query), now: now)
    let page = ReportPage(report: report, now: now).html.source
    guard let output, output != "-" else {
      context.output.line(page)
      return
    }
    try AtomicFile.write("\(page)\n".utf8, to: output)
    let counts = report.counts.map { ", \(HumanReadable.grouped($0.count)) \($0.end.words)" }
      .joined()
    context.output.error(
      "\(SafeText.line(output)): \(HumanReadable.count(report.files.count, "file"))\(counts)")
  }
}
