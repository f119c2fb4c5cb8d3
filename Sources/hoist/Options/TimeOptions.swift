import ArgumentParser
import Foundation
import UploadStore

/// The options that choose a period of the history.
struct TimeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only attempts that began at this time or later: \(TypedTime.examples).", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("Only attempts that began before this time.", valueName: "time"))
  var until: String?

  func query(at now: Date) throws -> HistoryQuery {
    var query = HistoryQuery()
    query.since = try since.map { try TypedTime.date($0, of: "--since", now: now) }
    query.until = try until.map { try TypedTime.date($0, of: "--until", now: now) }
    return query
  }
}
