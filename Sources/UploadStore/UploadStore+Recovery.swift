import Foundation
import GRDB
import UploadModel

/// What the process before left unfinished.
extension UploadStore {
  /// Items that were found under way although no process was sending.
  public struct Recovery: Hashable, Sendable {
    /// Interrupted before every byte was sent: they wait again.
    public var interrupted: [ItemID] = []
    /// Sent completely without a reply: they may have arrived.
    public var unknown: [ItemID] = []
  }

  /// Recovers the queue after a crash: items that were being sent wait again, and those that awaited a reply
  /// have an unknown outcome. Finished items leave the queue for the history.
  ///
  /// Call it while holding the `SenderLock`, before sending.
  ///
  /// - Parameter isRepeatable: whether a second copy does no harm at the target of this name.
  public func recover(
    now: Date = Date(), isRepeatable: (String) -> Bool = { _ in false }
  ) throws(StoreError) -> Recovery {
    try write { db, revision in
      var recovery = Recovery()
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT id, state, target FROM item WHERE state IN ('sending', 'handed over')
          ORDER BY position
          """)
      for row in rows {
        let id: Int64 = row[0]
        if row[1] as String == "sending" {
          recovery.interrupted.append(ItemID(id))
          try Self.end(
            id, as: "interrupted", "hoist ended while this was being sent", now, db)
          try Self.set(id, "waiting", nil, revision, db)
        } else {
          recovery.unknown.append(ItemID(id))
          let failure = Failure(.outcomeUnknown("hoist ended before the reply"))
          try Self.end(id, as: failure.code, failure.explanation, now, db)
          if isRepeatable(row[2]) {
            try Self.set(id, "waiting", nil, revision, db)
          } else {
            try Self.set(id, "failed", CauseJSON.encode(failure.cause), revision, db)
          }
        }
      }
      try db.execute(
        sql: "UPDATE item SET listed = 0, revision = ? WHERE listed AND state = 'done'",
        arguments: [revision])
      return recovery
    }
  }

  private static func end(
    _ id: Int64, as outcome: String, _ message: String, _ now: Date, _ db: Database
  ) throws {
    try db.execute(
      sql:
        "UPDATE attempt SET ended = ?, outcome = ?, message = ? WHERE item = ? AND ended IS NULL",
      arguments: [now.timeIntervalSince1970, outcome, message, id])
  }

  private static func set(
    _ id: Int64, _ state: String, _ failure: String?, _ revision: Int64, _ db: Database
  ) throws {
    try db.execute(
      sql: "UPDATE item SET state = ?, failure = ?, revision = ? WHERE id = ?",
      arguments: [state, failure, revision, id])
  }
}
