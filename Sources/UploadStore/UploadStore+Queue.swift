import Foundation
import MultipartForm
import UploadModel

/// Reading and editing the queue.
extension UploadStore {
  /// The queue in its order.
  package func items() throws(StoreError) -> [UploadItem] {
    try read { db in try Self.items(db, where: "listed") }
  }

  /// The files in the queue that have yet to reach a target, as they were when they were queued.
  package func unsentFiles(to target: String) throws(StoreError) -> [FileLocation: FileIdentity?] {
    let unsent = "listed AND state NOT IN ('done', 'failed') AND target = ?"
    let items = try read { db in try Self.items(db, where: unsent, [target]) }
    return Dictionary(items.map { ($0.location, $0.identity) }) { $1 }
  }

  /// The given items that were sent, whether or not they are still in the queue.
  package func sent(among ids: [ItemID]) throws(StoreError) -> [UploadItem] {
    let numbers = ids.map { String($0.rawValue) }.joined(separator: ",")
    return try read { db in
      try Self.items(db, where: "state = 'done' AND item.id IN (\(numbers))")
    }
  }

  /// The items whose files must still be moved or deleted, each with its disposal. A file is left alone as long as
  /// another item in the queue needs it.
  package func dueDisposals() throws(StoreError) -> [(item: UploadItem, disposal: Disposal)] {
    try read { db in
      let rows = try db.rows(
        """
        SELECT id, disposal FROM item WHERE disposal IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM item AS other WHERE other.listed AND other.state <> 'done'
            AND (other.path = item.path OR other.inode = item.inode AND other.device = item.device))
        """
      ) { ($0[0] as Int64, $0[1] as String) }
      if rows.isEmpty { return [] }
      let ids = rows.map { String($0.0) }.joined(separator: ",")
      let items = try Self.items(db, where: "item.id IN (\(ids))")
      let due = Dictionary(uniqueKeysWithValues: rows)
      return items.compactMap { item in JSONColumn.value(due[item.id.rawValue]).map { (item, $0) } }
    }
  }

  /// Whether there are items whose files must still be moved or deleted, now or when no other item needs them.
  package func hasDisposals() throws(StoreError) -> Bool {
    try value("SELECT EXISTS (SELECT 1 FROM item WHERE disposal IS NOT NULL)") ?? true
  }

  /// Whether the queue has an item for this file that is not done.
  package func hasYetToSend(_ file: FileIdentity) throws(StoreError) -> Bool {
    try value(
      """
      SELECT EXISTS (SELECT 1 FROM item WHERE listed AND state <> 'done' AND inode = ? AND device = ?)
      """, [file.inode, file.device]) ?? false
  }

  /// Records what became of the local file of a finished item.
  package func settleDisposal(of id: ItemID, _ words: String) throws(StoreError) {
    try write { db, revision in
      try db.execute(
        "UPDATE item SET disposal = NULL, revision = ? WHERE id = ?", [revision, id.rawValue])
      try db.execute(
        """
        UPDATE attempt SET message = ?
        WHERE id = (SELECT MAX(id) FROM attempt WHERE item = ?)
        """, [words, id.rawValue])
    }
  }

  /// Makes failures of sent items, whose replies a new rule judges. What was still to be done with their local files is
  /// forgotten. Items that are not sent, and those that have left the queue, stay as they are. Returns the others.
  @discardableResult
  package func judgeAnew(_ failures: [(ItemID, Failure)]) throws(StoreError) -> Set<ItemID> {
    try write { db, revision in
      var judged: Set<ItemID> = []
      for (id, failure) in failures {
        try db.execute(
          """
          UPDATE item SET state = 'failed', failure = ?, disposal = NULL, revision = ?
          WHERE id = ? AND listed AND state = 'done'
          """, [failure.column, revision, id.rawValue])
        guard db.changes == 1 else { continue }
        judged.insert(id)
        let end = AttemptEnd(failure, bytes: nil)
        try db.execute(
          """
          UPDATE attempt SET outcome = ?, arrival = ?, message = ?, doubtful = NULL
          WHERE id = (SELECT MAX(id) FROM attempt WHERE item = ?)
          """, [end.outcome.rawValue, end.arrival?.rawValue, end.message, id.rawValue])
      }
      return judged
    }
  }

