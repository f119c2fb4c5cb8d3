import Foundation
import UploadStore

/// An attempt as scripts see it: times in UTC.
struct HistoryLine: Encodable {
  var began: String
  var ended: String?
  var number: Int64
  var attempt: Int
  var outcome: String
  var status: Int?
  var path: String
  var name: String
  var type: String
  var size: Int64
  var start: Int64?
  var bytes: Int64?
  var target: String
  var url: String?
  var deletionURL: String?
  var message: String?
  var reply: String?

  init(_ entry: HistoryEntry) {
    began = entry.began.formatted(.iso8601)
    ended = entry.ended?.formatted(.iso8601)
    number = entry.item.rawValue
    attempt = entry.attempt
    outcome = entry.outcome ?? "sending"
    status = entry.status
    path = entry.location.description
    name = entry.name
    type = entry.mediaType
    size = entry.size
    start = entry.start
    bytes = entry.bytes
    target = entry.target
    url = entry.url
    deletionURL = entry.deletionURL
    message = entry.message
    reply = entry.reply
  }

  static let names = [
    "began", "ended", "number", "attempt", "outcome", "status", "path", "name", "type", "size",
    "bytes", "target", "url", "message", "start", "deletion_url",
  ]

  var values: [String] {
    [
      began, ended ?? "", String(number), String(attempt), outcome, status.map(String.init) ?? "",
      path, name, type, String(size), bytes.map(String.init) ?? "", target, url ?? "",
      message ?? "", start.map(String.init) ?? "", deletionURL ?? "",
    ]
  }
}
