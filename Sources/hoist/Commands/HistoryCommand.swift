import ArgumentParser
import Foundation
import ProcessContext
import UploadModel
import UploadStore

struct HistoryCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Show what was sent: every attempt, the latest last.",
    usage: "hoist history [options]")

  @OptionGroup var queue: QueueOptions

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @Flag(help: "Print comma-separated values with a header line (RFC 4180).")
  var csv = false

  @Flag(help: "Show only files that were not sent: the last attempt at each.")
  var failed = false

  @OptionGroup var times: TimeOptions

  @Option(help: ArgumentHelp("Show only the latest n.", valueName: "n"))
  var last: Int?

  @Option(
    help: ArgumentHelp(
      "Delete attempts that ended before this time, and show nothing.", valueName: "time"))
  var forgetBefore: String?

  func run(in context: Context) throws {
    guard !json || !csv else { throw UserError("--json and --csv cannot be combined; choose one") }
    let store = try queue.store(in: context, mustExist: true)
    let now = context.time.date()
    if let forgetBefore {
      let date = try TypedTime.date(forgetBefore, of: "--forget-before", now: now)
      let count = HumanReadable.count(try store.forget(before: date), "attempt")
      return context.output.error("\(count) forgotten")
    }
    var query = try times.query(at: now)
    query.onlyFailed = failed
    if let last, last < 1 { throw UserError("--last \(last): expected a number above 0") }
    query.limit = last
    let entries = try store.history(query)
    let isForTerminal = context.output.isTerminal
    if csv { context.output.line(CSV.row(HistoryLine.names)) }
    var day = ""
    for entry in entries {
      if json {
        context.output.line(HistoryLine.text(of: entry))
      } else if csv {
        let members = HistoryLine.members(of: entry)
        let values = HistoryLine.names.map { members[$0]?.text ?? "" }
        context.output.line(CSV.row(values, isForTerminal: isForTerminal))
      } else if isForTerminal {
        // For a person, lines are grouped by day; in a pipe, each line must stand alone.
        let next = entry.began.localDay
        if next != day {
          let word = entry.began.dayWord(at: now)
          context.output.line(
            (day.isEmpty ? "" : "\n") + (word == next ? next : "\(word), \(next)"))
        }
        day = next
        let ago = HumanReadable.ago(now.timeIntervalSince(entry.began))
        context.output.line("  \(entry.began.localClock)  \(ago)  \(Self.row(entry))")
      } else {
        context.output.line("\(entry.began.local)  \(Self.row(entry))")
      }
    }
    // The CSV table has a row for each attempt at a file, and nothing else.
    let ends = csv ? [] : try store.runEnds(from: query.since, to: query.until, limit: query.limit)
    for end in ends {
      if json {
        context.output.line(
          JSONLine.text([
            "event": .string(end.event), "target": .string(end.target),
            "ended": .string(end.date.formatted(.iso8601)), "message": .string(end.message),
          ]))
      } else {
        context.output.line(
          "\(end.date.local)  run of \(SafeText.line(end.target)): \(end.message)")
      }
    }
    if entries.isEmpty, ends.isEmpty, !json, !csv { context.output.error("nothing to show") }
  }

  private static func row(_ entry: HistoryEntry) -> String {
    let why = entry.reason.map { ": \(SafeText.line($0))" } ?? ""
    let url = entry.url.map { "  \(SafeText.line($0))" } ?? ""
    let range = entry.start.map { " from \(HumanReadable.percent($0, of: entry.size))%" } ?? ""
    let pieces = entry.pieces.map { ", \($0.words)" } ?? ""
    return
      "\(SafeText.line(entry.outcomeWords))\(why)  \(HumanReadable.bytes(entry.size))\(range)\(pieces)  "
      + "\(SafeText.line(entry.location.description)) → \(SafeText.line(entry.target))\(url)"
  }
}
