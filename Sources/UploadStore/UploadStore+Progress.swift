import Foundation
import GRDB
import MultipartForm
import UploadModel

/// The engine's progress, written before it is shown and before the network sees it.
extension UploadStore {
  /// Records the start of attempts and returns the items that may start. The others have been removed, or
  /// another process has changed their state.
  ///
  /// From then on the items count as being sent until `record` says otherwise, even after a crash.
  ///
  /// - Throws: `StoreError` if the queue cannot be written.
  package func begin(_ ids: [ItemID], now: Date = Date()) throws(StoreError) -> Set<ItemID> {
    let begun = try write { db, revision in
      let claim = try db.cachedStatement(
        sql: """
          UPDATE item SET state = 'sending', failure = NULL, revision = ?
          WHERE id = ? AND listed AND state = 'waiting'
          """)
      let attempt = try db.cachedStatement(
        sql: """
          INSERT INTO attempt (item, number, began)
          SELECT ?1, COALESCE(MAX(number), 0) + 1, ?2 FROM attempt WHERE item = ?1
          """)
      // Closes the attempt of an item that was removed while it was sent, and restored before its end was
      // reported.
      let leftOpen = try db.cachedStatement(
        sql: """
          UPDATE attempt SET ended = ?, outcome = \(AttemptOutcome.withdrawn.sql)
          WHERE item = ? AND ended IS NULL
          """)
      var begun: Set<ItemID> = []
      for id in ids {
        try claim.execute(arguments: [revision, id.rawValue])
        guard db.changesCount == 1 else { continue }
        try leftOpen.execute(arguments: [now.timeIntervalSince1970, id.rawValue])
        try attempt.execute(arguments: [id.rawValue, now.timeIntervalSince1970])
        begun.insert(id)
      }
      return begun
    }
    progress.withLock { for id in begun { $0[id] = 0 } }
    return begun
  }

  /// Records the new states of items, in order.
  ///
  /// - Parameter leaving: whether hoist is ending, so that uploads aborted now stay in the queue.
  /// - Throws: `StoreError` if the queue cannot be written.
  package func record(
    _ changes: [(ItemID, ItemState)], leaving: Bool = false, now: Date = Date()
  ) throws(StoreError) {
    let notable = progress.withLock { progress in
      changes.filter { id, state in
        if case .sending(_, let sent, _) = state { progress[id] = sent }
        return state.isWrittenDown
      }
    }
    guard !notable.isEmpty else { return }
    try write { db, revision in
      let writer = StateWriter(db: db, revision: revision, now: now.timeIntervalSince1970)
      for (id, state) in notable {
        let bytes = progress.withLock { $0[id] }
        try writer.write(state, of: id, bytes: bytes, leaving: leaving)
      }
    }
    progress.withLock { progress in
      for (id, state) in notable where !state.isActive { progress[id] = nil }
    }
  }

  /// Records where an item can resume and the offset at which the current attempt began; nil if the item has to
  /// start over.
  ///
  /// - Throws: `StoreError` if the queue cannot be written.
  package func keep(_ point: ResumePoint?, of id: ItemID) throws(StoreError) {
    try write { db, revision in
      try db.cachedStatement(sql: "UPDATE item SET resume_point = ?, revision = ? WHERE id = ?")
        .execute(arguments: [JSONColumn.text(point), revision, id.rawValue])
      try db.cachedStatement(sql: "UPDATE attempt SET start = ? WHERE item = ? AND ended IS NULL")
        .execute(arguments: [point?.start, id.rawValue])
    }
  }

  /// Converts changes for a `ResultJournal`. Items that are not in the queue are left out.
  ///
  /// - Throws: `StoreError` if the queue cannot be read.
  package func kept(
    _ changes: [(ItemID, ItemState)], now: Date = Date()
  ) throws(StoreError) -> [JournalEntry] {
    try read { db in
      let uuid = try db.cachedStatement(sql: "SELECT uuid FROM item WHERE id = ?")
      return try changes.compactMap { id, state in
        guard state.isWrittenDown,
          let uuid = try UUID.fetchOne(uuid, arguments: [id.rawValue])
        else { return nil }
        return JournalEntry(item: id, uuid: uuid, state: state, date: now)
      }
    }
  }

  /// Records results that an earlier process could write only to a `ResultJournal`. Results for items of
  /// another queue are ignored.
  ///
  /// - Throws: `StoreError` if the queue cannot be written.
  package func record(_ kept: [JournalEntry]) throws(StoreError) {
    try write { db, revision in
      let uuid = try db.cachedStatement(sql: "SELECT uuid FROM item WHERE id = ?")
      for result in kept
      where try UUID.fetchOne(uuid, arguments: [result.item.rawValue]) == result.uuid {
        let writer = StateWriter(db: db, revision: revision, now: result.date.timeIntervalSince1970)
        try writer.write(result.state, of: result.item, bytes: nil, leaving: true)
      }
    }
  }
}

extension ItemState {
  /// Whether the state is stored. Progress is not.
  fileprivate var isWrittenDown: Bool {
    switch self {
    case .preparing, .sending: false
    case .waiting, .awaitingReply, .retrying, .paused, .done, .failed: true
    }
  }
}