  /// Makes sent items of failed ones that a person says have arrived. What failed stays in the history, as a message.
  /// Items that have not failed, and those that have left the queue, stay as they are. Returns the others.
  @discardableResult
  package func confirm(_ ids: [ItemID]) throws(StoreError) -> Set<ItemID> {
    try write { db, revision in
      var confirmed: Set<ItemID> = []
      for id in ids {
        try db.execute(
          """
          UPDATE item SET state = 'done', failure = NULL, disposal = NULL, revision = ?
          WHERE id = ? AND listed AND state = 'failed'
          """, [revision, id.rawValue])
        guard db.changes == 1 else { continue }
        confirmed.insert(id)
        try db.execute(
          """
          UPDATE attempt SET outcome = ?, arrival = NULL
          WHERE id = (SELECT MAX(id) FROM attempt WHERE item = ?)
          """, [AttemptOutcome.confirmed.rawValue, id.rawValue])
      }
      return confirmed
    }
  }

  /// The target of the last queued item that has not been sent yet; nil if there is no such item.
  package func lastTarget() throws(StoreError) -> String? {
    try value("SELECT target FROM item WHERE listed AND state <> 'done' ORDER BY id DESC LIMIT 1")
  }

  /// The number of the item that was queued last; 0 if no item was ever queued.
  package func lastID() throws(StoreError) -> ItemID {
    ItemID(try value("SELECT MAX(id) FROM item") ?? 0)
  }

  /// Reads a snapshot of the queue in its order, in portions of at most `size` items, and returns its revision. The
  /// first portions are smaller, so that they arrive quickly however long the queue is.
  package func read(
    inPortionsOf size: Int, _ body: ([UploadItem]) -> Void
  ) throws(StoreError) -> Int64 {
    let version = try dataVersion()
    return try read { db in
      let revision: Int64 = try db.value("SELECT revision FROM queue") ?? 0
      // What has been handed over may begin before the rest is read.
      noteKnown(revision, dataVersion: version)
      let end = try db.statement(
        """
        SELECT MAX(position) FROM (
          SELECT position FROM item WHERE listed AND position > ? ORDER BY position LIMIT ?)
        """)
      var (last, portion) = (Int64.min, min(100, size))
      while let next = try end.value([last, portion]) as Int64? {
        body(try Self.items(db, where: "listed AND position > ? AND position <= ?", [last, next]))
        (last, portion) = (next, min(portion * 2, size))
      }
      return revision
    }
  }

  /// All changes since a revision.
  package func changes(since revision: Int64) throws(StoreError) -> QueueChanges {
    try read { db in
      let now = try db.rows("SELECT revision, reordered, stopped FROM queue") {
        (revision: $0[0] as Int64, reordered: $0[1] as Int64, isStopped: $0[2] as Bool)
      }.first
      var changes = QueueChanges(revision: now?.revision ?? revision)
      changes.isStopped = now?.isStopped
      changes.items = try Self.items(db, where: "listed AND revision > ?", [revision])
      changes.removed = try db.rows(
        "SELECT id FROM item WHERE NOT listed AND revision > ?", [revision]
      ) { ItemID($0[0]) }
      if let now, now.reordered > revision { changes.order = try Self.order(db) }
      return changes
    }
  }

  /// The items of the queue, in its order.
  package func order() throws(StoreError) -> [ItemID] {
    try read { try Self.order($0) }
  }

  private static func order(_ db: Database) throws -> [ItemID] {
    try db.rows("SELECT id FROM item WHERE listed ORDER BY position") { ItemID($0[0]) }
  }

