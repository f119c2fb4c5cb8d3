import FileDiscovery
import Foundation
import MultipartForm
import ProcessContext
import ScalarText
import Settings
import UploadModel

/// What became of each file of a push, for `--report` and `--retry-failed`.
package struct PushReport: Codable {
  /// A file: how it was sent, and what became of it. In JSON, both are the members of one object.
  package struct Entry: Codable {
    enum Result: String, Codable {
      case sent, failed
      case wasThere = "there-already"
      case notTried = "not-tried"
      /// The server has another file of the name.
      case skipped
    }

    /// Everything that is needed to send the file again as it was. Its path is as it was given: a list of bytes if it
    /// is not UTF-8, `-` for standard input.
    package var record: ItemRecord
    var end: End

    struct End: Codable {
      var result: Result
      var bytes: Int64?
      var status: Int?
      var attempts = 0
      var seconds: Double?
      var url: String?
      /// The algorithm of the server's checksum, if that matches the file's.
      var verified: String?
      /// What the server's reply says, if it seems to say no.
      var doubtful: String?
      var cause: String?
      var message: String?
      /// What is known about a file that failed, on the server; nil if it did not arrive.
      var arrival: Failure.Arrival?
    }

    package var path: FileLocation { record.location }
    package var bytes: Int64? { end.bytes }
    package var arrival: Failure.Arrival? { end.arrival }

    package init(from decoder: any Decoder) throws {
      end = try End(from: decoder)
      record = try ItemRecord(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
      try record.encode(to: encoder)
      try end.encode(to: encoder)
    }
  }

  /// Increased when readers of the old format cannot read the new one.
  var version = 1
  /// The target and the options that it also needs, as a `TargetName`.
  var target: String
  /// When the push ended.
  package var time: Date
  var seconds: Double
  /// The folder that relative paths start from.
  var folder: String
  var isInterrupted: Bool
  /// True if files may be missing here because the push was stopped before its inputs had ended.
  var isIncomplete: Bool?
  var sent: Int
  var failed: Int
  var notTried: Int?
  var bytesSent: Int64
  /// The outcome of the requests before the first file and after the last, named as in the events of `--json`.
  var run: String?
  /// The run, if it was left open and can be continued.
  var openRun: RunPoint?
  /// The addresses that this push and those that it retried have sent files to, if something is left to retry and no
  /// file may overwrite another.
  package var addresses: SentAddresses?
  var files: [Entry]

  package init(_ summary: PushSummary, target: TargetName, folder: String, time: Date) {
    self.target = target.text
    self.time = time
    self.folder = folder
    seconds = JSONReporter.rounded(summary.figures.seconds)
    isInterrupted = summary.isInterrupted
    isIncomplete = summary.isIncomplete ? true : nil
    sent = summary.counts.sentInAll
    failed = summary.failed.count - summary.counts.notTried + summary.leftOut.count
    notTried = summary.counts.notTried > 0 ? summary.counts.notTried : nil
    bytesSent = summary.figures.bytes
    run = summary.run?.event
    if summary.status != .success {
      openRun = summary.openRun
      if !summary.addresses.isEmpty { addresses = summary.addresses }
    }
    // Include files that were left out: this report may replace the one that listed them.
    files = summary.results.compactMap { Entry($0, for: target) } + summary.leftOut
  }

  package func written(as format: Format) throws -> Data {
    switch format {
    case .json:
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      encoder.dateEncodingStrategy = .iso8601
      return try encoder.encode(self) + Data("\n".utf8)
    case .csv: return Data(csv.utf8)
    }
  }

  /// Reads a report that `written(as: .json)` made.
  package static func read(_ path: String) throws(UserError) -> PushReport {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw UserError("--retry-failed \(path): cannot be read: \(Settings.reason(for: error))")
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    guard let report = try? decoder.decode(PushReport.self, from: data), report.version == 1 else {
      if let older = try? decoder.decode(Older.self, from: data), older.version == 1 {
        throw UserError(
          "--retry-failed \(path): does not say how its files were sent, so they might go elsewhere; an older hoist "
            + "wrote it. Send the files again")
      }
      throw UserError(
        "--retry-failed \(path): is not a report; name one that push --report FILE.json wrote")
    }
    return report
  }

  /// What is there of a report whose entries have no records.
  private struct Older: Codable {
    struct Entry: Codable {
      var path: FileLocation
      var result: PushReport.Entry.Result
    }
    var version: Int
    var files: [Entry]
  }

  /// The destination of the files to retry, as a value for `--to`. Error messages name the report's `path`.
  package func address(in path: String) throws(UserError) -> String {
    let named = Set(failures.map(\.record.target))
    let targets = (named.isEmpty ? [target] : named).map { TargetName($0) }
    if let target = targets.first(where: { !$0.options.isEmpty }) {
      throw Self.lacks(target.options, for: target, path)
    }
    guard targets.count == 1 else {
      let names = targets.map(\.base).sorted().joined(separator: " and ")
      throw UserError(
        "--retry-failed \(path): the files were for \(names); say with --to where all of them go")
    }
    return targets[0].base
  }

  /// Checks that a push to `target` gives all the options that the files to retry were sent with.
  package func check(_ target: TargetName, in path: String) throws(UserError) {
    for entry in failures {
      let before = TargetName(entry.record.target)
      let missing = before.base == target.base ? before.options(notIn: target) : []
      guard missing.isEmpty else { throw Self.lacks(missing, for: before, path) }
    }
  }

  private static func lacks(
    _ options: [String], for target: TargetName, _ path: String
  ) -> UserError {
    UserError(
      "--retry-failed \(path): the files were for \(target.base) with options whose values a report does not store; "
        + "give \(TargetName.words(options)) as before")
  }

  /// The run to continue; nil to begin a new one. Error messages name the report's `path`.
  package func runToContinue(in path: String) throws(UserError) -> RunPoint? {
    if let openRun { return openRun }
    switch run {
    case "left_open", "close_failed":
      throw UserError(
        "--retry-failed \(path): the run that the other files belong to was left open, and a report does not store "
          + "what is needed to continue it; finish or delete it on the server, then send all of its files"
      )
    case "aborted", "abort_failed":
      throw UserError(
        "--retry-failed \(path): the run was aborted, which discarded the files that had arrived; send all of its files "
          + "again")
    default: return nil
    }
  }

  /// The files that failed or were not tried, with absolute paths.
  package var failures: [Entry] {
    files.filter { $0.end.result == .failed || $0.end.result == .notTried }.map { entry in
      var entry = entry
      if entry.path != SpooledInput.argument {
        entry.record.location = entry.path.absolute(in: folder)
      }
      return entry
    }
  }

  package enum Format: String {
    case json, csv

    /// The format that a report's file name asks for.
    package init(of path: String) throws(UserError) {
      let ending = path.split(scalar: ".").dropFirst().last?.lowercased() ?? ""
      guard let format = Format(rawValue: ending) else {
        throw UserError("--report \(path): the name must end in .json or .csv")
      }
      self = format
    }
  }

  private static let columns = [
    "path", "name", "result", "bytes", "type", "status", "attempts", "seconds", "url", "cause",
    "message", "verified", "arrival", "doubtful",
  ]

  private var csv: String {
    let rows = files.map { file in
      let (record, end) = (file.record, file.end)
      return [
        record.location.description, record.fileName.readable, end.result.rawValue,
        end.bytes?.description,
        record.mediaType, end.status?.description, String(end.attempts), end.seconds?.description,
        end.url, end.cause, end.message, end.verified, end.arrival?.rawValue, end.doubtful,
      ].map { $0 ?? "" }
    }
    return ([Self.columns] + rows).map { CSV.row($0) + "\r\n" }.joined()
  }
}

extension PushReport.Entry {
  /// The entry for an item; nil if the item has not ended.
  fileprivate init?(_ item: UploadItem, for target: TargetName) {
    record = item.record
    (record.target, record.location) = (target.text, item.path)
    switch item.state {
    case .done(let receipt):
      end = End(
        result: receipt.skipped != nil ? .skipped : receipt.wasThere ? .wasThere : .sent)
      end.status = receipt.status
      end.attempts = receipt.attempts
      end.seconds = JSONReporter.rounded(receipt.seconds)
      end.url = receipt.url
      end.verified = receipt.verified
      end.doubtful = receipt.doubtfulBecause
    case .failed(let failure):
      end = End(result: failure.isNotTried ? .notTried : .failed)
      end.arrival = failure.mayHaveArrived ? failure.arrival : nil
      end.status = failure.status
      end.attempts = failure.attempts
      end.cause = failure.code
      // The advice comes last, as everywhere.
      let stop = failure.line.hasSuffix(scalars: ".") ? "" : "."
      end.message =
        failure.said == nil
        ? failure.explanation : "\(failure.line)\(stop) \(failure.explanationBelowHeadline)"
    case .waiting, .preparing, .sending, .awaitingReply, .processing, .retrying, .paused:
      return nil
    }
    if item.identity != nil { end.bytes = item.sentSize }
  }
}
