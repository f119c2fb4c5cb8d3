import Foundation
import MultipartForm
import SQLite
import UploadModel

/// One attempt to send a file, as the history records it.
package struct HistoryEntry: Hashable, Sendable {
  package var item: ItemID
  package var location: FileLocation
  /// The file name that was sent to the server.
  package var name: String
  /// The media type that was sent to the server.
  package var mediaType: String
  /// The size in bytes.
  package var size: Int64
  package var target: String
  /// The number of the attempt, from 1.
  package var attempt: Int
  package var began: Date
  /// Nil while the attempt runs, like `outcome`.
  package var ended: Date?
  /// The offset at which the attempt resumed an earlier one, in bytes; nil if it began at the start of the file.
  package var start: Int64?
  /// The offset in the file that the attempt reached, in bytes, if known.
  package var bytes: Int64?
  package var status: Int?
  package var outcome: AttemptOutcome?
  /// What is known about a file that failed, on the server; nil if it did not arrive.
  package var arrival: Failure.Arrival?
  /// Why the attempt failed.
  package var message: String?
  /// The beginning of the reply.
  package var reply: String?
  /// The URL of the uploaded file, if the reply named one.
  package var url: String?
  /// The page that deletes the uploaded file when opened, if the reply named one.
  package var deletionURL: String?
  /// The algorithm of the server's checksum, which matches the file's; nil if the server gave none.
  package var verified: String?
  /// How far the attempt came, if the file was sent in pieces.
  package var pieces: PieceCount?
  /// What the reply says if it seems to say no although the file counts as sent.
  package var doubt: String?
  /// How many bytes the file had gained since it was opened to be sent; nil if none.
  package var growth: Int64?
}

extension HistoryEntry {
  init(_ row: Row) {
    let location = FileLocation(bytes: row[2])
    self.init(
      item: ItemID(row[1]), location: location, name: row[3] ?? location.name,
      mediaType: row[4], size: row[5], target: row[6], attempt: row[7],
      began: Date(timeIntervalSince1970: row[8]),
      ended: (row[9] as Double?).map { Date(timeIntervalSince1970: $0) },
      start: (row[10] as Int64?).flatMap { $0 > 0 ? $0 : nil }, bytes: row[11], status: row[12],
      outcome: (row[13] as String?).map(AttemptOutcome.init),
      arrival: (row[20] as String?).flatMap(Failure.Arrival.init), message: row[14], reply: row[15],
      url: row[16], deletionURL: row[17], verified: row[18], pieces: JSONColumn.value(row[19]),
      doubt: row[21], growth: row[22])
  }
}

/// Selects attempts from the history.
package struct HistoryQuery: Hashable, Sendable {
  /// Only attempts that did not deliver the file.
  package var onlyFailed = false
  /// Only attempts that began at this time or later.
  package var since: Date?
  /// Only attempts that began before this time.
  package var until: Date?
  /// The most attempts to return. If there are more, the latest are returned.
  package var limit: Int?

  package init() {}
}
