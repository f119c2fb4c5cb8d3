import Foundation
import GRDB
import UploadModel

/// The runs of targets that have requests before their first file and after their last.
extension UploadStore {
  /// A run that is not over.
  package struct Run: Hashable, Sendable {
    /// Its target's name.
    package var target: String
    /// What is known of it.
    package var point: RunPoint
    /// Its items in the queue that have failed, and those that are paused.
    package var open: Set<ItemID>
  }

  /// How a run has ended, or what keeps it open.
  package struct RunEnd: Hashable, Sendable {
    /// Its target's name.
    package var target: String
    /// When.
    package var date: Date
    /// What it is called (`RunNews.event`).
    package var event: String
    /// What has happened, for people.
    package var message: String
  }

  /// Records what is known of a target's run; nil if it is over.
  package func keepRun(_ point: RunPoint?, of target: String) throws(StoreError) {
    try write { db, _ in
      try db.execute(sql: "DELETE FROM run WHERE target = ?", arguments: [target])
      guard let point else { return }
      try db.execute(
        sql: "INSERT INTO run VALUES (?, ?, ?)",
        arguments: [target, point.id.uuidString, JSONColumn.text(point)])
    }
  }

  /// The runs that are not over. Call it after `recover`.
  package func runs() throws(StoreError) -> [Run] {
    try read { db in
      try Row.fetchAll(db, sql: "SELECT target, id, point FROM run ORDER BY target").compactMap {
        row in
        guard let point: RunPoint = JSONColumn.value(row[2]) else { return nil }
        let open = try Int64.fetchAll(
          db,
          sql: """
            SELECT id FROM item WHERE listed AND target = ?
              AND (state = 'paused' OR state = 'failed' AND run = ?)
            """, arguments: [row[0] as String, row[1] as String])
        return Run(target: row[0], point: point, open: Set(open.map { ItemID($0) }))
      }
    }
  }

  /// Whether the queue has a file for a target that failed before it could be sent, and so in no run.
  package func hasUnsent(_ target: String) throws(StoreError) -> Bool {
    try read { db in
      try Bool.fetchOne(
        db,
        sql: """
          SELECT EXISTS (SELECT 1 FROM item WHERE listed AND target = ? AND state = 'failed' AND run IS NULL)
          """, arguments: [target]) ?? false
    }
  }

  /// Records what has become of a run, for the history.
  package func recordRunEnd(
    _ event: String, _ message: String, of target: String, now: Date = Date()
  ) throws(StoreError) {
    try write { db, _ in
      try db.execute(
        sql: "INSERT INTO run_end (target, ended, event, message) VALUES (?, ?, ?, ?)",
        arguments: [target, now.timeIntervalSince1970, event, message])
    }
  }

  /// What has become of runs within a time, the latest first.
  package func runEnds(from start: Date?, to end: Date?, limit: Int?) throws(StoreError) -> [RunEnd]
  {
    try read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT target, ended, event, message FROM run_end WHERE ended >= ? AND ended < ?
          ORDER BY ended DESC LIMIT ?
          """,
        arguments: [
          start?.timeIntervalSince1970 ?? 0, end?.timeIntervalSince1970 ?? .greatestFiniteMagnitude,
          limit ?? -1,
        ]
      ).map { row in
        RunEnd(
          target: row[0], date: Date(timeIntervalSince1970: row[1]), event: row[2], message: row[3])
      }
    }
  }
}