  private static func items(
    _ db: Database, where condition: String, _ arguments: [(any ColumnValue)?] = []
  ) throws -> [UploadItem] {
    let attempts = try db.rows(
      """
      SELECT \(LastAttempt.columns) FROM attempt WHERE id IN (
        SELECT MAX(attempt.id) FROM attempt JOIN item ON item.id = attempt.item
        WHERE \(condition) GROUP BY item)
      """, arguments
    ) { ($0[0] as Int64, LastAttempt($0)) }
    let last = Dictionary(uniqueKeysWithValues: attempts)
    let failedAs = try recordsAtFailure(db, where: condition, arguments)
    var pool = ItemRecord.Pool()
    return try db.rows(
      "SELECT \(ItemRows.columns) FROM item WHERE \(condition) ORDER BY position", arguments
    ) { row in
      var item = ItemRows.item(row, last: last[row[0]])
      pool.share(&item.record)
      item.failedAs = failedAs[item.id.rawValue]
      return item
    }
  }

  /// How failed items were to be sent, by their numbers, if they have been edited since. A cross join keeps the order of
  /// the tables: few items have ever been edited, and many attempts may have been made.
  private static func recordsAtFailure(
    _ db: Database, where condition: String, _ arguments: [(any ColumnValue)?]
  ) throws -> [Int64: ItemRecord] {
    let columns = RecordColumns.names.map { "sent_record.\($0)" }.joined(separator: ", ")
    let records = try db.rows(
      """
      SELECT attempt.item, \(columns)
      FROM sent_record CROSS JOIN attempt ON attempt.id = sent_record.attempt
      WHERE attempt.id = (SELECT MAX(id) FROM attempt AS other WHERE other.item = attempt.item)
        AND EXISTS (
          SELECT 1 FROM item WHERE id = attempt.item AND state = 'failed' AND (\(condition)))
      """, arguments
    ) { ($0[0] as Int64, RecordColumns.record($0, from: 1)) }
    return Dictionary(uniqueKeysWithValues: records)
  }

  // MARK: Edits

  /// The initial distance between the positions of neighbours.
  private static let gap: Int64 = 1 << 32

  /// Appends items to the queue and returns them with their numbers. Long lists are written in portions, so
  /// that the engine's writes need not wait long.
  package func enqueue(
    _ items: [UploadItem], now: Date = Date()
  ) throws(StoreError) -> [UploadItem] {
    var added: [UploadItem] = []
    added.reserveCapacity(items.count)
    for start in stride(from: 0, to: items.count, by: 2_000) {
      let portion = items[start..<min(start + 2_000, items.count)]
      added += try write { db, revision in try Self.insert(portion, db, revision, now) }
    }
    return added
  }

  private static func insert(
    _ items: some Collection<UploadItem>, _ db: Database, _ revision: Int64, _ now: Date
  ) throws -> [UploadItem] {
    let position: Int64 = try db.value("SELECT MAX(position) FROM item") ?? 0
    // Numbers are never reused, even after the last item is gone.
    let last: Int64 = try db.value("SELECT seq FROM sqlite_sequence WHERE name = 'item'") ?? 0
    var added = Array(items)
    for index in added.indices { added[index].id = ItemID(last + Int64(index) + 1) }
    try db.insert(into: "item", ItemRows.inserted, added) { item, row in
      let number = item.id.rawValue
      ItemRows.add(item, to: &row)
      row.add(item.sum)
      row.add(position + (number - last) * gap)
      row.add(true)
      row.add(revision)
      row.add(now.timeIntervalSince1970)
      row.add(number)
    }
    return added
  }

  /// What has become of items that were to be updated. Those that have left the queue are in neither list.
  package struct Update: Sendable {
    /// The items in their new state in the queue.
    package var present: [UploadItem] = []
    /// The items that stay as they are, as they were edited meanwhile.
    package var edited: [UploadItem] = []
  }

