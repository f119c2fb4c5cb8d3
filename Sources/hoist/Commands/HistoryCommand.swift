import ArgumentParser
import Foundation
import UploadModel
import UploadStore

/// `hoist history`.
struct HistoryCommand: HoistCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show what was sent: every attempt, the latest last.")

  @OptionGroup var queue: QueueOptions

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @Flag(help: "Print comma-separated values with a line of names (RFC 4180).")
  var csv = false

  @Flag(help: "Show only attempts that failed.")
  var failed = false

  @Option(
    help: ArgumentHelp(
      "Only attempts since then: \"2026-11-20\", \"2026-11-20T18:00:00Z\", or an age such as \"90m\", "
        + "\"12h\", \"7d\".", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("At most this many, the latest ones.", valueName: "n"))
  var last: Int?

  @Option(
    help: ArgumentHelp(
      "Delete attempts that ended before this time, and show nothing.", valueName: "time"))
  var forgetBefore: String?

  func run(in context: Context) throws {
    guard !json || !csv else { throw UserError("--json and --csv cannot be combined; choose one") }
    let store = try queue.store(in: context)
    if let forgetBefore {
      let date = try Self.date(forgetBefore, of: "--forget-before", now: context.time.date())
      context.output.error(
        "\(HumanReadable.count(try store.forget(before: date), "attempt")) forgotten")
      return
    }
    var query = HistoryQuery()
    query.onlyFailed = failed
    query.since = try since.map { try Self.date($0, of: "--since", now: context.time.date()) }
    if let last {
      guard last > 0 else { throw UserError("--last \(last): expected a number above 0") }
      query.limit = last
    }
    let entries = try store.history(query)
    let isForTerminal = context.output.isTerminal
    if csv { context.output.line(CSV.row(HistoryLine.names)) }
    for entry in entries {
      if json {
        context.output.line(JSONLine.text(.object(HistoryLine.members(of: entry))))
      } else if csv {
        let members = HistoryLine.members(of: entry)
        let values = HistoryLine.names.map { members[$0]?.text ?? "" }
        context.output.line(CSV.row(values, isForTerminal: isForTerminal))
      } else {
        context.output.line(Self.row(entry))
      }
    }
    if entries.isEmpty, !json, !csv { context.output.error("nothing to show") }
  }

  private static func row(_ entry: HistoryEntry) -> String {
    let status = entry.status.map { " \($0)" } ?? ""
    let url = entry.url.map { "  \(SafeText.line($0))" } ?? ""
    let range = entry.start.map { " from \(HumanReadable.percent($0, of: entry.size)) %" } ?? ""
    return
      "\(entry.began.local)  \(entry.word)\(status)  \(HumanReadable.bytes(entry.size))\(range)  "
      + "\(SafeText.line(entry.location.description)) → \(SafeText.line(entry.target))\(url)"
  }

  /// Reads a time as people write it.
  static func date(_ text: String, of option: String, now: Date) throws -> Date {
    if let unit = text.last, let count = Double(text.dropLast()), count >= 0,
      let seconds = ["s": 1.0, "m": 60, "h": 3_600, "d": 86_400][unit]
    {
      return now.addingTimeInterval(-count * seconds)
    }
    if let date = try? Date(text, strategy: .iso8601) { return date }
    let day = Date.ISO8601FormatStyle(timeZone: .current).year().month().day()
    if let date = try? Date(text, strategy: day) { return date }
    throw UserError(
      "\(option) \(text): expected a date such as 2026-11-20, a time such as 2026-11-20T18:00:00Z, or "
        + "an age such as 90m, 12h or 7d")
  }
}
