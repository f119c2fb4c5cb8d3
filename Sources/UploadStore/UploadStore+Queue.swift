import Foundation
import GRDB
import UploadModel

/// The queue as a person edits it.
extension UploadStore {
  /// The distance between two neighbours that nothing was moved between.
  private static let gap: Int64 = 1 << 32

  /// Puts items at the end of the queue and returns them with their numbers. Long lists go in
  /// portions, so that an engine that notes what it does need not wait.
  public func enqueue(
    _ items: [UploadItem], now: Date = Date()
  ) throws(StoreError) -> [UploadItem] {
    var added: [UploadItem] = []
    added.reserveCapacity(items.count)
    for start in stride(from: 0, to: items.count, by: 2_000) {
      let portion = items[start..<min(start + 2_000, items.count)]
      added += try write { db, revision in try Self.insert(portion, listed: true, db, revision, now)
      }
    }
    return added
  }

  static func insert(
    _ items: ArraySlice<UploadItem>, listed: Bool, _ db: Database, _ revision: Int64, _ now: Date
  ) throws -> [UploadItem] {
    var position = try Int64.fetchOne(db, sql: "SELECT MAX(position) FROM item") ?? 0
    let statement = try db.cachedStatement(sql: ItemRows.insert)
    return try items.map { item in
      position += gap
      try statement.execute(
        arguments: ItemRows.values(item)
          + [item.sum.map { Data($0) }, position, listed, revision, now.timeIntervalSince1970])
      var added = item
      added.id = ItemID(db.lastInsertedRowID)
      return added
    }
  }

  /// Writes what is known of items by now, with their states, and lists those that had been taken out
  /// at the places where they stood. What is done stays done, and what is being sent can only be
  /// paused: whoever asks may not have heard of it yet.
  ///
  /// - Returns: the items as they stand in the queue now.
  @discardableResult
  public func update(_ items: [UploadItem]) throws(StoreError) -> [UploadItem] {
    try write { db, revision in
      let keep = try db.cachedStatement(sql: ItemRows.keepForAttempts)
      let update = try db.cachedStatement(sql: ItemRows.update)
      let list = try db.cachedStatement(
        sql: "UPDATE item SET listed = 1, revision = ? WHERE id = ?")
      var refused: Set<ItemID> = []
      for item in items {
        try keep.execute(arguments: [item.id.rawValue])
        try update.execute(arguments: ItemRows.values(item) + [revision, item.id.rawValue])
        guard db.changesCount == 0 else { continue }
        refused.insert(item.id)
        try list.execute(arguments: [revision, item.id.rawValue])
      }
      try Self.recordOrder(db, revision)
      if refused.isEmpty { return items }
      let touched = try Self.items(db, where: "item.revision = ?", [revision])
      let present = Dictionary(uniqueKeysWithValues: touched.map { ($0.id, $0) })
      return items.compactMap { refused.contains($0.id) ? present[$0.id] : $0 }
    }
  }

  /// Lists items again that had been taken out, at the places where they stood. What taking it out
  /// broke off, or is about to, waits again.
  ///
  /// - Returns: the items as they stand in the queue now.
  public func relist(_ ids: [ItemID]) throws(StoreError) -> [UploadItem] {
    try write { db, revision in
      let again = try db.cachedStatement(
        sql: """
          UPDATE item SET state = 'waiting', failure = NULL
          WHERE id = ? AND NOT listed AND (state = 'sending' OR failure = ?)
          """)
      let list = try db.cachedStatement(
        sql: "UPDATE item SET listed = 1, revision = ? WHERE id = ?")
      let cancelled = CauseJSON.encode(.cancelled)
      for id in ids {
        try again.execute(arguments: [id.rawValue, cancelled])
        try list.execute(arguments: [revision, id.rawValue])
      }
      try Self.recordOrder(db, revision)
      return try Self.items(db, where: "item.revision = ?", [revision])
    }
  }

  /// Writes how items shall be sent, and nothing of what has become of them: that is the engine's to say.
  public func edit(_ items: [UploadItem]) throws(StoreError) {
    try write { db, revision in
      let keep = try db.cachedStatement(sql: ItemRows.keepForAttempts)
      let statement = try db.cachedStatement(
        sql: """
          UPDATE item SET target = ?, field = ?, name = ?, type = ?, type_source = ?,
            type_is_certain = ?, revision = ? WHERE id = ?
          """)
      for item in items {
        try keep.execute(arguments: [item.id.rawValue])
        try statement.execute(
          arguments: [
            item.target, item.field, item.fileName, item.mediaType, item.typeSource,
            item.typeIsCertain, revision, item.id.rawValue,
          ])
      }
    }
  }

  /// Takes items out of the queue. The history keeps them.
  public func remove(_ ids: [ItemID]) throws(StoreError) {
    try write { db, revision in
      let statement = try db.cachedStatement(
        sql: "UPDATE item SET listed = 0, revision = ? WHERE id = ?")
      for id in ids { try statement.execute(arguments: [revision, id.rawValue]) }
    }
  }

