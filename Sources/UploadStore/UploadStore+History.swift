import Foundation
import GRDB
import MultipartForm
import UploadModel

extension UploadStore {
  /// Attempts in the order in which they were recorded, which does not depend on the clock.
  ///
  /// - Throws: `StoreError` if the queue cannot be read.
  package func history(_ query: HistoryQuery = HistoryQuery()) throws(StoreError) -> [HistoryEntry]
  {
    var conditions = ["1"]
    var arguments: StatementArguments = []
    if query.onlyFailed {
      conditions.append("outcome NOT IN \(AttemptOutcome.harmless.sql)")
    }
    if let since = query.since {
      conditions.append("began >= :since")
      arguments += ["since": since.timeIntervalSince1970]
    }
    arguments += ["limit": query.limit ?? -1]
    let wanted = conditions.joined(separator: " AND ")
    let sql = """
      SELECT * FROM (
        SELECT attempt.id AS recorded, item, path, COALESCE(sent_as, name),
          COALESCE(sent_type, type), COALESCE(sent_size, size), COALESCE(sent_to, target), number,
          began, ended, start, bytes, status, outcome, message, reply, url,
          deletion_url
        FROM attempt JOIN item ON item.id = attempt.item WHERE \(wanted)
        UNION ALL
        SELECT id, id, path, name, type, size, target, number, began, ended, NULL, bytes, status,
          outcome, message, reply, url, deletion_url
        FROM pushed WHERE \(wanted)
        ORDER BY recorded DESC LIMIT :limit
      ) ORDER BY recorded
      """
    return try read { db in
      let rows = try Row.fetchCursor(db, sql: sql, arguments: arguments)
      var entries: [HistoryEntry] = []
      while let row = try rows.next() { entries.append(HistoryEntry(row)) }
      return entries
    }
  }

  /// Deletes attempts that ended before `date`, and files that have none left. Returns the number of deleted
  /// attempts. Items in the queue are kept.
  ///
  /// - Throws: `StoreError` if the queue cannot be written.
  package func forget(before date: Date) throws(StoreError) -> Int {
    try write { db, _ in
      try db.execute(
        sql: """
          DELETE FROM attempt WHERE ended < ? AND item IN (SELECT id FROM item WHERE NOT listed)
          """, arguments: [date.timeIntervalSince1970])
      var count = db.changesCount
      try db.execute(
        sql: """
          DELETE FROM item WHERE NOT listed AND added < ?
            AND NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.item = item.id)
          """, arguments: [date.timeIntervalSince1970])
      try db.execute(
        sql: "DELETE FROM pushed WHERE ended < ?", arguments: [date.timeIntervalSince1970])
      count += db.changesCount
      return count
    }
  }
}