  /// Writes what a look at the files of items has found, so that they are sent again: their data and states. `known` is
  /// what the looks began with. What a person has done meanwhile outlives the look: items that have left the queue stay
  /// out of it, and those that were edited stay as they were edited. Items that are being sent or have been sent stay as
  /// they are, too, since the caller may not know yet that they have started or finished.
  @discardableResult
  package func update(
    _ looked: [UploadItem], from known: [UploadItem]
  ) throws(StoreError) -> Update {
    let known = Dictionary(known.map { ($0.id, $0) }) { $1 }
    return try write { db, revision in
      let keep = try db.statement(ItemRows.keepForAttempts)
      let keepSize = try db.statement(ItemRows.keepSize)
      let update = try db.statement(ItemRows.update)
      var result = Update()
      for item in looked {
        try keep.execute { ItemRows.addKept(item, to: &$0) }
        try keepSize.execute([item.id.rawValue, item.size])
        try update.execute {
          ItemRows.addUpdated(item, from: known[item.id] ?? item, revision, to: &$0)
        }
        if db.changes > 0 {
          result.present.append(item)
        } else if let there = try Self.items(
          db, where: "item.id = ? AND listed", [item.id.rawValue]
        ).first {
          if there.state.isActive || there.state.isDone {
            result.present.append(there)
          } else {
            result.edited.append(there)
          }
        }
      }
      return result
    }
  }

  /// Pauses items, also those that are being sent: the sender ends their requests. Items that their server has accepted,
  /// or that have been sent, stay as they are. Returns the items in their new state in the queue.
  @discardableResult
  package func pause(_ ids: [ItemID]) throws(StoreError) -> [UploadItem] {
    try write { db, revision in
      let pause = try db.statement(
        """
        UPDATE item SET state = 'paused', failure = NULL, revision = ?
        WHERE id = ? AND listed AND state <> 'done' AND processing IS NULL
        """)
      return try ids.flatMap { id in
        try pause.execute([revision, id.rawValue])
        return try Self.items(db, where: "item.id = ? AND listed", [id.rawValue])
      }
    }
  }

  /// Restores removed items to their places. Uploads that the removal has cancelled, or is about to cancel, wait again.
  /// Returns the items in their new state in the queue.
  package func relist(_ ids: [ItemID]) throws(StoreError) -> [UploadItem] {
    try write { db, revision in
      let again = try db.statement(
        """
        UPDATE item SET state = 'waiting', failure = NULL
        WHERE id = ? AND NOT listed
          AND (state = 'sending' OR json_type(failure, '$.cause.cancelled') IS NOT NULL)
        """)
      let list = try db.statement("UPDATE item SET listed = 1, revision = ? WHERE id = ?")
      for id in ids {
        try again.execute([id.rawValue])
        try list.execute([revision, id.rawValue])
      }
      try Self.recordOrder(db, revision)
      return try Self.items(db, where: "item.revision = ?", [revision])
    }
  }

  /// Updates how items will be sent. Their states are left to the engine. Items that are being sent or have been sent
  /// stay as they are, since the caller may not know yet that they have started. Returns these. Items in `released`
  /// were claimed but have not begun.
  @discardableResult
  package func edit(
    _ items: [UploadItem], releasing released: [ItemID] = []
  ) throws(StoreError) -> Set<ItemID> {
    try write { db, revision in
      try StateWriter(db: db, revision: revision, now: 0).release(released)
      var begun: Set<ItemID> = []
      let keep = try db.statement(ItemRows.keepForAttempts)
      let statement = try db.statement(ItemRows.edit)
      for item in items {
        try keep.execute { ItemRows.addKept(item, to: &$0) }
        try statement.execute { ItemRows.addEdited(item, revision, to: &$0) }
        if db.changes == 0 { begun.insert(item.id) }
      }
      return begun
    }
  }

  /// Removes items from the queue. The history keeps them.
  package func remove(_ ids: [ItemID]) throws(StoreError) {
    try write { db, revision in
      let statement = try db.statement("UPDATE item SET listed = 0, revision = ? WHERE id = ?")
      for id in ids { try statement.execute([revision, id.rawValue]) }
    }
  }

