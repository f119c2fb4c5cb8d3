import Foundation
import MultipartForm
import UploadModel

/// The history of files sent with and without the queue, and what it says about files that are about to be sent.
extension UploadStore {
  /// Attempts in the order in which they were recorded, which does not depend on the clock.
  package func history(_ query: HistoryQuery = HistoryQuery()) throws(StoreError) -> [HistoryEntry]
  {
    let isWanted = "began >= COALESCE(?1, began) AND began < COALESCE(?2, 9e99)"
    let (ofQueue, ofPush) = query.onlyFailed ? (Self.isNotSent, Self.isNotPushed) : ("", "")
    let sql = """
      SELECT * FROM (
        SELECT attempt.id AS recorded, \(HistoryEntry.columns),
          \(ItemRows.asSent.joined(separator: ", "))
        FROM attempt JOIN item ON item.id = attempt.item
          LEFT JOIN sent_record ON sent_record.attempt = attempt.id
        WHERE \(isWanted) \(ofQueue)
        UNION ALL
        SELECT id, \(HistoryEntry.columns), \(RecordColumns.list)
        FROM (SELECT *, id AS item, NULL AS start FROM pushed) AS push WHERE \(isWanted) \(ofPush)
        ORDER BY recorded DESC LIMIT ?3
      ) ORDER BY recorded
      """
    // Several rows may be about one file.
    let limit = query.onlyFailed ? nil : query.limit
    let entries = try read { db in
      try db.rows(
        sql,
        [query.since?.timeIntervalSince1970, query.until?.timeIntervalSince1970, limit ?? -1]
      ) { HistoryEntry($0) }
    }
    guard query.onlyFailed else { return entries }
    var seen: Set<[[UInt8]]> = []
    let latest = entries.reversed().filter { entry in
      let (record, name) = (entry.record, entry.record.folder + entry.record.fileName)
      return seen.insert([record.location.bytes, Array(record.target.utf8), Array(name.utf8)])
        .inserted
    }
    return latest.prefix(query.limit ?? .max).reversed()
  }

  /// Whether an attempt has failed, no other one has followed or is to come, and the file has not been sent since.
  private static let isNotSent = """
    AND outcome NOT IN \(AttemptOutcome.harmless.sql)
    AND attempt.id = (
      SELECT MAX(id) FROM attempt AS last
      WHERE last.item = item.id AND last.outcome IS NOT \(AttemptOutcome.withdrawn.sql))
    AND NOT (item.listed AND item.state NOT IN ('done', 'failed'))
    \(wasNotSentSince("attempt.id", "item"))
    """
  private static let isNotPushed = """
    AND outcome NOT IN \(AttemptOutcome.harmless.sql)
    \(wasNotSentSince("push.id", "push"))
    """

  private static func wasNotSentSince(_ number: String, _ row: String) -> String {
    """
    AND NOT EXISTS (
      SELECT 1 FROM item AS sent JOIN attempt AS arrival ON arrival.item = sent.id
      WHERE sent.state = 'done' AND sent.path_key = \(row).path_key AND sent.path = \(row).path
        AND sent.target = \(row).target AND arrival.id > \(number)
        AND arrival.outcome IN \(AttemptOutcome.there.sql))
    AND NOT EXISTS (
      SELECT 1 FROM pushed AS sent
      WHERE sent.outcome = 'done' AND sent.path_key = \(row).path_key AND sent.path = \(row).path
        AND sent.target = \(row).target AND sent.id > \(number))
    """
  }

  /// At most `count` attempts that were recorded before the one with this number, or the last ones; the latest first.
  /// `next` is the number for the next call; nil if there are no more.
  package func history(
    before number: Int64? = nil, count: Int
  ) throws(StoreError) -> (entries: [HistoryEntry], next: Int64?) {
    let sql = """
      SELECT attempt.id AS recorded, \(HistoryEntry.columns), \(ItemRows.asSent.joined(separator: ", "))
      FROM attempt JOIN item ON item.id = attempt.item
        LEFT JOIN sent_record ON sent_record.attempt = attempt.id
      WHERE attempt.id < ?1
      UNION ALL
      SELECT id, \(HistoryEntry.columns), \(RecordColumns.list)
      FROM (SELECT *, id AS item, NULL AS start FROM pushed) WHERE id < ?1
      ORDER BY recorded DESC LIMIT ?2
      """
    return try read { db in
      let rows = try db.rows(sql, [number ?? .max, count]) { row in
        (number: row[0] as Int64, entry: HistoryEntry(row))
      }
      return (rows.map(\.entry), rows.count < count ? nil : rows.last?.number)
    }
  }

  /// The last `count` attempts at an item of the queue, in their order.
  package func attempts(of id: ItemID, count: Int) throws(StoreError) -> [HistoryEntry] {
    let sql = """
      SELECT attempt.id AS recorded, \(HistoryEntry.columns), \(ItemRows.asSent.joined(separator: ", "))
      FROM attempt JOIN item ON item.id = attempt.item
        LEFT JOIN sent_record ON sent_record.attempt = attempt.id
      WHERE attempt.item = ?1
      ORDER BY recorded DESC LIMIT ?2
      """
    return try read { db in try db.rows(sql, [id.rawValue, count]) { HistoryEntry($0) }.reversed() }
  }

  /// How many files the history has. A file that was sent to two targets, or under two names, counts twice.
  package func filesInHistory() throws(StoreError) -> Int {
    let file = "target, path, folder, name"
    let sql = """
      SELECT COUNT(*) FROM (
        SELECT \(ItemRows.asSent(["target", "path", "folder", "name"]).joined(separator: ", "))
        FROM attempt JOIN item ON item.id = attempt.item
          LEFT JOIN sent_record ON sent_record.attempt = attempt.id
        UNION SELECT \(file) FROM pushed)
      """
    return try read { db in try db.value(sql) ?? 0 }
  }

