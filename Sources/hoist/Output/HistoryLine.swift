import Foundation
import JSONText
import ScalarText
import Screens
import UploadModel
import UploadStore

/// An attempt as scripts see it, with times in UTC.
enum HistoryLine {
  /// The names of the CSV columns.
  static let names = [
    "began", "ended", "number", "attempt", "outcome", "status", "path", "name", "type", "size",
    "bytes", "target", "url", "message", "start", "deletion_url", "verified",
    "pieces", "pieces_sent", "pieces_resumed", "arrival", "doubtful",
  ]

  static func text(of entry: HistoryEntry) -> String {
    var members = members(of: entry)
    members["path"] = JSONLine.path(entry.location)
    return JSONLine.text(.object(members))
  }

  /// The values of an attempt that are known, by column name, and also the server's reply as "reply".
  static func members(of entry: HistoryEntry) -> [String: JSONValue] {
    let members: [String: JSONValue?] = [
      "began": .string(entry.began.formatted(.iso8601)),
      "ended": JSONValue(entry.ended?.formatted(.iso8601)),
      "number": .integer(entry.item.rawValue), "attempt": .integer(Int64(entry.attempt)),
      "outcome": .string(entry.word), "arrival": JSONValue(entry.arrival?.rawValue),
      "status": JSONValue(entry.status),
      "path": .string(entry.location.description), "name": .string(entry.name),
      "type": .string(entry.mediaType), "size": .integer(entry.size),
      "start": JSONValue(entry.start), "bytes": JSONValue(entry.bytes),
      "target": .string(entry.target), "url": JSONValue(entry.url),
      "deletion_url": JSONValue(entry.deletionURL), "message": JSONValue(entry.message),
      "reply": JSONValue(entry.reply), "verified": JSONValue(entry.verified),
      "doubtful": JSONValue(entry.doubt ?? entry.growthWords),
    ]
    return members.merging(JSONLine.members(of: entry.pieces)) { $1 }.compactMapValues(\.self)
  }
}

extension HistoryEntry {
  fileprivate var growthWords: String? { growth.map(Receipt.words(ofGrowth:)) }

  /// How the attempt ended, in one word; "sending" if it has not.
  var word: String { outcome?.rawValue ?? "sending" }

  /// When the attempt ended, or when it began if it has not ended.
  var moment: Date { ended ?? began }

  /// How the attempt ended, for people: the HTTP status if that is enough, otherwise the outcome in words.
  var outcomeWords: String {
    let proof = verified.map { ", verified \($0)" } ?? ""
    return switch outcome {
    case .done:
      doubt.map { "\(status ?? 200), but the reply says: \($0)" }
        ?? growthWords.map { "\(status ?? 200), but \($0)" }
        ?? (status.map { Failure.statusLine($0) } ?? "sent") + proof
    case .wasThere: growthWords.map { "there already, but \($0)" } ?? "there already\(proof)"
    case .skipped: "skipped, the name is taken"
    case .confirmed: "arrived, noted by hand"
    case .withdrawn: "not sent"
    case nil: "under way"
    default:
      headline + (isRefused && arrival == .unclear ? ", may have arrived" : "")
    }
  }

  /// Whether only the status says why it failed.
  private var isRefused: Bool {
    status.map { word == Failure(.refused, status: $0).code } ?? false
  }

  /// How it failed, in a few words.
  private var headline: String {
    isRefused ? Failure.statusLine(status) : word.replacing(scalars: "-", with: " ")
  }

  /// Why it failed, in the words by which failures are gathered.
  var failureReason: FailureReason {
    let failure = Failure(
      isRefused ? .refused : .rejected(""), status: status, reply: Reply(text: reply ?? ""))
    return FailureReason(
      headline, status: status, said: failure.said, of: name,
      isUnclear: isRefused && arrival == .unclear)
  }

  /// How the attempt ended, in the categories of the screen and the report page.
  var end: HistoryRow.End {
    switch outcome {
    case .done where doubt != nil, _ where growth != nil: .doubtful
    case .done, .wasThere, .skipped, .confirmed: .sent
    case nil, .paused, .stopped, .withdrawn: .open
    default: arrival == .unclear ? .unknown : .failed
    }
  }
}
