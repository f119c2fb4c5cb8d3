import Foundation
import GRDB
import MultipartForm
import UploadModel

/// One attempt at one file, as the history keeps it.
public struct HistoryEntry: Hashable, Sendable {
  /// The item that was sent.
  public var item: ItemID
  /// The file.
  public var location: FileLocation
  /// Its name as the server was told.
  public var name: String
  /// Its media type as the server was told.
  public var mediaType: String
  /// Its size in bytes.
  public var size: Int64
  /// The name of the target.
  public var target: String
  /// The number of the attempt, from 1.
  public var attempt: Int
  /// When it began.
  public var began: Date
  /// When it ended; nil while it runs.
  public var ended: Date?
  /// The file's bytes handed over, where that is known.
  public var bytes: Int64?
  /// The status code, where a reply came.
  public var status: Int?
  /// "done", the code of the failure, "paused", "stopped", "withdrawn" or "interrupted"; nil while it runs.
  public var outcome: String?
  /// Why it failed.
  public var message: String?
  /// The beginning of the reply.
  public var reply: String?
  /// Where the file can be found, if the reply said so.
  public var url: String?
}

/// Which attempts are asked for.
public struct HistoryQuery: Hashable, Sendable {
  /// Only attempts that did not deliver the file.
  public var onlyFailed = false
  /// Only attempts that began then or later.
  public var since: Date?
  /// Only attempts at this item.
  public var item: ItemID?
  /// At most so many, the latest ones.
  public var limit: Int?

  /// Everything.
  public init() {}
}

extension UploadStore {
  /// Attempts in the order in which they began to be written down, which no clock can disturb.
  public func history(_ query: HistoryQuery = HistoryQuery()) throws(StoreError) -> [HistoryEntry] {
    var conditions = ["1"]
    var arguments: StatementArguments = []
    if query.onlyFailed {
      conditions.append("outcome NOT IN ('done', 'paused', 'stopped', 'withdrawn')")
    }
    if let since = query.since {
      conditions.append("began >= ?")
      arguments += [since.timeIntervalSince1970]
    }
    if let item = query.item {
      conditions.append("item = ?")
      arguments += [item.rawValue]
    }
    arguments += [query.limit ?? -1]
    let sql = """
      SELECT * FROM (
        SELECT attempt.id, item, path, COALESCE(sent_as, name),
          COALESCE(sent_type, type), size, COALESCE(sent_to, target), number,
          began, ended, bytes, status, outcome, message, reply, url
        FROM attempt JOIN item ON item.id = attempt.item
        WHERE \(conditions.joined(separator: " AND ")) ORDER BY attempt.id DESC LIMIT ?
      ) ORDER BY 1
      """
    return try read { db in
      let rows = try Row.fetchCursor(db, sql: sql, arguments: arguments)
      var entries: [HistoryEntry] = []
      while let row = try rows.next() { entries.append(HistoryEntry(row)) }
      return entries
    }
  }

  /// Forgets attempts that ended before `date`, and the files that nothing is known of any more.
  /// Returns how many attempts those were. What is in the queue stays.
  public func forget(before date: Date) throws(StoreError) -> Int {
    try write { db, _ in
      try db.execute(
        sql: """
          DELETE FROM attempt WHERE ended < ? AND item IN (SELECT id FROM item WHERE NOT listed)
          """, arguments: [date.timeIntervalSince1970])
      let count = db.changesCount
      try db.execute(
        sql: """
          DELETE FROM item WHERE NOT listed AND added < ?
            AND NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.item = item.id)
          """, arguments: [date.timeIntervalSince1970])
      return count
    }
  }
}

extension HistoryEntry {
  fileprivate init(_ row: Row) {
    self.init(
      item: ItemID(row[1]), location: FileLocation(bytes: [UInt8](row[2] as Data)), name: row[3],
      mediaType: row[4], size: row[5], target: row[6], attempt: row[7],
      began: Date(timeIntervalSince1970: row[8]),
      ended: (row[9] as Double?).map { Date(timeIntervalSince1970: $0) }, bytes: row[10],
      status: row[11], outcome: row[12], message: row[13], reply: row[14], url: row[15])
  }
}