  /// Moves an item to the place before `other`, or to the end of the queue if `other` is nil.
  package func move(_ id: ItemID, before other: ItemID?) throws(StoreError) {
    try write { db, revision in
      guard id != other else { return }
      let position = try Self.place(before: other, db)
      try db.execute(
        "UPDATE item SET position = ?, revision = ? WHERE id = ?",
        [position, revision, id.rawValue])
      try Self.recordOrder(db, revision)
    }
  }

  /// Arranges items in this order, within the places that they currently occupy.
  package func arrange(_ order: [ItemID]) throws(StoreError) {
    try write { db, revision in
      let rows = try db.rows("SELECT id, position FROM item WHERE listed") { row in
        (row[0] as Int64, row[1] as Int64)
      }
      let known = Dictionary(uniqueKeysWithValues: rows)
      let places = order.compactMap { id in known[id.rawValue].map { (id: id.rawValue, from: $0) } }
      let moved = zip(places, places.map(\.from).sorted()).filter { $0.0.from != $0.1 }
      // Move to unused positions first, since no two rows may ever share one.
      let away: Int64 = try db.value("SELECT MIN(position) - 1 FROM item") ?? 0
      let write = try db.statement("UPDATE item SET position = ? WHERE id = ?")
      for (index, (place, _)) in moved.enumerated() {
        try write.execute([away - Int64(index), place.id])
      }
      for (place, position) in moved { try write.execute([position, place.id]) }
      try Self.recordOrder(db, revision)
    }
  }

  /// Whether the user has stopped the queue. Until the user resumes the queue, no upload starts, whichever process
  /// sends and however often hoist is restarted.
  package func isStopped() throws(StoreError) -> Bool {
    try value("SELECT stopped FROM queue") ?? false
  }

  package func setStopped(_ isStopped: Bool) throws(StoreError) {
    try write { db, _ in try db.execute("UPDATE queue SET stopped = ?", [isStopped]) }
  }

  /// The bandwidth limit that the user has set on the screen, in bytes per second; nil means no limit.
  package func rateLimit() throws(StoreError) -> Int64? {
    try value("SELECT rate_limit FROM queue")
  }

  package func setRateLimit(_ limit: Int64?) throws(StoreError) {
    try write { db, _ in try db.execute("UPDATE queue SET rate_limit = ?", [limit]) }
  }

  private static func recordOrder(_ db: Database, _ revision: Int64) throws {
    try db.execute("UPDATE queue SET reordered = ?", [revision])
  }

  private static func place(before other: ItemID?, _ db: Database) throws -> Int64 {
    let there = "SELECT position FROM item WHERE id = ?"
    guard let other, let position: Int64 = try db.value(there, [other.rawValue]) else {
      return (try db.value("SELECT MAX(position) FROM item") ?? 0) + gap
    }
    let before = "SELECT MAX(position) FROM item WHERE position < ?"
    guard let previous: Int64 = try db.value(before, [position]) else { return position - gap }
    if position - previous > 1 { return previous + (position - previous) / 2 }
    try spread(db)
    return (try db.value(there, [other.rawValue]) ?? 0) - gap / 2
  }

  /// Restores the gaps between all neighbours, in two steps, since no two rows may ever share a position.
  private static func spread(_ db: Database) throws {
    try db.execute(
      """
      UPDATE item SET position = position
        + (SELECT MAX(COUNT(*) * \(gap), MAX(position)) - MIN(position) + 1 FROM item)
      """)
    try db.execute(
      """
      UPDATE item SET position = ranked.rank * \(gap)
      FROM (SELECT id, row_number() OVER (ORDER BY position) AS rank FROM item) AS ranked
      WHERE ranked.id = item.id
      """)
  }
}

/// The changes to a queue since a revision.
package struct QueueChanges: Sendable {
  /// The revision to pass next time.
  package var revision: Int64
  /// Items that are new or have changed, in the order of the queue.
  package var items: [UploadItem] = []
  package var removed: [ItemID] = []
  /// All items in their order, if it has changed.
  package var order: [ItemID]?
  /// Whether the user has stopped the queue; nil if no other process has written.
  package var isStopped: Bool?
}
