import Foundation
import GRDB
import UploadModel

/// Recovery of what the previous process left unfinished.
extension UploadStore {
  /// Items that were under way although no process was sending.
  package struct Recovery: Hashable, Sendable {
    /// Interrupted before every byte was sent. They wait again.
    package var interrupted: [ItemID] = []
    /// Sent completely but without a reply, so they may have arrived.
    package var unknown: [ItemID] = []
  }

  /// Recovers the queue after a crash: items that were being sent wait again, and those that awaited a reply
  /// have an unknown outcome. Finished items leave the queue for the history.
  ///
  /// Call it while holding the `SenderLock`, before sending.
  ///
  /// - Parameter isRepeatable: whether a second copy does no harm at the target with this name.
  package func recover(
    now: Date = Date(), isRepeatable: (String) -> Bool = { _ in false }
  ) throws(StoreError) -> Recovery {
    try write { db, revision in
      var recovery = Recovery()
      let writer = StateWriter(db: db, revision: revision, now: now.timeIntervalSince1970)
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT id, state, target FROM item WHERE state IN ('sending', 'handed over')
          ORDER BY position
          """)
      for row in rows {
        let id = ItemID(row[0])
        if row[1] as String == "sending" {
          recovery.interrupted.append(id)
          let words = "hoist ended while this was being sent"
          try writer.end(id, AttemptEnd(.interrupted, bytes: nil, message: words))
          try writer.set("waiting", of: id)
        } else {
          recovery.unknown.append(id)
          let failure = Failure(.outcomeUnknown("hoist ended before the reply"))
          let words = failure.explanation
          try writer.end(id, AttemptEnd(.unknown, bytes: nil, message: words))
          let isHarmless = isRepeatable(row[2])
          try writer.set(
            isHarmless ? "waiting" : "failed", of: id,
            failure: isHarmless ? nil : failure.cause.column)
        }
      }
      try db.execute(
        sql: "UPDATE item SET listed = 0, revision = ? WHERE listed AND state = 'done'",
        arguments: [revision])
      return recovery
    }
  }
}
