import FileDiscovery
import Foundation
import MultipartForm
import ScalarText
import Settings
import UploadModel

/// What became of each file of a push, for `--report` and `--retry-failed`.
struct PushReport: Codable {
  struct Entry: Codable {
    enum Result: String, Codable {
      case sent, failed
      case wasThere = "there-already"
      case notTried = "not-tried"
    }

    /// The path as it was given; a list of bytes if it is not UTF-8, `-` for standard input.
    var path: FileLocation
    /// The name that the server was told.
    var name: String
    var result: Result
    var bytes: Int64?
    var type: String?
    var status: Int?
    var attempts: Int
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

  /// Increased when readers of the old format cannot read the new one.
  var version = 1
  var target: String
  /// True if the target also needs a query, fields or header fields, which may be secret and are not written.
  var needsOptions: Bool?
  /// When the push ended.
  var time: Date
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
  var files: [Entry]

  init(
    _ summary: PushSummary, target: String, needsOptions: Bool, folder: String, time: Date
  ) {
    self.target = target
    self.needsOptions = needsOptions ? true : nil
    self.time = time
    self.folder = folder
    seconds = JSONReporter.rounded(summary.figures.seconds)
    isInterrupted = summary.isInterrupted
    isIncomplete = summary.isIncomplete ? true : nil
    sent = summary.sent
    failed = summary.failed.count - summary.notTried + summary.leftOut.count
    notTried = summary.notTried > 0 ? summary.notTried : nil
    bytesSent = summary.figures.bytes
    run = summary.run?.event
    if summary.status != .success { openRun = summary.openRun }
    // Include files that were left out: this report may replace the one that listed them.
    files = summary.results.compactMap { Entry($0) } + summary.leftOut
  }

  func written(as format: Format) throws -> Data {
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
  static func read(_ path: String) throws(UserError) -> PushReport {
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
      throw UserError(
        "--retry-failed \(path): is not a report; name one that push --report FILE.json wrote")
    }
    return report
  }

  /// The destination of the report's files, as a value for `--to`. Error messages name the report's `path`.
  func address(in path: String) throws(UserError) -> String {
    guard needsOptions != true else {
      throw UserError(
        "--retry-failed \(path): the files were for \(target) with options that a report does not "
          + "store; give --to and the options as before")
    }
    return target
  }

  /// The run to continue; nil to begin a new one. Error messages name the report's `path`.
  func runToContinue(in path: String) throws(UserError) -> RunPoint? {
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
  var failures: [Entry] {
    files.filter { $0.result == .failed || $0.result == .notTried }.map { entry in
      var entry = entry
      if entry.path != SpooledInput.argument { entry.path = entry.path.absolute(in: folder) }
      return entry
    }
  }

  enum Format: String {
    case json, csv

    /// The format that a report's file name asks for.
    init(of path: String) throws(UserError) {
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
      [
        file.path.description, file.name, file.result.rawValue, file.bytes?.description, file.type,
        file.status?.description, String(file.attempts), file.seconds?.description, file.url,
        file.cause, file.message, file.verified, file.arrival?.rawValue,
        file.doubtful,
      ].map { $0 ?? "" }
    }
    return ([Self.columns] + rows).map { CSV.row($0) + "\r\n" }.joined()
  }
}

extension PushReport.Entry {
  /// The entry for an item; nil if the item has not ended.
  fileprivate init?(_ item: UploadItem) {
    path = item.path
    name = item.fileName
    if item.identity != nil { (bytes, type) = (item.sentSize, item.mediaType) }
    switch item.state {
    case .done(let receipt):
      result = receipt.wasThere ? .wasThere : .sent
      status = receipt.status
      attempts = receipt.attempts
      seconds = JSONReporter.rounded(receipt.seconds)
      url = receipt.url
      verified = receipt.verified
      doubtful = receipt.doubtfulBecause
    case .failed(let failure):
      result = failure.isNotTried ? .notTried : .failed
      arrival = failure.mayHaveArrived ? failure.arrival : nil
      status = failure.status
      attempts = failure.attempts
      cause = failure.code
      message = failure.explanation
    case .waiting, .preparing, .sending, .awaitingReply, .processing, .retrying, .paused:
      return nil
    }
  }
}
