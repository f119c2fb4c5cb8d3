import Foundation
import GRDB
import UploadModel

/// Reading the queue and its changes.
extension UploadStore {
  /// The queue in its order.
  ///
  /// - Throws: `StoreError` if the queue cannot be read.
  package func items() throws(StoreError) -> [UploadItem] {
    try read { db in try Self.items(db, where: "listed") }
  }

  /// The given items that were sent, whether or not they are still in the queue.
  ///
  /// - Throws: `StoreError` if the queue cannot be read.
  package func sent(among ids: [ItemID]) throws(StoreError) -> [UploadItem] {
    let numbers = ids.map { String($0.rawValue) }.joined(separator: ",")
    return try read { db in
      try Self.items(db, where: "state = 'done' AND item.id IN (\(numbers))")
    }
  }

  /// The target of the last queued item that has not been sent yet; nil if there is none.
  ///
  /// - Throws: `StoreError` if the queue cannot be read.
  package func lastTarget() throws(StoreError) -> String? {
    try read { db in
      try String.fetchOne(
        db, sql: "SELECT target FROM item WHERE listed AND state <> 'done' ORDER BY id DESC LIMIT 1"
      )
    }
  }

  /// The number of the item that was queued last; 0 if there was none.
  ///
  /// - Throws: `StoreError` if the queue cannot be read.
  package func lastID() throws(StoreError) -> ItemID {
    ItemID(try read { db in try Int64.fetchOne(db, sql: "SELECT MAX(id) FROM item") } ?? 0)
  }

  /// Reads a snapshot of the queue in its order, in portions of at most `size` items. The first portions are
  /// smaller, so that they arrive at once however long the queue is.
  ///
  /// - Returns: the revision of the snapshot.
  /// - Throws: `StoreError` if the queue cannot be read.
  package func read(
    inPortionsOf size: Int, _ body: ([UploadItem]) -> Void
  ) throws(StoreError) -> Int64 {
    try read { db in
      let end = try db.cachedStatement(
        sql: """
          SELECT MAX(position) FROM (
            SELECT position FROM item WHERE listed AND position > ? ORDER BY position LIMIT ?)
          """)
      var (last, portion) = (Int64.min, min(100, size))
      while let next = try Int64.fetchOne(end, arguments: [last, portion]) {
        body(try Self.items(db, where: "listed AND position > ? AND position <= ?", [last, next]))
        (last, portion) = (next, min(portion * 2, size))
      }
      return try Int64.fetchOne(db, sql: "SELECT revision FROM queue") ?? 0
    }
  }

  /// The changes since a revision, if another process has written since the last call; otherwise only the
  /// current revision.
  ///
  /// - Returns: nil while another process is writing. Its changes become visible when it has finished, which no
  ///   file shows: ask again soon.
  /// - Throws: `StoreError` if the queue cannot be read.
  package func changesByOthers(since revision: Int64) throws(StoreError) -> QueueChanges? {
    guard let (now, version) = try stamp() else { return nil }
    if dataVersion.withLock({ $0 == version }) { return QueueChanges(revision: now) }
    let changes = try changes(since: revision)
    dataVersion.withLock { $0 = version }
    return changes
  }

  /// The revision, and SQLite's count of commits by all connections but this one; nil while another process is writing.
  private func stamp() throws(StoreError) -> (revision: Int64, version: Int64)? {
    do {
      return try pool.writeWithoutTransaction { db in
        // Starting a write transaction fails at once if another process is writing.
        let patience = try Int64.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 0
        try db.execute(sql: "PRAGMA busy_timeout = 0")
        defer { try? db.execute(sql: "PRAGMA busy_timeout = \(patience)") }
        var stamp = (revision: Int64(0), version: Int64(0))
        do {
          try db.inTransaction(.immediate) {
            stamp.revision = try Int64.fetchOne(db, sql: "SELECT revision FROM queue") ?? 0
            stamp.version = try Int64.fetchOne(db, sql: "PRAGMA data_version") ?? 0
            return .commit
          }
        } catch DatabaseError.SQLITE_BUSY {
          return nil
        }
        return stamp
      }
    } catch {
      throw StoreError(error, doing: "read", path: path)
    }
  }

  /// All changes since a revision.
  ///
  /// - Throws: `StoreError` if the queue cannot be read.
  package func changes(since revision: Int64) throws(StoreError) -> QueueChanges {
    try read { db in
      let now = try Row.fetchOne(db, sql: "SELECT revision, reordered, stopped FROM queue")
      var changes = QueueChanges(revision: now?[0] ?? revision)
      changes.isStopped = now?[2]
      changes.items = try Self.items(db, where: "listed AND revision > ?", [revision])
      changes.removed = try Int64.fetchAll(
        db, sql: "SELECT id FROM item WHERE NOT listed AND revision > ?", arguments: [revision]
      ).map { ItemID($0) }
      if let now, now[1] as Int64 > revision {
        changes.order = try Int64.fetchAll(
          db, sql: "SELECT id FROM item WHERE listed ORDER BY position"
        ).map { ItemID($0) }
      }
      return changes
    }
  }

  static func items(
    _ db: Database, where condition: String, _ arguments: StatementArguments = []
  ) throws -> [UploadItem] {
    let last = try lastAttempts(db, where: condition, arguments)
    let rows = try Row.fetchCursor(
      db, sql: "SELECT \(ItemRows.columns) FROM item WHERE \(condition) ORDER BY position",
      arguments: arguments)
    var items: [UploadItem] = []
    while let row = try rows.next() { items.append(ItemRows.item(row, last: last[row[0]])) }
    return items
  }

  private static func lastAttempts(
    _ db: Database, where condition: String, _ arguments: StatementArguments
  ) throws -> [Int64: LastAttempt] {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT \(LastAttempt.columns) FROM attempt WHERE id IN (
          SELECT MAX(attempt.id) FROM attempt JOIN item ON item.id = attempt.item
          WHERE \(condition) GROUP BY item)
        """, arguments: arguments)
    var last: [Int64: LastAttempt] = [:]
    while let row = try rows.next() { last[row[0]] = LastAttempt(row) }
    return last
  }
}
