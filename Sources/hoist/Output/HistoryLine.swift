import Foundation
import JSONText
import ProcessContext
import Sessions
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