  /// Lets an item stand before another one, or last.
  public func move(_ id: ItemID, before other: ItemID?) throws(StoreError) {
    try write { db, revision in
      guard id != other else { return }
      let position = try Self.place(before: other, db)
      try db.execute(
        sql: "UPDATE item SET position = ?, revision = ? WHERE id = ?",
        arguments: [position, revision, id.rawValue])
      try Self.recordOrder(db, revision)
    }
  }

  /// Puts items in this order, at the places that they have now among them.
  public func arrange(_ order: [ItemID]) throws(StoreError) {
    try write { db, revision in
      var known: [Int64: Int64] = [:]
      let rows = try Row.fetchCursor(db, sql: "SELECT id, position FROM item WHERE listed")
      while let row = try rows.next() { known[row[0]] = row[1] }
      let places = order.compactMap { id in known[id.rawValue].map { (id: id.rawValue, from: $0) } }
      let moved = zip(places, places.map(\.from).sorted()).filter { $0.0.from != $0.1 }
      // Out of everybody's way first, for no two rows may share a place meanwhile.
      let away = try Int64.fetchOne(db, sql: "SELECT MIN(position) - 1 FROM item") ?? 0
      let write = try db.cachedStatement(sql: "UPDATE item SET position = ? WHERE id = ?")
      for (index, (place, _)) in moved.enumerated() {
        try write.execute(arguments: [away - Int64(index), place.id])
      }
      for (place, position) in moved {
        try write.execute(arguments: [position, place.id])
      }
      try Self.recordOrder(db, revision)
    }
  }

  private static func recordOrder(_ db: Database, _ revision: Int64) throws {
    try db.execute(sql: "UPDATE queue SET reordered = ?", arguments: [revision])
  }

  private static func place(before other: ItemID?, _ db: Database) throws -> Int64 {
    func fetch(_ sql: String, _ arguments: StatementArguments = []) throws -> Int64? {
      try Int64.fetchOne(db, sql: sql, arguments: arguments)
    }
    let there = "SELECT position FROM item WHERE id = ?"
    guard let other, let position = try fetch(there, [other.rawValue]) else {
      return (try fetch("SELECT MAX(position) FROM item") ?? 0) + gap
    }
    let before = "SELECT MAX(position) FROM item WHERE position < ?"
    guard let previous = try fetch(before, [position]) else { return position - gap }
    if position - previous > 1 { return previous + (position - previous) / 2 }
    try spread(db)
    return (try fetch(there, [other.rawValue]) ?? 0) - gap / 2
  }

  /// Makes room between all neighbours. In two steps, for no two rows may share a place meanwhile.
  private static func spread(_ db: Database) throws {
    try db.execute(
      sql: """
        UPDATE item SET position = position
          + (SELECT MAX(COUNT(*) * \(gap), MAX(position)) - MIN(position) + 1 FROM item)
        """)
    try db.execute(
      sql: """
        UPDATE item SET position = ranked.rank * \(gap)
        FROM (SELECT id, row_number() OVER (ORDER BY position) AS rank FROM item) AS ranked
        WHERE ranked.id = item.id
        """)
  }

  // MARK: Reading

  /// The queue in its order.
  public func items() throws(StoreError) -> [UploadItem] {
    try read { db in try Self.items(db, where: "listed") }
  }

  /// The target of what was queued last and is not sent yet; nil where nothing is.
  public func lastTarget() throws(StoreError) -> String? {
    try read { db in
      try String.fetchOne(
        db, sql: "SELECT target FROM item WHERE listed AND state <> 'done' ORDER BY id DESC LIMIT 1"
      )
    }
  }

  /// The number of the item that was queued last; 0 where there was none.
  public func lastID() throws(StoreError) -> ItemID {
    ItemID(try read { db in try Int64.fetchOne(db, sql: "SELECT MAX(id) FROM item") } ?? 0)
  }

  /// Reads the queue in its order, as it is at one moment, and hands it over in portions of at most
  /// `size` items. The first ones are smaller, so that they are there at once however long the queue is.
  ///
  /// - Returns: the revision that all of it shows.
  public func read(
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

  /// What has changed since a revision, where another process has written since this was asked last;
  /// otherwise nothing but the revision that is there now.
  ///
  /// - Returns: nil while another process writes. What it writes can be seen only when it has ended, and
  ///   that leaves no mark on any file: ask again soon.
  public func changesByOthers(since revision: Int64) throws(StoreError) -> QueueChanges? {
    guard let (now, version) = try stamp() else { return nil }
    if dataVersion.withLock({ $0 == version }) { return QueueChanges(revision: now) }
    let changes = try changes(since: revision)
    dataVersion.withLock { $0 = version }
    return changes
  }

  /// The revision, and the number by which SQLite counts the commits of all connections but the one that
  /// asks; nil while another process writes.
  private func stamp() throws(StoreError) -> (revision: Int64, version: Int64)? {
    do {
      return try pool.writeWithoutTransaction { db in
        // Whoever can begin to write at once knows that nobody else is at it.
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

  /// What has changed since a revision, by whomever.
  public func changes(since revision: Int64) throws(StoreError) -> QueueChanges {
    try read { db in
      let now = try Row.fetchOne(db, sql: "SELECT revision, reordered FROM queue")
      var changes = QueueChanges(revision: now?[0] ?? revision)
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
