import Foundation
import MultipartForm
import SQLite
import UploadModel

/// The history of files sent with and without the queue, and what it says about files that are about to be sent.
extension UploadStore {
  /// Attempts in the order in which they were recorded, which does not depend on the clock.
  package func history(_ query: HistoryQuery = HistoryQuery()) throws(StoreError) -> [HistoryEntry]
  {
    let wanted =
      "began >= COALESCE(?1, began) AND began < COALESCE(?2, 9e99)"
      + (query.onlyFailed ? " AND outcome NOT IN \(AttemptOutcome.harmless.sql)" : "")
    let sql = """
      SELECT * FROM (
        SELECT attempt.id AS recorded, \(HistoryEntry.columns),
          \(ItemRows.asSent.joined(separator: ", "))
        FROM attempt JOIN item ON item.id = attempt.item
          LEFT JOIN sent_record ON sent_record.attempt = attempt.id
        WHERE \(wanted)
        UNION ALL
        SELECT id, \(HistoryEntry.columns), \(RecordColumns.list)
        FROM (SELECT *, id AS item, NULL AS start FROM pushed) WHERE \(wanted)
        ORDER BY recorded DESC LIMIT ?3
      ) ORDER BY recorded
      """
    return try read { db in
      try db.rows(
        sql,
        [query.since?.timeIntervalSince1970, query.until?.timeIntervalSince1970, query.limit ?? -1]
      ) { HistoryEntry($0) }
    }
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

  /// When the last run began; nil if there was no attempt. A run is a series of attempts without an idle gap longer
  /// than `seconds`.
  package func beginningOfLastRun(pause seconds: Double) throws(StoreError) -> Date? {
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

  // MARK: Files that were sent before

  /// An earlier upload of a file to its target.
  package struct EarlierUpload: Hashable, Sendable {
    package var ended: Date
    /// Whether the target has accepted the file. If not, it may have, and only the server can tell.
    package var isCertain: Bool
  }

  /// Earlier uploads of these files that their targets have accepted or may have accepted. An upload counts if it had
  /// the same content as an item with a digest. It also counts if it had the same path, identity, size and modification
  /// time as an item, unless both digests are known and differ. A file that was accepted once counts as accepted,
  /// however later attempts ended, and whichever options the target had. `target` is where all items go, if not each to
  /// its own target; `place` returns the absolute path of an item's file.
  package func sentBefore(
    _ items: [UploadItem], to target: String? = nil,
    at place: (UploadItem) -> FileLocation = \.location
  ) throws(StoreError) -> [ItemID: EarlierUpload] {
    try read { db in
      // If only `push` was ever used, nothing was sent from the queue, and one statement suffices.
      let done = "SELECT EXISTS (SELECT 1 FROM item WHERE state = 'done')"
      let hasQueued: Bool = try db.value(done) == true
      let byIdentity = try Self.lookUps(
        """
        inode = ? AND path = ? AND \(Self.isTarget) AND device = ? AND modified = ? AND size = ?
          AND (? OR sum IS NULL)
        """, hasQueued, db)
      let bySum = try Self.lookUps("sum = ? AND \(Self.isTarget)", hasQueued, db)
      let doubts = try Doubts(db)
      var found: [ItemID: EarlierUpload] = [:]
      let common = target.map { TargetName($0) }
      for item in items {
        let target = common ?? TargetName(item.target)
        let beginning = target.beginning
        func addTarget(to row: inout Parameters) {
          row.add(target.base)
          row.add(beginning)
          row.add(beginning)
        }
        var moment = try item.sum.flatMap { sum in
          try Self.latest(bySum) { row in
            row.add(sum)
            addTarget(to: &row)
          }
        }
        if moment == nil, let identity = item.identity {
          let bytes = place(item).bytes
          moment = try Self.latest(byIdentity) { row in
            row.add(identity.inode)
            row.add(bytes)
            addTarget(to: &row)
            row.add(identity.device)
            row.add(identity.modified)
            row.add(identity.size)
            row.add(item.sum == nil)
          }
        }
        let isCertain = moment != nil
        if !isCertain { moment = doubts.latest(of: item, to: target.base, at: place) }
        found[item.id] = moment.map {
          EarlierUpload(ended: Date(timeIntervalSince1970: $0), isCertain: isCertain)
        }
      }
      return found
    }
  }

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
    let outcomes = [AttemptOutcome.done, .wasThere].sql
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

  /// Whether a row is for the target with a name, with any options.
  private static let isTarget = "(target = ? OR substr(target, 1, length(?)) = ?)"

  /// Statements that find when a file was last sent: by `push` and, if `hasQueued`, from the queue. The indexes are
  /// ordered by id, so the search ends at the first row, however often a file was sent.
  private static func lookUps(
    _ condition: String, _ hasQueued: Bool, _ db: Database
  ) throws -> [Statement] {
    let done = AttemptOutcome.done.sql
    let pushed = """
      SELECT ended FROM pushed WHERE outcome = \(done) AND \(condition) ORDER BY id DESC LIMIT 1
      """
    let queued = """
      SELECT ended FROM item JOIN attempt ON attempt.item = item.id AND attempt.outcome IN \([AttemptOutcome.done, .wasThere].sql)
      WHERE item.state = 'done' AND \(condition) ORDER BY item.id DESC LIMIT 1
      """
    return try (hasQueued ? [pushed, queued] : [pushed]).map { try db.statement($0) }
  }

  private static func latest(
    _ statements: [Statement], _ add: (inout Parameters) -> Void
  ) throws -> Double? {
    try statements.compactMap { try $0.value(add) as Double? }.max()
  }
}

/// Uploads that may or may not have arrived. There are few of them, so they are read only once for all files of a
/// lookup.
private struct Doubts {
  /// A file by its path and identity, or a content by its digest.
  private struct Key: Hashable {
    var target: String
    var bytes: [UInt8]
    var identity: FileIdentity?
  }

  /// When each of these uploads ended, and the digest of the sent content, if one was computed.
  private var files: [Key: (ended: Double, sum: [UInt8]?)] = [:]
  private var contents: [Key: Double] = [:]

  /// Reads the uploads through partial indexes.
  init(_ db: Database) throws {
    let file = "device, inode, size, modified, sum, ended"
    let found = """
      SELECT COALESCE(sent_record.target, item.target), COALESCE(sent_record.path, item.path), \(file)
        FROM attempt INDEXED BY attempt_arrival CROSS JOIN item ON item.id = attempt.item
          LEFT JOIN sent_record ON sent_record.attempt = attempt.id
        WHERE arrival IS NOT NULL
      UNION ALL
      SELECT target, path, \(file) FROM pushed INDEXED BY pushed_arrival
        WHERE arrival IS NOT NULL
      ORDER BY ended
      """
    try db.eachRow(found) { row in
      let (target, sum, ended): (String, [UInt8]?, Double) =
        (TargetName(row[0]).base, row[6], row[7])
      if let sum { contents[Key(target: target, bytes: sum)] = ended }
      guard let device: UInt64 = row[2], let inode: UInt64 = row[3], let modified: Int128 = row[5]
      else { return true }
      let identity = FileIdentity(device: device, inode: inode, size: row[4], modified: modified)
      files[Key(target: target, bytes: row[1], identity: identity)] = (ended, sum)
      return true
    }
  }

  /// When the last doubtful upload of the item ended; nil if there is none. An upload counts if it sent the same
  /// content, or the same file unless both digests are known and differ.
  func latest(
    of item: UploadItem, to target: String, at place: (UploadItem) -> FileLocation
  ) -> Double? {
    if files.isEmpty, contents.isEmpty { return nil }
    if let sum = item.sum, let ended = contents[Key(target: target, bytes: sum)] { return ended }
    guard let identity = item.identity,
      let known = files[Key(target: target, bytes: place(item).bytes, identity: identity)],
      item.sum == nil || known.sum == nil
    else { return nil }
    return known.ended
  }
}