  /// When the last burst began; nil if there was no attempt. A burst is a series of attempts without a gap longer
  /// than `seconds`.
  package func beginningOfLastBurst(gap seconds: Double) throws(StoreError) -> Date? {
    try read { db in
      let sql = """
        SELECT * FROM (SELECT began, ended FROM attempt UNION ALL SELECT began, ended FROM pushed)
        ORDER BY COALESCE(ended, 9e99) DESC
        """
      var beginning: Double?
      // Attempts that have not ended come first.
      try db.eachRow(sql) { row in
        let (began, ended): (Double, Double?) = (row[0], row[1])
        if let beginning, let ended, beginning - ended > seconds { return false }
        beginning = min(beginning ?? began, began)
        return true
      }
      return beginning.map { Date(timeIntervalSince1970: $0) }
    }
  }

  /// Deletes attempts and runs that ended before `date`, and removed items that have no attempt left. Keeps the items
  /// in the queue and their attempts. Returns the number of deleted attempts.
  package func forget(before date: Date) throws(StoreError) -> Int {
    let limit = date.timeIntervalSince1970
    return try write { db, _ in
      try db.execute(
        "DELETE FROM attempt WHERE ended < ? AND item IN (SELECT id FROM item WHERE NOT listed)",
        [limit])
      var count = db.changes
      try db.execute(
        """
        DELETE FROM item WHERE NOT listed AND added < ?
          AND NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.item = item.id)
        """, [limit])
      try db.execute("DELETE FROM pushed WHERE ended < ?", [limit])
      count += db.changes
      try db.execute("DELETE FROM run_end WHERE ended < ?", [limit])
      return count
    }
  }

  // MARK: Files that `push` has sent

  /// Records the results of files that were never in the queue: items that are done or have failed, each with the time
  /// of its first byte. `record` returns an item's record with its target and the absolute path of its file.
  package func log(
    _ ended: [(item: UploadItem, began: Date)],
    as record: (UploadItem) -> ItemRecord = \.record, now: Date = Date()
  ) throws(StoreError) {
    try write { db, _ in
      let ends = ended.lazy.compactMap { item, began in
        AttemptEnd(item.state).map { (item, began, $0) }
      }
      var number = try Self.takeNumbers(ended.count, db)
      try db.insert(into: "pushed", Self.pushedColumns, ends) { entry, row in
        let (item, began, end) = entry
        let record = record(item)
        let identity = item.identity
        let sent = end.receipt?.sent
        let attempts = end.receipt?.attempts ?? item.state.failure?.attempts ?? 0
        let ended = now.timeIntervalSince1970
        row.add(number)
        RecordColumns.add(record, to: &row)
        row.add(identity?.device)
        row.add(identity?.inode)
        row.add(identity?.modified)
        row.add(item.size)
        row.add(item.sum)
        row.add(sent.flatMap { $0.name == record.fileName ? nil : $0.name })
        row.add(sent.flatMap { $0.mediaType == record.mediaType ? nil : $0.mediaType })
        row.add(sent.flatMap { $0.size == item.size ? nil : $0.size })
        row.add(attempts)
        row.add(max(began.timeIntervalSince1970, end.beginning(at: ended)))
        end.add(at: ended, to: &row)
        number += 1
      }
    }
  }

  private static let pushedColumns =
    ["id"] + RecordColumns.names + [
      "device", "inode", "modified", "size", "sum", "sent_as", "sent_type", "sent_size", "number",
      "began",
    ] + AttemptEnd.columns

  /// Reserves `count` numbers and returns the first. A row of `pushed` stands for both an item and an attempt,
  /// so neither table may have or later assign these numbers.
  private static func takeNumbers(_ count: Int, _ db: Database) throws -> Int64 {
    let tables = "name IN ('item', 'attempt')"
    let last: Int64 = try db.value("SELECT MAX(seq) FROM sqlite_sequence WHERE \(tables)") ?? 0
    try db.execute("UPDATE sqlite_sequence SET seq = ? WHERE \(tables)", [last + Int64(count)])
    return last + 1
  }

  // MARK: Files that were sent since then

  /// A file as it was when it was sent.
  package struct SentFile: Hashable, Sendable {
    package var identity: FileIdentity
    package var ended: Date
  }

  /// The items, by their UUIDs, that `target` has accepted at `date` or later.
  package func sent(to target: String, since date: Date) throws(StoreError) -> [UUID: SentFile] {
    let target = TargetName(target)
    let file = "uuid, device, inode, size, modified, ended"
    let condition = "inode IS NOT NULL AND ended >= ? AND \(Self.isTarget)"
    let outcomes = AttemptOutcome.there.sql
    let values: [(any ColumnValue)?] = [
      date.timeIntervalSince1970, target.base, target.beginning, target.beginning,
    ]
    return try read { db in
      var found: [UUID: SentFile] = [:]
      try db.eachRow(
        """
        SELECT \(file) FROM pushed WHERE outcome IN \(outcomes) AND \(condition)
        UNION ALL
        SELECT \(file) FROM item JOIN attempt ON attempt.item = item.id AND outcome IN \(outcomes)
        WHERE item.state = 'done' AND \(condition)
        """, values + values
      ) { row in
        found[row[0]] = SentFile(
          identity: FileIdentity(
            device: row[1], inode: row[2], size: row[3], modified: row[4]),
          ended: Date(timeIntervalSince1970: row[5]))
        return true
      }
      return found
    }
  }
}
