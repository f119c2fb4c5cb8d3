import Foundation
import MultipartForm
import UploadModel

/// One attempt to send a file, as the history records it.
package struct HistoryEntry: Hashable, Sendable {
  package var item: ItemID
  /// How the item was sent. Whatever sends it again needs all of this.
  package var record: ItemRecord
  /// The file name that was sent to the server.
  package var name: String
  /// The media type that was sent to the server.
  package var mediaType: String
  /// The size in bytes.
  package var size: Int64
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

  package var location: FileLocation { record.location }
  package var target: String { record.target }
}

extension HistoryEntry {
  /// The columns before those of the record.
  static let columns = """
    item, sent_as, sent_type, COALESCE(sent_size, size), number, began, ended, start, bytes, status, outcome,
    message, reply, url, deletion_url, verified, pieces, arrival, doubtful, grown
    """

  /// The entry in a row with `columns` and those of the record, after the number that it was recorded with.
  init(_ row: Row) {
    let record = RecordColumns.record(row, from: 21)
    self.init(
      item: ItemID(row[1]), record: record, name: row[2] ?? record.fileName,
      mediaType: row[3] ?? record.mediaType, size: row[4], attempt: row[5],
      began: Date(timeIntervalSince1970: row[6]),
      ended: (row[7] as Double?).map { Date(timeIntervalSince1970: $0) },
      start: (row[8] as Int64?).flatMap { $0 > 0 ? $0 : nil }, bytes: row[9], status: row[10],
      outcome: (row[11] as String?).map(AttemptOutcome.init),
      arrival: (row[18] as String?).flatMap(Failure.Arrival.init), message: row[12],
      reply: row[13], url: row[14], deletionURL: row[15], verified: row[16],
      pieces: JSONColumn.value(row[17]), doubt: row[19], growth: row[20])
  }
}

/// Selects attempts from the history.
package struct HistoryQuery: Hashable, Sendable {
  /// Only files that were not sent: the last attempt at each, if it failed, and no other one is to come.
  package var onlyFailed = false
  /// Only attempts that began at this time or later.
  package var since: Date?
  /// Only attempts that began before this time.
  package var until: Date?
  /// The most attempts to return. If there are more, the latest are returned.
  package var limit: Int?

  package init() {}
}
