import Foundation
import GRDB
import MultipartForm
import UploadModel

/// One attempt at one file, as the history keeps it.
package struct HistoryEntry: Hashable, Sendable {
  /// The item that was sent.
  package var item: ItemID
  /// The file.
  package var location: FileLocation
  /// The name that the server was told.
  package var name: String
  /// The media type that the server was told.
  package var mediaType: String
  /// Its size in bytes.
  package var size: Int64
  /// The name of the target.
  package var target: String
  /// The number of the attempt, from 1.
  package var attempt: Int
  /// When it began.
  package var began: Date
  /// When it ended; nil while it runs.
  package var ended: Date?
  /// The first of the file's bytes that it sent, if it resumed an earlier attempt.
  package var start: Int64?
  /// How far into the file it came, in bytes, if that is known.
  package var bytes: Int64?
  /// The status code, if a reply came.
  package var status: Int?
  /// "done", the code of the failure, "paused", "stopped", "withdrawn" or "interrupted"; nil while it runs.
  package var outcome: String?
  /// Why it failed.
  package var message: String?
  /// The beginning of the reply.
  package var reply: String?
  /// Where the file can be found, if the reply said so.
  package var url: String?
  /// The page that deletes it when it is opened, if the reply named one.
  package var deletionURL: String?
}

extension HistoryEntry {
  init(_ row: Row) {
    let location = FileLocation(bytes: [UInt8](row[2] as Data))
    self.init(
      item: ItemID(row[1]), location: location, name: row[3] ?? location.lastComponent,
      mediaType: row[4], size: row[5], target: row[6], attempt: row[7],
      began: Date(timeIntervalSince1970: row[8]),
      ended: (row[9] as Double?).map { Date(timeIntervalSince1970: $0) },
      start: (row[10] as Int64?).flatMap { $0 > 0 ? $0 : nil }, bytes: row[11], status: row[12],
      outcome: row[13], message: row[14], reply: row[15], url: row[16],
      deletionURL: row[17])
  }
}

/// Which attempts are asked for.
package struct HistoryQuery: Hashable, Sendable {
  /// Only attempts that did not deliver the file.
  package var onlyFailed = false
  /// Only attempts that began then or later.
  package var since: Date?
  /// The most attempts to return; the latest ones are kept.
  package var limit: Int?

  /// A query for everything.
  package init() {}
}
